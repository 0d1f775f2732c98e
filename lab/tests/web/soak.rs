//! A load of any length: what the server holds afterwards.

use std::{env, time::Duration};

use testkit::{PATIENCE, process::Resources};
use tokio::time::{Instant, sleep};

use crate::web::{
    command::{Served, text},
    load::load,
    support::Browser,
};

/// The runs in a second: about as many as two cores can handle in a debug build, which
/// this test uses.
const RATE: &str = "10";

/// A load before the first measurement, because the first use allocates memory that is
/// kept.
const WARM_UP: u64 = 10;

/// How much memory may remain after a load of any length: allocators keep freed memory.
const MEMORY_KIB: usize = 24 * 1024;

/// The server's counters, summed over all labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counted {
    attempts: u64,
    responses: u64,
    /// Requests in progress at the services.
    active: u64,
}

impl Counted {
    async fn at(service: &Browser) -> Self {
        Self {
            attempts: service.total("client_attempts_total{").await,
            responses: service
                .total("http_server_request_duration_seconds_count{")
                .await,
            active: service.total("http_server_active_requests{").await,
        }
    }
}

/// Runs a load. Each of its runs checks that client and wire agree; one that does not is
/// reported.
async fn run_scenario(page: &str, seconds: u64) {
    let seconds = seconds.to_string();
    let output = load(page, &["--seconds", &seconds, "--rate", RATE]).output();
    let output = output.await.expect("lab runs");
    let out = text(output.stdout);
    assert_eq!(output.status.code(), Some(0), "{out}");
}

#[tokio::test]
#[ignore = "needs a minute; SOAK_SECONDS for longer"]
#[expect(
    clippy::print_stdout,
    reason = "whoever lets it soak wants the figures"
)]
async fn after_a_long_load_all_is_where_it_began() {
    let seconds = env::var("SOAK_SECONDS").map_or(60, |seconds| seconds.parse().expect("seconds"));
    let Served {
        child,
        service,
        page,
        ..
    } = Served::on_free_ports().await;
    let (process, service) = (child.id().expect("it runs"), Browser::of(&service));
    run_scenario(&page, WARM_UP).await;
    let settled = async |threads_and_descriptors: Option<Resources>| {
        let begun = Instant::now();
        loop {
            let held = Resources::by(process);
            let is_back = threads_and_descriptors.is_none_or(|before| {
                held.descriptors <= before.descriptors && held.threads <= before.threads
            });
            let counted = Counted::at(&service).await;
            if is_back && counted.active == 0 && begun.elapsed() > Duration::from_secs(1) {
                return (held, counted);
            }
            assert!(begun.elapsed() < PATIENCE, "{held:?}, {counted:?}");
            sleep(Duration::from_millis(100)).await;
        }
    };
    let (held, counted) = settled(None).await;

    run_scenario(&page, seconds).await;

    let (held_after, counted_after) = settled(Some(held)).await;
    assert!(
        held_after.memory_kib <= held.memory_kib + MEMORY_KIB,
        "{held:?}, then {held_after:?}"
    );
    let attempts = counted_after.attempts - counted.attempts;
    assert!(counted_after.responses - counted.responses <= attempts);
    println!("{attempts} attempts; {held:?}, then {held_after:?}");
}
