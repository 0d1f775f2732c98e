//! Reading a listing page by page.

use super::{checkpoint::Position, listing::Listing, page::Page, walk::Walk};
use crate::error::ApiError;

/// The pages of a listing, in order.
#[derive(Debug)]
pub struct Pages {
    pub(super) walk: Walk,
}

impl Listing {
    /// Reads page after page.
    pub fn pages(self) -> Pages {
        Pages {
            walk: Walk::resume(self, None),
        }
    }
}

impl Pages {
    /// The next page; `None` after the last one, and after an error.
    ///
    /// If the future is dropped before it is ready, nothing is lost: the next call
    /// reads the same page.
    ///
    /// # Errors
    ///
    /// Any class of [`ApiError`]: [`ApiError::Contract`] if a cursor repeats, or if
    /// `max_pages` pages were read and there are more.
    pub async fn next_page(&mut self) -> Option<Result<Page, ApiError>> {
        match self.walk.fetch().await.transpose()? {
            Ok(page) => {
                self.walk.advance(Position::after(page.next_cursor.clone()));
                Some(Ok(page))
            }
            Err(error) => {
                self.walk.stop();
                Some(Err(error))
            }
        }
    }
}
