//! A crawl: a listing that can be interrupted and resumed.

use super::{
    checkpoint::{Checkpoint, CheckpointError, CheckpointStore, Position},
    cursor::Cursor,
    listing::Listing,
    listing_id::ListingId,
    page::Page,
    walk::Walk,
};
use crate::{
    error::{ApiError, ConfigError},
    raw_object::RawObject,
};

/// A walk through a listing that stores its progress.
///
/// Take a page, process it, commit it. Only the commit saves the next cursor. So a
/// crash in between loses no page, and at most one page is delivered again. Processing
/// an item twice must therefore be harmless.
///
/// [`Listing::crawl`](super::Listing::crawl) describes the state that is kept between
/// runs.
#[derive(Debug)]
pub struct Crawl<S> {
    walk: Walk,
    id: ListingId,
    store: S,
    /// Whether a page was delivered and its commit has not begun.
    owes_a_commit: bool,
}

/// The state that a crawl finds in its store.
#[derive(Debug)]
#[must_use = "a crawl does nothing until its pages are read"]
pub enum CrawlStart<S> {
    /// There are pages to read.
    Pages(Crawl<S>),
    /// An earlier run has processed every page.
    Finished(FinishedCrawl<S>),
}

impl<S> CrawlStart<S> {
    /// The crawl, if there are pages to read.
    #[must_use]
    pub fn pages(self) -> Option<Crawl<S>> {
        match self {
            Self::Pages(crawl) => Some(crawl),
            Self::Finished(_) => None,
        }
    }
}

/// A crawl whose every page was processed by an earlier run.
#[derive(Debug)]
pub struct FinishedCrawl<S> {
    listing: Listing,
    store: S,
    pages: u32,
}

impl<S> FinishedCrawl<S> {
    /// The number of pages that all runs read.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Reads the listing again from its beginning. The first commit replaces the finished
    /// checkpoint.
    #[must_use]
    pub fn restart(self) -> Crawl<S> {
        Crawl::new(self.listing, self.store, None)
    }
}

impl Listing {
    /// Reads page after page and saves the progress in `store`. If the store has the
    /// checkpoint of an earlier run, the crawl continues from it, and if that run has
    /// finished, there is nothing to continue: see [`CrawlStart`].
    ///
    /// The pages of all runs count towards `max_pages`, so an endless listing stays
    /// within the limit however often the crawl runs. A crawl that was stopped at the
    /// limit continues if the limit is raised. Of the cursors of earlier runs, only the
    /// one in the checkpoint is known, so a loop of cursors that spans two runs is
    /// detected after at most one more round.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if the store cannot be read, or if it holds the
    /// checkpoint of another listing.
    pub async fn crawl<S: CheckpointStore>(
        self,
        store: S,
    ) -> Result<CrawlStart<S>, CheckpointError> {
        let checkpoint = store.load().await?;
        if let Some(checkpoint) = &checkpoint {
            checkpoint.expect_listing(&self.id())?;
            if *checkpoint.position() == Position::Done {
                return Ok(CrawlStart::Finished(FinishedCrawl {
                    listing: self,
                    store,
                    pages: checkpoint.pages(),
                }));
            }
        }
        Ok(CrawlStart::Pages(Crawl::new(self, store, checkpoint)))
    }
}

impl<S> Crawl<S> {
    fn new(listing: Listing, store: S, checkpoint: Option<Checkpoint>) -> Self {
        Self {
            id: listing.id(),
            walk: Walk::resume(listing, checkpoint),
            store,
            owes_a_commit: false,
        }
    }
}

impl<S: CheckpointStore> Crawl<S> {
    /// The next page; `None` after the last, after an error of the contract and after a
    /// page that was not committed.
    ///
    /// # Errors
    ///
    /// [`CrawlError::NotCommitted`] if the previous page was not committed, and
    /// [`CrawlError::Api`] as [`Pages::next_page`](super::Pages::next_page). Unless the
    /// crawl has ended, the position is unchanged: a later call tries the same page.
    pub async fn next_page(&mut self) -> Option<Result<UncommittedPage<'_, S>, CrawlError>> {
        if self.owes_a_commit {
            self.owes_a_commit = false;
            self.walk.stop();
            return Some(Err(CrawlError::NotCommitted));
        }
        match self.walk.fetch().await.transpose()? {
            Ok(page) => {
                self.owes_a_commit = true;
                Some(Ok(UncommittedPage { crawl: self, page }))
            }
            Err(error) => {
                if matches!(error, ApiError::Contract(_)) {
                    self.walk.stop();
                }
                Some(Err(error.into()))
            }
        }
    }

    /// Saves that the page with this `next_cursor` was processed, and moves on.
    async fn commit(&mut self, next_cursor: Option<Cursor>) -> Result<(), CheckpointError> {
        self.owes_a_commit = false;
        let position = Position::after(next_cursor);
        let checkpoint = Checkpoint::new(self.id.clone(), self.walk.pages, position);
        self.store.save(&checkpoint).await?;
        self.walk.advance(checkpoint.position().clone());
        Ok(())
    }
}

/// The reason why a crawl stopped before its listing ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// The previous page was not committed: the same page would be delivered again and
    /// again. The crawl ends.
    #[error(
        "the previous page was not committed; commit each page after it was processed, \
         and begin the crawl again to read that page again"
    )]
    NotCommitted,
    /// The next page could not be read.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// The previous page could not be committed. The next run delivers it again.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

impl From<ConfigError> for CrawlError {
    fn from(error: ConfigError) -> Self {
        Self::Api(error.into())
    }
}

/// A page that was read and not yet committed.
#[derive(Debug)]
#[must_use = "a page must be committed before the next one is read"]
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

    /// Takes the items out of the page; commit the returned page after you have
    /// processed them.
    pub fn into_items(mut self) -> (Vec<RawObject>, Self) {
        let items = std::mem::take(&mut self.page.items);
        (items, self)
    }

    /// Saves that this page was processed, and moves on.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if the progress could not be saved: the position is
    /// unchanged, and the page is delivered again.
    pub async fn commit(self) -> Result<(), CheckpointError> {
        self.crawl.commit(self.page.next_cursor).await
    }
}
