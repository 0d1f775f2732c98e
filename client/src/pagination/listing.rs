//! A listing: what to read, and in which form.

use super::{limits::ListingLimits, listing_id::ListingId};
use crate::{api_client::ApiClient, target::Target};

/// A cursor-paginated listing that has not been started yet.
///
/// Read it by the page, by the item, or as a crawl that can be resumed. Neither
/// ends silently before the listing does: a limit reached is an error.
#[derive(Debug, Clone)]
#[must_use = "a listing does nothing until it is read"]
pub struct Listing {
    pub(super) client: ApiClient,
    pub(super) target: Target,
    pub(super) limits: ListingLimits,
}

impl ApiClient {
    /// A cursor-paginated listing.
    pub fn listing(&self, target: impl Into<Target>) -> Listing {
        Listing::new(self.clone(), target.into())
    }
}

impl Listing {
    pub(crate) fn new(client: ApiClient, target: Target) -> Self {
        let limits = client.limits();
        Self {
            client,
            target,
            limits,
        }
    }

    /// Other limits than the client's.
    pub fn limits(mut self, limits: ListingLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Which listing this is, for its checkpoints.
    #[must_use]
    pub fn id(&self) -> ListingId {
        let base_url = self.client.base_url();
        // A target without a URL is never requested, and has no checkpoint.
        let url = self.target.url(base_url);
        ListingId::new(self.target.endpoint(), url.as_ref().unwrap_or(base_url))
    }
}
