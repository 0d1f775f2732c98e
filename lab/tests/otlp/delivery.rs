//! The address of an export, and the consequences of a failed one.

use axum::http::StatusCode;
use runner::scenario::CATALOGUE;
use tokio::net::TcpSocket;

use super::{ENDPOINT, TRACES_ENDPOINT, lab, receiver::Receiver, stderr};

#[tokio::test]
async fn a_receiver_that_is_down_causes_one_warning() {
    // The socket never listens, and nobody else can use its port.
    let bound = TcpSocket::new_v4().expect("a socket");
    bound.bind(([127, 0, 0, 1], 0).into()).expect("a free port");
    let address = bound.local_addr().expect("an address");

    let output = lab(&["flaky", "--otlp", &format!("http://{address}")], &[]).await;

    let warning = stderr(&output);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(warning.lines().count(), 1, "{warning}");
    let expected = format!("warning: the run was not exported to {address}: ");
    assert!(warning.starts_with(&expected), "{warning}");
    assert!(!output.stdout.is_empty());
}

#[tokio::test]
async fn a_receiver_with_an_error_gets_one_request_and_causes_one_warning() {
    let receiver = Receiver::responding(StatusCode::SERVICE_UNAVAILABLE).await;

    let output = lab(&["flaky", "--otlp", &receiver.base], &[]).await;

    let warning = stderr(&output);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(warning.lines().count(), 1, "{warning}");
    assert!(warning.contains("503"), "{warning}");
    assert_eq!(receiver.paths(), ["/v1/traces"]);
}

#[tokio::test]
async fn the_option_for_the_receiver_overrides_the_environment() {
    let [base, traces, option] = [
        Receiver::responding(StatusCode::OK).await,
        Receiver::responding(StatusCode::OK).await,
        Receiver::responding(StatusCode::OK).await,
    ];
    let at = format!("{}/in/as?it=is", traces.base);
    let variables = [(ENDPOINT, base.base.as_str()), (TRACES_ENDPOINT, &at)];

    lab(&["items"], &variables[..1]).await;
    lab(&["items"], &variables).await;
    lab(&["items", "--otlp", &option.base], &variables).await;
    lab(&["items"], &[(ENDPOINT, ""), (TRACES_ENDPOINT, "")]).await;

    assert_eq!(base.paths(), ["/v1/traces"; 2]);
    assert_eq!(traces.paths(), ["/in/as?it=is"; 2]);
    assert_eq!(option.paths(), ["/v1/traces"; 2]);
}

#[tokio::test]
async fn the_headers_in_the_environment_are_sent() {
    let receiver = Receiver::responding(StatusCode::OK).await;
    let variables = [("OTEL_EXPORTER_OTLP_HEADERS", "x-scope-orgid=lab")];

    lab(&["items", "--otlp", &receiver.base], &variables).await;

    for arrival in receiver.arrivals() {
        assert_eq!(arrival.headers["x-scope-orgid"], "lab");
    }
    assert_eq!(receiver.paths().len(), 2);
}

#[tokio::test]
async fn an_invalid_address_is_a_usage_error_before_any_run() {
    let bare = "localhost:4318";
    for (arguments, variables, origin) in [
        (&["flaky", "--otlp", bare][..], &[][..], "--otlp"),
        (&["flaky"], &[(ENDPOINT, bare)], ENDPOINT),
        (&["flaky"], &[(TRACES_ENDPOINT, bare)], TRACES_ENDPOINT),
    ] {
        let output = lab(arguments, variables).await;

        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        assert_eq!(
            stderr(&output),
            format!(
                "error: invalid {origin} 'localhost:4318': it must start with http:// or https://\n"
            )
        );
    }
}

#[tokio::test]
async fn the_whole_course_is_exported_and_a_failing_receiver_is_tried_once() {
    let [working, failing] = [
        Receiver::responding(StatusCode::OK).await,
        Receiver::responding(StatusCode::BAD_GATEWAY).await,
    ];
    let items = ["all", "--filter", "items", "--otlp"];

    let exported = lab(&[&items[..], &[&working.base]].concat(), &[]).await;
    let failed = lab(&[&items[..], &[&failing.base]].concat(), &[]).await;

    let scenarios = CATALOGUE.iter().filter(|it| it.name().contains("items"));
    assert_eq!(stderr(&exported), "");
    assert_eq!(working.paths().len(), 2 * scenarios.count());
    assert_eq!(stderr(&failed).lines().count(), 1, "{}", stderr(&failed));
    assert_eq!(failing.paths().len(), 1);
    assert_eq!(failed.status.code(), Some(0));
}
