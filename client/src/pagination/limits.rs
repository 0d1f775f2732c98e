//! The limits of a listing: pages, items, and the size of a page.
//!
//! Exceeding a limit is an error, because the result is incomplete.

use std::num::NonZeroU32;

use crate::error::{ContractError, RequestName};

/// The limits of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListingLimits {
    /// The maximum number of pages. For a crawl, this counts the pages of all runs up
    /// to the last commit plus the pages of the current run, repeated pages included.
    pub max_pages: NonZeroU32,
    /// The maximum number of items that [`Items`](super::Items) yields.
    pub max_items: NonZeroU32,
    /// The number of items to request per page, sent as `limit`.
    pub page_size: NonZeroU32,
}

impl ListingLimits {
    /// 100 pages, 1000 items, 50 items per page.
    pub const DEFAULT: Self = Self {
        max_pages: NonZeroU32::new(100).unwrap(),
        max_items: NonZeroU32::new(1000).unwrap(),
        page_size: NonZeroU32::new(50).unwrap(),
    };

    /// Fails if `read` pages have reached the maximum.
    pub(super) fn check_pages(self, request: RequestName, read: u32) -> Result<(), ContractError> {
        let max_pages = self.max_pages.get();
        // An earlier run of a crawl may have had a higher limit.
        if read >= max_pages {
            return Err(ContractError::PageLimit { request, max_pages });
        }
        Ok(())
    }

    /// Fails if a listing has `more` items after `max_items` of them were yielded: the
    /// caller gets exactly that many, and then the error.
    pub(super) fn check_items(self, request: RequestName, more: bool) -> Result<(), ContractError> {
        let max_items = self.max_items.get();
        if more {
            return Err(ContractError::ItemLimit { request, max_items });
        }
        Ok(())
    }
}
