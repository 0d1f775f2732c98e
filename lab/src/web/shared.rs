//! The state that the routes of the page share.

use std::sync::Arc;

use host::Ledger;

use super::{live::Live, metrics_view::MetricsView};
use crate::{
    grade::web::ClientCards,
    scenario::web::Runs,
    storm::web::{SmallStorm, Storms},
};

/// The state that the routes share. Clones share it, too.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) live: Arc<Live>,
    /// The counters over time.
    pub(crate) metrics: Arc<MetricsView>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) storms: Arc<Storms>,
    /// The small pictures of a storm on the overview.
    pub(crate) small_storm: Arc<SmallStorm>,
    pub(crate) client: Arc<ClientCards>,
    pub(crate) ledger: Ledger,
    /// The base URL of the service.
    pub(crate) service: Arc<str>,
}
