//! A listing before it is read: its target and its limits.

use super::{limits::ListingLimits, listing_id::ListingId};
use crate::{api_client::ApiClient, target::Target};

/// A cursor-paginated listing that has not been started yet.
///
/// Read it page by page, item by item, or as a crawl that can be resumed. None of these
/// ends silently before the listing does: exceeding a limit is an error.
#[derive(Debug, Clone)]
#[must_use = "a listing does nothing until it is read"]
pub struct Listing {
    pub(super) client: ApiClient,
    pub(super) target: Target,
    pub(super) limits: ListingLimits,
}

impl ApiClient {
    /// A cursor-paginated listing. Its query must not contain the parameters that the
    /// listing adds, which are `limit` and `cursor`.
    pub fn listing(&self, target: impl Into<Target>) -> Listing {
        Listing {
            client: self.clone(),
            target: target.into(),
            limits: self.inner.limits,
        }
    }
}

impl Listing {
    /// Replaces the client's limits.
    pub fn limits(mut self, limits: ListingLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The identity of this listing, for its checkpoints.
    #[must_use]
    pub fn id(&self) -> ListingId {
        ListingId::new(&self.target, self.client.base_url())
    }
}
