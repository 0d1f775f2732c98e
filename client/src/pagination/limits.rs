//! The limits of a listing: pages, items, and the size of a page.
//!
//! Exceeding a limit is an error, because the result is incomplete.

use std::num::NonZeroU32;

use serde::Deserialize;

/// The limits of a listing.
///
/// Each is a positive integer. They can be read from a configuration file: zero, a
/// negative number, a float and a boolean are refused there, and a limit that is not
/// given has its default.
///
/// ```
/// use reliable_api_client::ListingLimits;
///
/// let limits: ListingLimits = serde_json::from_str(r#"{"max_pages": 500}"#)?;
///
/// assert_eq!(limits.max_pages.get(), 500);
/// assert_eq!(limits.max_items, ListingLimits::DEFAULT.max_items);
/// assert!(serde_json::from_str::<ListingLimits>(r#"{"max_pages": 0}"#).is_err());
///
/// // In code, begin with the defaults.
/// let mut limits = ListingLimits::DEFAULT;
/// limits.max_items = 20_000.try_into().expect("not zero");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
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

impl Default for ListingLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
