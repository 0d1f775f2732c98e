//! A listing broke the pagination contract or a limit of the caller's.

use super::RequestName;

/// Why a listing was stopped although its last response was in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContractError {
    /// A page named a cursor that this listing had already received: going on
    /// would read the same pages for ever.
    #[error(
        "{request} repeated a cursor on page {pages}: the listing is a loop; \
         tell the owner of the service, and do not take what was read for the whole"
    )]
    CursorRepeated {
        /// Which request it was.
        request: RequestName,
        /// Pages read, the one with the repeated cursor included.
        pages: u32,
        /// Requests put on the wire for that page.
        attempts: u32,
    },
    /// The service issued a cursor that no request can carry. Nothing was sent.
    #[error(
        "{request} cannot carry the cursor that it was given: its URL would have \
         {url_bytes} bytes, and at most {max_url_bytes} can be sent; \
         tell the owner of the service, and do not take what was read for the whole"
    )]
    CursorTooLong {
        /// Which request it was.
        request: RequestName,
        /// The length of the URL with the cursor, percent-encoded, in bytes.
        url_bytes: usize,
        /// The longest URL that can be sent, in bytes.
        max_url_bytes: usize,
    },
    /// `max_pages` pages were read and there are more.
    #[error(
        "{request} goes on after page {max_pages}, the last that may be read: \
         the listing was stopped, not finished; \
         allow more pages, or ask for less"
    )]
    PageLimit {
        /// Which request it was.
        request: RequestName,
        /// The limit.
        max_pages: u32,
    },
    /// `max_items` items were read and there are, or may be, more.
    #[error(
        "{request} goes on after item {max_items}, the last that may be taken: \
         the listing was stopped, not finished; \
         allow more items, or ask for less"
    )]
    ItemLimit {
        /// Which request it was.
        request: RequestName,
        /// The limit.
        max_items: u32,
    },
}

impl ContractError {
    /// Its name as a closed word, such as `cursor_repeated`.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::CursorRepeated { .. } => "cursor_repeated",
            Self::CursorTooLong { .. } => "cursor_too_long",
            Self::PageLimit { .. } => "page_limit",
            Self::ItemLimit { .. } => "item_limit",
        }
    }

    /// Requests put on the wire by the call that failed: 0 unless its response
    /// is what broke the contract.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        match self {
            Self::CursorRepeated { attempts, .. } => *attempts,
            Self::CursorTooLong { .. } | Self::PageLimit { .. } | Self::ItemLimit { .. } => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::teaching::endpoint::ENDLESS_ITEMS;

    #[test]
    fn says_that_what_was_read_is_not_the_whole() {
        let request = RequestName::new(&Method::GET, ENDLESS_ITEMS);
        for (error, text) in [
            (
                ContractError::PageLimit {
                    request,
                    max_pages: 5,
                },
                "GET /endless-items goes on after page 5, the last that may be read: the listing \
                 was stopped, not finished; allow more pages, or ask for less",
            ),
            (
                ContractError::ItemLimit {
                    request,
                    max_items: 7,
                },
                "GET /endless-items goes on after item 7, the last that may be taken: the listing \
                 was stopped, not finished; allow more items, or ask for less",
            ),
            (
                ContractError::CursorRepeated {
                    request,
                    pages: 3,
                    attempts: 1,
                },
                "GET /endless-items repeated a cursor on page 3: the listing is a loop; \
                 tell the owner of the service, and do not take what was read for the whole",
            ),
            (
                ContractError::CursorTooLong {
                    request,
                    url_bytes: 65_535,
                    max_url_bytes: 65_534,
                },
                "GET /endless-items cannot carry the cursor that it was given: its URL would \
                 have 65535 bytes, and at most 65534 can be sent; tell the owner of the \
                 service, and do not take what was read for the whole",
            ),
        ] {
            assert_eq!(error.to_string(), text);
        }
    }
}
