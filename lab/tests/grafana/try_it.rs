//! The alerts with the shipped rules and intervals, in a real Prometheus. It takes minutes.

use std::{slice::from_ref, time::Duration};

use futures_util::future::join_all;
use tokio::time::{Instant, sleep};

use crate::{
    files,
    first_event::firing,
    prometheus::{Lab, Prometheus},
    rules::Rule,
};

/// How long an alert may take to fire after its "Try it" began, as the runbooks say.
const FIRES: Duration = Duration::from_secs(90);
/// How long it may take to clear after the last call, as the runbooks say.
const CLEARS: Duration = Duration::from_secs(390);

/// The "Try it" of each alert, from its runbook.
fn tries() -> Vec<(String, String)> {
    let runbooks = files::text("dashboards/README.md");
    let sections = runbooks.split("\n### ").skip(1);
    let tries = sections.filter_map(|section| {
        let (alert, rest) = section.split_once('\n')?;
        let (_, line) = rest.split_once("**Try it.** ")?;
        Some((alert.to_owned(), line.lines().next()?.to_owned()))
    });
    tries.collect()
}

/// Waits until the alert of an instance fires, or until it does not; returns how long
/// that took.
async fn wait(
    prometheus: &Prometheus,
    alert: &(String, String),
    fires: bool,
    patience: Duration,
) -> Duration {
    let began = Instant::now();
    while firing(prometheus).await.contains(alert) != fires {
        let took = began.elapsed();
        assert!(
            took < patience,
            "{alert:?}: fires is {} after {took:?}",
            !fires
        );
        sleep(Duration::from_millis(500)).await;
    }
    began.elapsed()
}

/// Does what the runbook says, and returns how long the alert took to fire and to clear.
async fn try_out(
    prometheus: &Prometheus,
    (name, line): (String, String),
    mut lab: Lab,
) -> (String, Duration, Duration) {
    let alert = (name, lab.service.clone());
    let command = line.split('`').nth(1).expect("a command");
    let fired = if line == "Stop `lab serve`." {
        let (_, port) = alert.1.split_once(':').expect("a port");
        drop(lab);
        let fired = wait(prometheus, &alert, true, FIRES).await;
        lab = Lab::at(port).await;
        fired
    } else {
        let mut child = lab.command(command);
        let (ended, fired) = tokio::join!(child.wait(), wait(prometheus, &alert, true, FIRES));
        ended.expect("an end");
        fired
    };
    let cleared = wait(prometheus, &alert, false, CLEARS).await;
    drop(lab);
    (alert.0, fired, cleared)
}

#[tokio::test]
#[ignore = "needs prometheus, and takes eight minutes"]
#[expect(clippy::print_stderr, reason = "the figures are worth reading")]
async fn each_try_it_fires_its_alert_and_the_alert_clears() {
    let tries = tries();
    let names: Vec<_> = tries.iter().map(|(name, _)| name.clone()).collect();
    let alerts: Vec<_> = Rule::alerts().into_iter().map(|rule| rule.name).collect();
    assert_eq!(names, alerts);
    let labs = join_all(tries.iter().map(|_| Lab::start())).await;
    let targets: Vec<_> = labs.iter().map(|lab| lab.service.clone()).collect();
    let prometheus = Prometheus::as_shipped(&targets).await;
    // Two scrapes, so that each counter was seen at zero.
    sleep(Duration::from_secs(12)).await;

    let tried = tries.into_iter().zip(labs);
    let tried = join_all(tried.map(|(it, lab)| try_out(&prometheus, it, lab))).await;

    for (alert, fired, cleared) in tried {
        eprintln!("{alert}: fires after {fired:.0?}, clears after {cleared:.0?}");
    }
}

#[tokio::test]
#[ignore = "needs prometheus, and takes ten minutes"]
#[expect(clippy::print_stderr, reason = "the figures are worth reading")]
async fn no_alert_fires_during_ten_minutes_of_the_whole_course() {
    let lab = Lab::start().await;
    let prometheus = Prometheus::as_shipped(from_ref(&lab.service)).await;
    sleep(Duration::from_secs(12)).await;

    let mut load = lab.command("lab load --seconds 600 --rate 5");
    load.wait().await.expect("an end");
    sleep(Duration::from_secs(12)).await;

    let calls = prometheus.now("sum(client_calls_total)").await;
    let calls = calls.expect("a result")[0];
    for rule in Rule::recording() {
        let highest = format!("max_over_time({}[15m])", rule.name);
        eprintln!(
            "{} is at most {:?}",
            rule.name,
            prometheus.now(&highest).await
        );
    }
    let fired = prometheus
        .series(r#"count_over_time(ALERTS{alertstate="firing"}[15m])"#)
        .await;
    assert!(fired.is_empty(), "{fired:#?}");
    assert!(calls > 2_500.0, "{calls} calls");
}
