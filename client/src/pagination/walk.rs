//! The pagination contract: the position of a listing, and the pages that may follow.

use http::Method;

use super::{
    checkpoint::{Checkpoint, Position},
    cursor::Cursor,
    cursor_history::CursorHistory,
    listing::Listing,
    page::Page,
    page_query::PageQuery,
};
use crate::{
    error::{ApiError, ContractError, RequestName},
    request::Outgoing,
    telemetry::GiveUp,
};

/// A walk through a listing.
///
/// [`fetch`](Self::fetch) reads the page at the current position; only
/// [`advance`](Self::advance) changes the position. So a page that was not processed is
/// read again, and a dropped future loses nothing.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) listing: Listing,
    /// `None` at the start.
    position: Option<Position>,
    history: CursorHistory,
    /// The number of page reads, repeated reads included, so that a crawl that never
    /// commits also reaches the limit. Cancelled and failed reads do not count.
    pub(super) pages: u32,
}

impl Walk {
    /// A walk from the beginning, or from the checkpoint of an earlier one.
    pub(super) fn resume(listing: Listing, checkpoint: Option<Checkpoint>) -> Self {
        let mut walk = Self {
            listing,
            position: None,
            history: CursorHistory::default(),
            pages: 0,
        };
        if let Some(checkpoint) = checkpoint {
            walk.pages = checkpoint.pages();
            walk.advance(checkpoint.position().clone());
        }
        walk
    }

    /// Whether there is no page left to fetch.
    pub(super) fn is_done(&self) -> bool {
        self.position == Some(Position::Done)
    }

    /// Reads the page at the current position; `None` after the last.
    pub(super) async fn fetch(&mut self) -> Result<Option<Page>, ApiError> {
        let cursor = match &self.position {
            None => None,
            Some(Position::At(cursor)) => Some(cursor),
            Some(Position::Done) => return Ok(None),
        };
        let Listing {
            client,
            target,
            limits,
        } = &self.listing;
        let endpoint = target.endpoint();
        let request = RequestName::new(&Method::GET, endpoint);
        let max_pages = limits.max_pages.get();
        // An earlier run of a crawl may have had a higher limit.
        if self.pages >= max_pages {
            let limit = ContractError::PageLimit { request, max_pages };
            return Err(client.refuse(endpoint, GiveUp::PageLimit, limit));
        }

        let page = PageQuery {
            limit: limits.page_size.get(),
            cursor,
        };
        // The cursor is checked inside the call, so that the operation span ends with
        // this error instead of "ok".
        let mut outgoing = Outgoing::new(Method::GET);
        let page = client.exchange(target, &mut outgoing, Some(page), |response| {
            let response = response.success()?;
            let attempts = response.attempts();
            let page = Page::of(&response)?;
            self.pages += 1;
            let next = page.next_cursor.as_ref();
            if !next.is_some_and(|next| self.history.contains(next)) {
                return Ok(page);
            }
            let metrics = client.inner.metrics.operation(endpoint, &Method::GET);
            metrics.cursor_loop();
            let repeated = ContractError::CursorRepeated {
                request,
                pages: self.pages,
                attempts,
            };
            Err(repeated.into())
        });
        page.await.map(Some)
    }

    /// Moves on.
    pub(super) fn advance(&mut self, next: Position) {
        if let Position::At(cursor) = &next {
            self.history.insert(cursor);
        }
        self.position = Some(next);
    }

    /// Ends the walk at the current position.
    pub(super) fn stop(&mut self) {
        self.position = Some(Position::Done);
    }
}

impl Position {
    /// The position after a page with this `next_cursor`; only null ends the listing.
    pub(super) fn after(next_cursor: Option<Cursor>) -> Self {
        next_cursor.map_or(Self::Done, Self::At)
    }
}
