//! The runs of a command: its applications are shell scripts that send with the example `send`.
#![cfg(unix)]

use std::{fs, time::Duration};

use host::TlsRefusal;
use judge::KnownFailures;
use process::ClientCommand;
use proxy::{
    AddressText, Declared, ListenAddress, Plan, PlanError, PlanOptions, html_proxy, junit_proxy,
    text,
};
use render::Options;
use tempfile::tempdir;
use testkit::{files::example, responding};
use tokio::sync::watch;

use super::*;

/// An application that takes what it gets.
const CALM: &str = r#""$SEND" "$API_URL/v1/orders" || true"#;

/// An API that answers every request with a 201.
fn api() -> String {
    responding(
        "HTTP/1.1 201 Created\r\nSet-Cookie: id=reply-qz7\r\n\
         Content-Length: 9\r\n\r\nreply-qz7",
    )
}

/// A plan for a shell script before an upstream.
fn options(upstream: &str, script: &[&str]) -> PlanOptions {
    let send = format!("SEND={}", example("send"));
    let command = ["env", &send, "sh", "-c"];
    let command = command.iter().chain(script).map(Into::into);
    PlanOptions {
        setup: Setup::before(Upstream::new(upstream, &[]).expect("an origin")),
        command: ClientCommand::new(command).expect("a command"),
        set: vec![("API_URL".to_owned(), AddressText::base_url())],
        routes: Vec::new(),
        faults: Vec::new(),
        declared: Declared::default(),
        patience: Duration::from_secs(35),
        time: Duration::from_secs(60),
        before: None,
        cancelled: watch::channel(false).1,
    }
}

/// The plan that the healthy runs of a command lead to.
async fn planned(options: PlanOptions) -> Result<Plan, PlanError> {
    Plan::new(options, &|_| {}).await
}

#[tokio::test]
async fn a_plan_that_cannot_be_made_says_why() {
    let api = api();
    let gone = host::refusing_port().expect("a port");
    let gone = format!("http://{}", gone.local_addr().expect("an address"));
    let tls = TlsRefusal::start().await.expect("a port");
    let tls = tls.base_url().replace("https", "http");
    let route = |route: &str| PlanOptions {
        routes: vec![route.to_owned()],
        ..options(&api, &[CALM])
    };
    let compressed = r#""$SEND" -H "Content-Encoding: gzip" "$API_URL/v1/orders""#;
    let text = |script: &str| PlanOptions {
        setup: Setup {
            text: Some("nowhere".to_owned()),
            ..options(&api, &[script]).setup
        },
        ..options(&api, &[script])
    };
    let named = |script| {
        let mut options = options(&api, &[script]);
        let name = Some("a.test".to_owned());
        let listen = ListenAddress::new([127, 0, 0, 1].into(), false, name);
        options.setup.listen = listen.expect("loopback");
        options
    };
    let elsewhere = r#"port=${API_URL##*:}
        "$SEND" -H "Host: b.test" "http://127.0.0.1:$port/v1""#;
    for (options, words) in [
        (options(&api, &["true"]), "sent nothing here; & --set NAME"),
        (options(&gone, &[CALM]), "did not answer"),
        (options(&api, &["exit 7"]), "exit 7 & made: no request"),
        (route("/v2"), "'/v2' & 'GET /v1/orders'"),
        (text(CALM), "'nowhere' of --match"),
        (text(compressed), "'nowhere' of --match & Content-Encoding"),
        (options(&tls, &[CALM]), "speaks TLS & https://"),
        (named(elsewhere), "--base-host NAME"),
    ] {
        let error = planned(options).await.expect_err(words).to_string();

        let is_told = words.split(" & ").all(|word| error.contains(word));
        assert!(is_told, "{words}: {error}");
    }
}

