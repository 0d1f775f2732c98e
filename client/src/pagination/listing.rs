//! A listing: what to read, and in which form.

use super::{
    checkpoint::{CheckpointError, CheckpointStore},
    crawl::Crawl,
    items::Items,
    limits::ListingLimits,
    listing_id::ListingId,
    pages::Pages,
    walk::Walk,
};
use crate::{api::ReliableApiClient, endpoint::Endpoint};

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

    /// Reads page after page.
    pub fn pages(self) -> Pages {
        Pages::new(Walk::resume(self, None))
    }

    /// Reads item after item, page by page.
    pub fn items(self) -> Items {
        let max_items = self.limits.max_items;
        Items::new(self.pages(), max_items)
    }

    /// Which listing this is, for its checkpoints.
    #[must_use]
    pub fn id(&self) -> ListingId {
        ListingId::new(self.endpoint, &self.client.url(self.endpoint))
    }

    /// Reads page after page and remembers in `store` how far it came; goes on
    /// from there if the store knows of an earlier run.
    ///
    /// The pages of all runs count towards `max_pages`, so a listing without an
    /// end does not get as many again with each run; a crawl that was stopped
    /// there goes on once it is allowed more. The cursors of earlier runs are not
    /// remembered, but for the one it goes on from: a circle of cursors that
    /// spans two runs is found after at most one more round.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if the store cannot be read, or if it holds the
    /// checkpoint of another listing.
    pub async fn crawl<S: CheckpointStore>(self, store: S) -> Result<Crawl<S>, CheckpointError> {
        let id = self.id();
        let checkpoint = store.load().await?;
        if let Some(checkpoint) = &checkpoint {
            checkpoint.expect_listing(&id)?;
        }
        Ok(Crawl::new(Walk::resume(self, checkpoint), id, store))
    }
}
