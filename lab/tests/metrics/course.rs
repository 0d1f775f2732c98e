//! `/metrics` after the whole course, run by every client.

use std::future::pending;

use evidence::{Overrides, Pace};
use host::{RunningService, ServiceConfig};
use runner::{CLIENTS, Exposition, Session, Settings, scenario::CATALOGUE};
use server::TeachingApi;
use tracing_subscriber::layer::Identity;

/// The maximum size of a compressed scrape, in bytes.
const BOUND: usize = 19_000;
/// The maximum number of samples.
const SAMPLES: usize = 4_400;

/// A service that shows the metrics of a completed course.
pub(crate) struct CourseRuns(RunningService);

impl CourseRuns {
    pub(crate) async fn new() -> Self {
        let exposition = Exposition::new();
        exposition.register(CATALOGUE);
        for scenario in CATALOGUE {
            for client in CLIENTS {
                let settings = Settings {
                    seed: 7,
                    client: *client,
                    pace: Pace::Virtual,
                    overrides: Overrides::NONE,
                };
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
