//! The alerts: each leads to a panel and to its runbook, and does what the runbook says.
//! `promtool` tests the rules themselves.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{Instant, sleep};

use crate::grafana::{
    dashboards::Dashboard,
    files,
    prometheus::{Lab, Prometheus},
};

/// How long an alert may take to fire after its "Try it" began, as the runbooks say.
const FIRES: Duration = Duration::from_secs(90);
/// How long it may take to clear after the last call, as the runbooks say.
const CLEARS: Duration = Duration::from_secs(390);

/// Every alert of the rules, by its name, with the lines of its rule.
fn alerts() -> Vec<(String, String)> {
    let rules = files::text("dashboards/prometheus/rules/alerts.yml");
    let alerts = rules.split("- alert: ").skip(1);
    let alerts = alerts.map(|rule| rule.split_once('\n').expect("a rule"));
    alerts
        .map(|(name, rule)| (name.to_owned(), rule.to_owned()))
        .collect()
}

#[test]
fn an_alert_says_what_to_do_and_leads_to_its_panel_and_its_runbook() {
    let page = files::text("dashboards/grafana/runbooks.html");
    for (name, rule) in alerts() {
        let value = |key: &str| {
            let mut lines = rule.lines().map(str::trim);
            let found = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
            found.unwrap_or_else(|| panic!("{name} has no {key}"))
        };
        for annotation in ["summary", "description", "action"] {
            assert_ne!(value(annotation), "", "{name}");
        }
        let (dashboard, panel) = (value("__dashboardUid__"), value("__panelId__"));
        let mut dashboards = Dashboard::all().into_iter();
        let dashboard = dashboards.find(|known| known.json["uid"] == *dashboard);
        let mut panels = dashboard.expect("a dashboard").panels().into_iter();
        let id = panel.trim_matches('"').parse::<u64>().expect("a number");
        assert!(panels.any(|panel| panel.json["id"] == id), "{name}");
        let anchor = name.to_lowercase();
        let runbook = value("runbook_url");
        let served = "http://127.0.0.1:3000/public/lab/runbooks.html";
        assert_eq!(runbook, format!("{served}#{anchor}"));
        assert!(
            page.contains(&format!("<h2 id=\"{anchor}\">{name}</h2>")),
            "{name}"
        );
    }
}

/// The command or the act of each "Try it", from the runbooks.
fn tries() -> Vec<(String, String)> {
    let runbooks = files::text("dashboards/README.md");
    let sections = runbooks.split("\n### ").skip(1);
    let tries = sections.map(|section| {
        let (alert, rest) = section.split_once('\n').expect("a heading");
        let (_, line) = rest.split_once("**Try it.** ").expect("a way to try it");
        (
            alert.to_owned(),
            line.lines().next().expect("a line").to_owned(),
        )
    });
    tries.collect()
}

/// Waits until an alert fires or no longer does, and returns how long that took.
async fn wait(prometheus: &Prometheus, name: &str, instance: &str, fires: bool) -> Duration {
    let began = Instant::now();
    let patience = if fires { FIRES } else { CLEARS };
    loop {
        let firing = prometheus.firing(instance).await;
        if firing.iter().any(|firing| firing == name) == fires {
            return began.elapsed();
        }
        assert!(
            began.elapsed() < patience,
            "{name}: fires is still {}",
            !fires
        );
        sleep(Duration::from_millis(500)).await;
    }
}

/// Does what the runbook says, and returns how long the alert took to fire and to clear.
async fn try_out(
    prometheus: &Prometheus,
    (name, line): (String, String),
    lab: Lab,
) -> (String, Duration, Duration) {
    let instance = lab.service.clone();
    let (fired, _lab) = if line == "Stop `lab serve`." {
        let port = lab.stop().await;
        let fired = wait(prometheus, &name, &instance, true).await;
        (fired, Lab::at(&port).await)
    } else {
        let command = line.split('`').nth(1).expect("a command");
        let ((), fired) = tokio::join!(lab.run(command), wait(prometheus, &name, &instance, true));
        (fired, lab)
    };
    let cleared = wait(prometheus, &name, &instance, false).await;
    (name, fired, cleared)
}

#[tokio::test]
#[ignore = "needs prometheus, and takes eight minutes"]
#[expect(clippy::print_stderr, reason = "the figures are worth reading")]
async fn each_try_it_fires_its_alert_and_the_alert_clears() {
    let tries = tries();
    let names: Vec<_> = alerts().into_iter().map(|(name, _)| name).collect();
    assert!(tries.iter().map(|(name, _)| name).eq(&names), "{names:?}");
    let labs = join_all(tries.iter().map(|_| Lab::start())).await;
    let labs_to_scrape: Vec<_> = labs.iter().collect();
    let prometheus = Prometheus::start(&labs_to_scrape, 5).await;
    // Each counter is seen at zero.
    prometheus.scrapes(&labs_to_scrape, 2.0).await;

    let tried = tries.into_iter().zip(labs);
    let tried = join_all(tried.map(|(each, lab)| try_out(&prometheus, each, lab))).await;

    for (alert, fired, cleared) in tried {
        eprintln!("{alert}: fires after {fired:.0?}, clears after {cleared:.0?}");
    }
}

#[tokio::test]
#[ignore = "needs prometheus, and takes ten minutes"]
async fn no_alert_fires_during_ten_minutes_of_the_whole_course() {
    let lab = Lab::start().await;
    let prometheus = Prometheus::start(&[&lab], 5).await;
    prometheus.scrapes(&[&lab], 2.0).await;

    lab.run("lab load --seconds 600 --rate 5").await;
    prometheus.scrapes(&[&lab], 2.0).await;

    let calls = prometheus.value("sum(client_calls_total)").await;
    assert!(calls > 2_500.0, "{calls} calls");
    let fired = r#"count_over_time(ALERTS{alertstate="firing"}[15m])"#;
    assert_eq!(prometheus.series(fired).await, []);
}
