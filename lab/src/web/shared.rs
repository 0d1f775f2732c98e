//! The state that the routes of the page share.

use std::sync::Arc;

use host::Ledger;

use super::{feed::Feed, live::Live};
use crate::{scenario::web::Runs, storm::web::Storms};

/// The state that the routes share. Clones share it, too.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) live: Arc<Live>,
    /// The feed of the pages that show the charts of the counters.
    pub(crate) charts: Arc<Feed>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) storms: Arc<Storms>,
    pub(crate) ledger: Ledger,
    /// The base URL of the service.
    pub(crate) service: Arc<str>,
}
