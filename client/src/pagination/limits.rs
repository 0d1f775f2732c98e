//! The limits of a listing: pages, items, and the size of a page.
//!
//! A limit that is reached is an error: what was read is not the whole.

use std::num::NonZeroU32;

use crate::error::{ContractError, RequestName};

/// The limits of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListingLimits {
    /// The most pages that are read; in a crawl those up to the last commit, of all its
    /// runs together, and those that this run reads, one that is delivered again included.
    pub max_pages: NonZeroU32,
    /// The most items that are yielded one at a time.
    pub max_items: NonZeroU32,
    /// The number of items to ask for at once, sent as `limit`.
    pub page_size: NonZeroU32,
}

impl ListingLimits {
    /// 100 pages, 1000 items, 50 at once.
    pub const DEFAULT: Self = Self {
        max_pages: NonZeroU32::new(100).unwrap(),
        max_items: NonZeroU32::new(1000).unwrap(),
        page_size: NonZeroU32::new(50).unwrap(),
    };

    /// Whether a further page may be read after so many.
    pub(super) fn check_pages(self, request: RequestName, read: u32) -> Result<(), ContractError> {
        let max_pages = self.max_pages.get();
        // An earlier run of a crawl may have been allowed more.
        if read >= max_pages {
            return Err(ContractError::PageLimit { request, max_pages });
        }
        Ok(())
    }

    /// The error for a listing with more items than it may yield.
    pub(super) fn too_many_items(self, request: RequestName) -> ContractError {
        ContractError::ItemLimit {
            request,
            max_items: self.max_items.get(),
        }
    }
}
