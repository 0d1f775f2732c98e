//! `/metrics` after the whole course, run by every client.

use std::{collections::BTreeMap, future::pending};

use futures_util::future::join_all;
use host::{RunningService, ServiceConfig};
use scenario::{CLIENTS, Exposition, Pace, Reliable, Session, Settings, catalogue::CATALOGUE};
use server::TeachingApi;
use tracing_subscriber::layer::Identity;

use crate::metrics::scrape;

/// The maximum size of a compressed scrape, in bytes.
const BOUND: usize = 18_000;
/// The maximum number of samples.
const SAMPLES: usize = 3_500;

/// A service that shows the metrics of a completed course, and what it showed before.
pub(crate) async fn after_the_course() -> (String, RunningService) {
    let exposition = Exposition::new();
    exposition.register(CATALOGUE);
    let metrics = exposition.service();
    let config = ServiceConfig {
        metrics,
        ..ServiceConfig::default()
    };
    let service = TeachingApi::start(config).expect("a service");
    let before = scrape(&service, "identity").await;
    let before = String::from_utf8(before).expect("text");
    let run = async |scenario, settings| {
        let session = Session::new(scenario, &settings, &exposition);
        let run = session.run_until(pending(), Identity::new()).await;
        run.expect("a run");
    };
    // Durations are observed in real time alone. The waits pass at the same time.
    let in_real_time = CATALOGUE.iter().map(|scenario| {
        let settings = Settings {
            pace: Pace::Real,
            ..Settings::in_virtual_time(&Reliable, 7)
        };
        run(scenario, settings)
    });
    join_all(in_real_time).await;
    for scenario in CATALOGUE {
        for client in CLIENTS {
            run(scenario, Settings::in_virtual_time(*client, 7)).await;
        }
    }
    (before, service)
}

/// The numbers of observations, by the series of their histograms.
fn observations(scrape: &str) -> BTreeMap<&str, u64> {
    let samples = scrape.lines().filter(|line| !line.starts_with('#'));
    samples
        .filter_map(|line| line.rsplit_once(' '))
        .filter(|(series, _)| series.contains("_count{"))
        .map(|(series, count)| (series, count.parse().expect("a whole number")))
        .collect()
}

/// Whether a panel shows the series of a histogram: of the client's durations it shows only
/// those of successes.
fn has_a_panel(series: &str) -> bool {
    if series.starts_with("client_call_duration_seconds") {
        series.contains(r#"outcome="ok""#)
    } else if series.starts_with("http_client_request_duration_seconds") {
        let is_success = ["\"2", "\"3"]
            .iter()
            .any(|class| series.contains(&format!("http_response_status_code={class}")));
        is_success && !series.contains("error_type")
    } else {
        true
    }
}

#[tokio::test]
async fn after_the_whole_course_a_packed_scrape_is_small() {
    let (before, course) = after_the_course().await;

    let packed = scrape(&course, "gzip").await.len();
    let plain = String::from_utf8(scrape(&course, "identity").await).expect("text");

    let series = plain.lines().filter(|line| !line.starts_with('#')).count();
    assert!(
        packed <= BOUND && series <= SAMPLES,
        "{packed} bytes packed, {} plain, {series} series",
        plain.len()
    );
    let (before, after) = (observations(&before), observations(&plain));
    assert!(before.values().all(|count| *count == 0), "{before:#?}");
    let born = after.keys().filter(|series| !before.contains_key(*series));
    let born: Vec<_> = born.filter(|series| has_a_panel(series)).collect();
    assert_eq!(born, [&""; 0], "Prometheus misses their first observation");
    let has_the_process = plain.contains("\n# TYPE process_cpu_seconds_total counter\n");
    assert!(has_the_process || cfg!(not(target_os = "linux")));
    course.stop().await.expect("nothing left behind");
}
