//! `/metrics` after the whole course, run by every client.

use std::future::pending;

use futures_util::future::join_all;
use host::{RunningService, ServiceConfig};
use scenario::{CLIENTS, Exposition, Pace, Reliable, Session, Settings, catalogue::CATALOGUE};
use server::TeachingApi;
use tracing_subscriber::layer::Identity;

use crate::scrape;

/// The maximum size of a compressed scrape, in bytes.
const BOUND: usize = 18_000;
/// The maximum number of samples.
const SAMPLES: usize = 3_500;

/// A service that shows the metrics of a completed course.
pub(crate) async fn after_the_course() -> RunningService {
    let exposition = Exposition::new();
    exposition.register(CATALOGUE);
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
    let metrics = exposition.service();
    let config = ServiceConfig::builder().port(0).metrics(metrics).build();
    TeachingApi::start(config.expect("legal")).expect("a service")
}

#[tokio::test]
async fn after_the_whole_course_a_packed_scrape_is_small_and_in_order() {
    let course = after_the_course().await;

    let packed = scrape(&course, "gzip").await.len();
    let plain = String::from_utf8(scrape(&course, "identity").await).expect("text");

    let series = plain.lines().filter(|line| !line.starts_with('#')).count();
    assert!(
        packed <= BOUND && series <= SAMPLES,
        "{packed} bytes packed, {} plain, {series} series",
        plain.len()
    );
    let names: Vec<_> = plain
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(names.contains(&"process_cpu_seconds_total") || cfg!(not(target_os = "linux")));
    course.stop().await.expect("nothing left behind");
}
