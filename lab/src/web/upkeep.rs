//! Keeps the memory of the counters bounded.

use std::time::Duration;

use scenario::Exposition;
use tokio::time::{MissedTickBehavior, interval};

/// How often the counters are tidied up.
const INTERVAL: Duration = Duration::from_secs(1);

/// Limits the exposition's memory until it is dropped.
pub(crate) async fn keep_up(exposition: Exposition) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        exposition.keep_up();
    }
}
