//! `lab scenario --live` as a person types it, beside a `lab serve`.

use crate::web::{
    command::{lab_with, output, text},
    support::{Browser, serve},
};

#[tokio::test]
async fn a_live_run_is_printed_here_and_counted_and_kept_there() {
    let (web_ui, browser) = serve().await;
    let (page, service) = (web_ui.page_url(), Browser::of(&web_ui.service_url()));
    let before = service.total("client_attempts_total{").await;
    let live = ["flaky", "--live", "--page", &page, "--seed", "7"];

    let run = output(lab_with("scenario", &live)).await;

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
    web_ui.stop().await.expect("a stop");
}
