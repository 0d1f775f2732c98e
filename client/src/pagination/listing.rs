//! A listing: what to read, and in which form.

use super::{limits::ListingLimits, listing_id::ListingId};
use crate::{endpoint::Endpoint, reliable_client::ReliableApiClient};

/// A cursor-paginated listing that has not been started yet.
///
/// Read it by the page, by the item, or as a crawl that can be resumed. Neither
/// ends silently before the listing does: a limit reached is an error.
#[derive(Debug, Clone)]
#[must_use = "a listing does nothing until it is read"]
pub struct Listing {
    pub(super) client: ReliableApiClient,
    pub(super) endpoint: Endpoint,
    pub(super) limits: ListingLimits,
}

impl Listing {
    pub(crate) fn new(client: ReliableApiClient, endpoint: Endpoint) -> Self {
        let limits = client.limits();
        Self {
            client,
            endpoint,
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
        ListingId::new(self.endpoint, &self.client.url(self.endpoint))
    }
}
