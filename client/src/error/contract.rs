//! Errors of a listing that violates the pagination contract or exceeds a limit of the
//! caller.

use super::RequestName;

/// The reason why a listing was stopped although its last response was valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContractError {
    /// A page returned a cursor that this listing had already received: continuing
    /// would read the same pages forever.
    #[error(
        "{request} repeated a cursor on page {pages}: the listing is a loop, \
         and the result is incomplete; tell the owner of the service"
    )]
    CursorRepeated {
        /// Which request it was.
        request: RequestName,
        /// The number of pages read, including the one with the repeated cursor.
        pages: u32,
        /// The number of requests sent for that page.
        attempts: u32,
    },
    /// The service issued a cursor that is too long for a request. Nothing was sent.
    #[error(
        "{request} cannot send its cursor: the URL would have {url_bytes} bytes, \
         and the maximum is {max_url_bytes}, so the result is incomplete; \
         tell the owner of the service"
    )]
    CursorTooLong {
        /// Which request it was.
        request: RequestName,
        /// The length of the URL with the cursor, percent-encoded, in bytes.
        url_bytes: usize,
        /// The maximum length of a URL, in bytes.
        max_url_bytes: usize,
    },
    /// `max_pages` pages were read and there are more.
    #[error(
        "{request} reached the limit of {max_pages} pages before the end of the listing: \
         the result is incomplete; allow more pages, or ask for less"
    )]
    PageLimit {
        /// Which request it was.
        request: RequestName,
        /// The limit.
        max_pages: u32,
    },
    /// `max_items` items were read and there are, or may be, more.
    #[error(
        "{request} reached the limit of {max_items} items before the end of the listing: \
         the result is incomplete; allow more items, or ask for less"
    )]
    ItemLimit {
        /// Which request it was.
        request: RequestName,
        /// The limit.
        max_items: u32,
    },
}

impl ContractError {
    /// Its name from a fixed set, such as `cursor_repeated`.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::CursorRepeated { .. } => "cursor_repeated",
            Self::CursorTooLong { .. } => "cursor_too_long",
            Self::PageLimit { .. } => "page_limit",
            Self::ItemLimit { .. } => "item_limit",
        }
    }

    /// The number of requests sent by the failed call: 0 unless its response violated
    /// the contract.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        match self {
            Self::CursorRepeated { attempts, .. } => *attempts,
            Self::CursorTooLong { .. } | Self::PageLimit { .. } | Self::ItemLimit { .. } => 0,
        }
    }
}
