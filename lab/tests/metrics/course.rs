//! `/metrics` after the whole course, run by every client.

use std::future::pending;

use evidence::Pace;
use futures_util::future::join_all;
use host::{RunningService, ServiceConfig};
use runner::{CLIENTS, Exposition, Reliable, Session, Settings, scenario::CATALOGUE};
use server::TeachingApi;
use tracing_subscriber::layer::Identity;

/// The maximum size of a compressed scrape, in bytes.
const BOUND: usize = 18_000;
/// The maximum number of samples.
const SAMPLES: usize = 3_500;

/// A service that shows the metrics of a completed course.
pub(crate) struct CourseRuns(RunningService);

impl CourseRuns {
    pub(crate) async fn new() -> Self {
        let exposition = Exposition::new();
        exposition.register(CATALOGUE);
        // Durations are observed in real time alone. The waits pass at the same time.
        let in_real_time = CATALOGUE.iter().map(async |scenario| {
            let settings = Settings {
                pace: Pace::Real,
                ..Settings::in_virtual_time(&Reliable, 7)
            };
            let session = Session::new(scenario, &settings, &exposition);
            let run = session.run_until(pending(), Identity::new()).await;
            run.expect("a run");
        });
        join_all(in_real_time).await;
        for scenario in CATALOGUE {
            for client in CLIENTS {
                let settings = Settings::in_virtual_time(*client, 7);
                let session = Session::new(scenario, &settings, &exposition);
                let run = session.run_until(pending(), Identity::new()).await;
                run.expect("a run");
            }
        }
        let config = ServiceConfig::builder()
            .port(0)
            .metrics(exposition.service())
            .build()
            .expect("legal");
        Self(TeachingApi::start(config).expect("a service"))
    }

    /// The response to a scraper that accepts this encoding, as sent over the wire.
    pub(crate) async fn scrape(&self, encoding: &str) -> Vec<u8> {
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        let request = http
            .build()
            .expect("legal")
            .get(format!("{}/metrics", self.0.base_url()))
            .header("accept-encoding", encoding);
        let response = request.send().await.expect("a response");
        response.bytes().await.expect("a body").to_vec()
    }

    pub(crate) async fn stop(self) {
        self.0.stop().await.expect("nothing left behind");
    }
}

#[tokio::test]
async fn after_the_whole_course_a_packed_scrape_is_small_and_in_order() {
    let course = CourseRuns::new().await;

    let packed = course.scrape("gzip").await.len();
    let plain = String::from_utf8(course.scrape("identity").await).expect("text");

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
    course.stop().await;
}