#[tokio::test]
async fn no_output_holds_a_secret() {
    let folder = tempdir().expect("a folder");
    let script = folder.path().join("app.sh");
    let sends = r#""$SEND" "$API_URL/v1/path_qz70123456789abc?token=query-qz7" \
        -H 'Authorization: Bearer bearer-qz7-0123456789' -H 'Cookie: id=cookie-qz7' \
        -H 'Idempotency-Key: key-qz7' -d body-qz7
        "$SEND" "$API_URL/v1/a" -H 'Origin: http://origin-qz7'
        "$SEND" "$API_URL/v1/a" -H 'Upgrade: upgrade-qz7'; true"#;
    fs::write(&script, sends).expect("written");
    // The command line itself is shown.
    let runs = format!(". {}", script.display());
    let options = PlanOptions {
        faults: vec![ProxyFault::LostResponse],
        ..options(&api(), &[&runs])
    };
    let mut plan = planned(options).await.expect("a plan");
    plan.execute(&|_| {}).await.expect("all runs are made");
    let (card, known, look) = (plan.card(), KnownFailures::default(), Options::default());

    let outputs = [
        text::plan(&plan, &look),
        text::card(&card, &known, &look),
        render::json(&card),
        junit_proxy(&card, &known, false),
        html_proxy(&card, &known),
    ];

    for output in outputs {
        assert!(output.contains("POST /v1/{}"), "{output}");
        assert!(!output.contains("qz7"), "{output}");
    }
}

#[tokio::test]
async fn each_run_has_its_own_url_and_is_prepared() {
    let folder = tempdir().expect("a folder");
    let trace = folder.path().join("trace");
    let script = format!(
        r#"echo "$API_URL $DSN $1 $2 $LAB_BASE_URL" >> {}; "$SEND" "$1/a""#,
        trace.display()
    );
    let variables = [("API_URL", "{base_url}/v2"), ("DSN", "http://key@{host}/1")];
    let set = variables.map(|(name, text)| (name.to_owned(), text.parse().expect("a text")));
    let options = PlanOptions {
        set: set.into(),
        before: Some(format!("echo before >> {}", trace.display())),
        ..options(&api(), &[&script, "sh", "{base_url}", "{host}:{port}"])
    };

    planned(options).await.expect("a plan");

    let trace = fs::read_to_string(trace).expect("it was written");
    let urls: Vec<_> = trace
        .lines()
        .map(|line| line.split(' ').next_back().unwrap_or_default())
        .collect();
    let expected = [1, 3].map(|run| {
        let url = urls[run];
        let host = url.strip_prefix("http://").expect("a URL");
        let port = url.rsplit(':').next().expect("a port");
        format!("before\n{url}/v2 http://key@{host}/1 {url} {host}:{port} {url}\n")
    });
    assert_eq!(trace, expected.concat());
    assert_ne!(urls[1], urls[3]);
}

#[tokio::test]
async fn a_command_before_a_run_has_its_limits_and_finds_the_api() {
    let folder = tempdir().expect("a folder");
    let trace = folder.path().join("trace");
    let api = api();
    let before = |script: &str, seconds| {
        planned(PlanOptions {
            before: Some(script.to_owned()),
            time: Duration::from_secs(seconds),
            ..options(&api, &[CALM])
        })
    };
    let trace_path = trace.display();
    let leaves = format!(
        "echo $LAB_BASE_URL >{trace_path}
         (trap 'echo asked >>{trace_path}; exit' TERM; sleep 60 & wait) &
         sleep 0.2"
    );

    let (failed, slow, left) = tokio::join!(
        before("exit 1", 60),
        before("echo waits >&2; sleep 60", 1),
        before(&leaves, 60),
    );

    let failed = failed.expect_err("it fails").to_string();
    assert!(failed.starts_with("--before 'exit 1' failed: "), "{failed}");
    assert!(failed.ends_with(", exit 1"), "{failed}");
    let slow = slow.expect_err("its time is up");
    assert!(slow.to_string().contains("ended by the lab after 1"));
    let PlanError::Before { end, .. } = slow else {
        panic!("{slow}");
    };
    assert_eq!(end.stderr, ["waits"]);
    left.expect("a plan");
    let said = fs::read_to_string(trace).expect("it ran");
    assert_eq!(said, format!("{api}\nasked\n"));
}
