//! A crawl: a listing that can be interrupted and resumed.

use std::fmt;

use super::{
    checkpoint::{Checkpoint, CheckpointError, CheckpointStore, Position},
    listing::Listing,
    listing_id::ListingId,
    page::Page,
    walk::Walk,
};
use crate::{error::ApiError, raw_object::RawObject};

/// A walk through a listing that remembers how far it came.
///
/// Take a page, process it, commit it. Only the commit saves the next cursor. So
/// a crash in between loses no page, and at most one page is delivered again:
/// processing an item twice must do no harm.
///
/// [`Listing::crawl`](super::Listing::crawl) says what is remembered from one run
/// to the next.
pub struct Crawl<S> {
    walk: Walk,
    id: ListingId,
    store: S,
}

impl Listing {
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

impl<S: CheckpointStore> Crawl<S> {
    pub(super) fn new(walk: Walk, id: ListingId, store: S) -> Self {
        Self { walk, id, store }
    }

    /// The next page; `None` after the last. Without a commit in between it is
    /// the same page again.
    ///
    /// # Errors
    ///
    /// As [`Pages::next_page`](super::Pages::next_page). The crawl stays where
    /// it was: a later call tries the same page.
    pub async fn next_page(&mut self) -> Result<Option<UncommittedPage<'_, S>>, ApiError> {
        let page = self.walk.fetch().await?;
        Ok(page.map(|page| UncommittedPage { crawl: self, page }))
    }
}

impl<S> fmt::Debug for Crawl<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crawl")
            .field("listing", &self.walk.listing)
            .finish_non_exhaustive()
    }
}

/// A page that was read and not yet committed.
#[must_use = "a page that is not committed is delivered again"]
pub struct UncommittedPage<'a, S> {
    crawl: &'a mut Crawl<S>,
    page: Page,
}

impl<S: CheckpointStore> UncommittedPage<'_, S> {
    /// The items of the page.
    #[must_use]
    pub fn items(&self) -> &[RawObject] {
        &self.page.items
    }

    /// Remembers that this page was processed, and moves on.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if it could not be saved: the crawl stays where it
    /// was, and the page is delivered again. This holds after
    /// [`CheckpointError::NotFlushed`], too; but another run would start after
    /// this page.
    pub async fn commit(self) -> Result<(), CheckpointError> {
        let Crawl { walk, id, store } = self.crawl;
        let checkpoint = Checkpoint {
            listing: id.clone(),
            pages: walk.pages(),
            position: Position::after(self.page.next_cursor),
        };
        store.save(&checkpoint).await?;
        walk.advance(checkpoint.position);
        Ok(())
    }
}

impl<S> fmt::Debug for UncommittedPage<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UncommittedPage")
            .field("page", &self.page)
            .finish_non_exhaustive()
    }
}
