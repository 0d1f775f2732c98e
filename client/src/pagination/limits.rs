//! The limits of a listing: pages, items, and the size of a page.
//!
//! Exceeding a limit is an error, because the result is incomplete.

use std::num::NonZeroU32;

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
}
