//! `lab scenario --live` as a person types it, beside a `lab serve`.

use tokio::process::Command;

use crate::web::{
    command::{lab_with, output, text},
    support::{Browser, serve},
};

fn scenario(page: &str, arguments: &[&str]) -> Command {
    let live = ["flaky", "--live", "--page", page];
    lab_with("scenario", &[&live, arguments].concat())
}

#[tokio::test]
async fn a_live_run_is_printed_here_and_counted_and_kept_there() {
    let (web_ui, browser) = serve().await;
    let (page, service) = (web_ui.page_url(), Browser::of(&web_ui.service_url()));
    let before = service.total("client_attempts_total{").await;

    let run = output(scenario(&page, &["--seed", "7"])).await;

    assert_eq!(run.status.code(), Some(0));
    assert_eq!(before, 0);
    assert_eq!(service.total("client_attempts_total{").await, 3);
    let kept = browser.get("/api/runs").await.json();
    let id = kept[0]["id"].as_str().expect("a run");
    let note = format!("the run is at {page}/runs/{id}\n");
    assert_eq!(text(run.stderr), note);
    let path = format!("/api/runs/{id}/text");
    assert_eq!(text(run.stdout), browser.get(&path).await.text());
    let detail = browser.get(&format!("/api/runs/{id}")).await.json();
    assert_eq!(
        (&detail["seed"], &detail["pace"]),
        (&7.into(), &"real".into())
    );
}

/// In virtual time the printed bytes repeat, so that both ways can be compared.
#[tokio::test]
async fn a_live_run_prints_the_same_as_one_on_its_own() {
    let (web_ui, _) = serve().await;
    let page = web_ui.page_url();
    for options in [
        &[][..],
        &["--compare"],
        &["--max-attempts", "2"],
        &["--client", "naive"],
        &["--without", "backoff-jitter"],
    ] {
        let options = [&["--seed", "7", "--pace", "virtual"], options].concat();
        let live = output(scenario(&page, &options)).await;

        let alone = output(lab_with("scenario", &[&["flaky"], &*options].concat())).await;

        assert_eq!(live.status.code(), alone.status.code(), "{options:?}");
        assert_eq!(text(live.stdout), text(alone.stdout), "{options:?}");
    }
}

#[tokio::test]
async fn without_a_server_a_live_run_says_what_to_type() {
    let (web_ui, _) = serve().await;
    let page = web_ui.page_url();
    web_ui.stop().await.expect("a stop");

    let run = output(scenario(&page, &[])).await;

    assert_eq!(run.status.code(), Some(3));
    let error = format!("error: nobody listens at {page}; type: lab serve\n");
    assert_eq!(text(run.stderr), error);
}
