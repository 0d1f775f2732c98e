//! `/metrics` with client and service on one recorder, as a scraper sees it.

mod bad_requests;
mod both_sides;
mod course;
mod promtool;

use client::{RETRY_STATUSES, telemetry as client_side};
use host::telemetry as service_side;

use host::RunningService;

use crate::metrics::both_sides::BothSides;

/// The response to a scraper that accepts this encoding, as sent over the wire.
async fn scrape(service: &RunningService, encoding: &str) -> Vec<u8> {
    let http = reqwest::Client::builder().no_proxy().tls_certs_only([]);
    let url = format!("{}/metrics", service.base_url());
    let request = http.build().expect("legal").get(url);
    let response = request.header("accept-encoding", encoding).send().await;
    let body = response.expect("a response").bytes().await;
    body.expect("a body").to_vec()
}

fn has(scrape: &str, line: &str) -> bool {
    scrape.lines().any(|scraped| scraped == line)
}

#[tokio::test]
async fn every_metric_exists_before_the_first_request() {
    let both = BothSides::start();

    let scrape = both.scrape().await;

    for metric in scenario::metrics() {
        let (name, kind) = (metric.name, metric.kind);
        let help = format!("# HELP {name} {}", metric.question);
        let declared = format!("# TYPE {name} {kind}");
        assert!(has(&scrape, &help), "{help} is not in\n{scrape}");
        assert!(has(&scrape, &declared), "{declared} is not in\n{scrape}");
    }
    for status in RETRY_STATUSES {
        let attempts = format!(
            r#"client_attempts_total{{endpoint="items",method="GET",result="{}"}} 0"#,
            status.as_u16()
        );
        assert!(has(&scrape, &attempts), "{attempts} is not in\n{scrape}");
    }
    both.stop().await;
}

#[tokio::test]
async fn a_successful_request_adds_no_series() {
    let both = BothSides::start();
    let series = |scrape: &str| -> Vec<String> {
        let samples = scrape.lines().filter(|line| !line.starts_with('#'));
        let mut names: Vec<_> = samples
            .filter_map(|line| Some(line.rsplit_once(' ')?.0.to_owned()))
            .collect();
        names.sort_unstable();
        names
    };
    let before = series(&both.scrape().await);

    both.go_as_hoped().await;

    assert_eq!(series(&both.scrape().await), before);
    both.stop().await;
}

#[tokio::test]
async fn histograms_have_the_bounds_of_their_vocabulary() {
    let both = BothSides::start();

    let scrape = both.scrape().await;

    let families: [(&str, &[f64]); 5] = [
        (
            client_side::CALL_DURATION.name,
            &client_side::CALL_DURATION_BUCKETS,
        ),
        (
            client_side::CALL_ATTEMPTS.name,
            &client_side::CALL_ATTEMPTS_BUCKETS,
        ),
        (client_side::RETRY_WAIT.name, &client_side::WAIT_BUCKETS),
        (
            client_side::REQUEST_DURATION.name,
            &client_side::DURATION_BUCKETS,
        ),
        (
            service_side::REQUEST_DURATION.name,
            &service_side::DURATION_BUCKETS,
        ),
    ];
    for (name, bounds) in families {
        let first = scrape
            .lines()
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix("_bucket{"))
            .filter_map(|line| line.split_once(r#"le=""#)?.1.split('"').next())
            .take_while(|bound| *bound != "+Inf");
        let bounds: Vec<_> = bounds.iter().map(f64::to_string).collect();
        assert_eq!(first.collect::<Vec<_>>(), bounds, "{name}");
    }
    both.stop().await;
}
