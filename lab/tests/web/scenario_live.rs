//! `lab scenario --live` as a person types it, beside a `lab serve`.

use std::process::{Output, Stdio};

use serde_json::Value;
use tokio::{process::Command, time::timeout};

use crate::support::{Browser, PATIENCE, serve};

fn scenario(page: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command
        .args(["scenario", "flaky", "--live", "--page", page])
        .args(arguments)
        .env_remove("RUST_LOG")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

async fn output(mut command: Command) -> Output {
    let output = timeout(PATIENCE, command.output()).await;
    output.expect("an end in time").expect("lab runs")
}

/// What `/metrics` of the lab says of a counter, over all its labels.
async fn total(service: &str, name: &str) -> u64 {
    let scrape = Browser::of(service).get("/metrics").await.text();
    let series = scrape.lines().filter(|line| line.starts_with(name));
    let values = series.filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok());
    values.sum()
}

#[tokio::test]
async fn a_live_run_is_printed_here_and_counted_and_kept_there() {
    let (web_ui, browser) = serve().await;
    let (page, service) = (web_ui.page_url(), web_ui.service_url());
    let before = total(&service, "client_attempts_total{").await;

    let run = output(scenario(&page, &["--seed", "7", "--json"])).await;

    assert_eq!(run.status.code(), Some(0));
    assert_eq!(before, 0);
    assert_eq!(total(&service, "client_attempts_total{").await, 3);
    let kept = browser.get("/api/runs").await.json();
    let id = kept[0]["id"].as_str().expect("a run");
    let stderr = String::from_utf8(run.stderr).expect("UTF-8");
    assert_eq!(stderr, format!("the run is at {page}/runs/{id}\n"));
    let printed: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let detail = browser.get(&format!("/api/runs/{id}")).await.json();
    assert_eq!(printed, detail["sides"][0]);
    assert_eq!(
        (&printed["seed"], &printed["pace"]),
        (&7.into(), &"real".into())
    );
}

/// In virtual time the printed bytes repeat, so that both ways can be compared.
#[tokio::test]
async fn a_live_run_prints_the_same_as_one_on_its_own() {
    let (web_ui, _) = serve().await;
    let page = web_ui.page_url();
    for options in [&["--explain"][..], &["--compare"], &["--without", "jitter"]] {
        let options = [&["--seed", "7", "--pace", "virtual"], options].concat();
        let live = output(scenario(&page, &options)).await;
        let mut alone = Command::new(env!("CARGO_BIN_EXE_lab"));
        alone.args(["scenario", "flaky"]).args(&options);

        let alone = output(alone).await;

        assert_eq!(live.status.code(), alone.status.code(), "{options:?}");
        let [live, alone] = [live, alone].map(|it| String::from_utf8(it.stdout).expect("UTF-8"));
        assert_eq!(live, alone, "{options:?}");
    }
}

#[tokio::test]
async fn without_a_server_a_live_run_says_what_to_type() {
    let (web_ui, _) = serve().await;
    let page = web_ui.page_url();
    web_ui.stop().await.expect("a stop");

    let run = output(scenario(&page, &[])).await;

    assert_eq!(run.status.code(), Some(3));
    let stderr = String::from_utf8(run.stderr).expect("UTF-8");
    assert_eq!(
        stderr,
        format!("error: nobody listens at {page}; type: lab serve\n")
    );
}
