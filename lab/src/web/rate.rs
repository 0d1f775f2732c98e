//! Publishes the counters of the process about once a second while they change.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use humantime::format_rfc3339_millis;
use scenario::Exposition;
use serde_json::json;
use tokio::time::{MissedTickBehavior, interval};

use super::feed::Feed;

/// How often the counters are read.
const INTERVAL: Duration = Duration::from_secs(1);

/// Reads the counters until it is dropped, and limits the exposition's memory.
pub(crate) async fn publish(exposition: Exposition, feed: Arc<Feed>) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut known = BTreeMap::new();
    loop {
        ticks.tick().await;
        exposition.keep_up();
        let values = exposition.totals();
        if values != known {
            let at = format_rfc3339_millis(SystemTime::now()).to_string();
            feed.publish("metrics", &json!({ "at": at, "values": values }));
            known = values;
        }
    }
}
