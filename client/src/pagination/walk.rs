//! The pagination contract: where a listing stands, and what may come next.

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
    error::{ApiError, RequestName},
    request::Call,
    telemetry::GiveUp,
};

/// A walk through a listing.
///
/// [`fetch`](Self::fetch) reads the page at the present position as often as it
/// is asked to; only [`advance`](Self::advance) moves on. So a page that was not
/// processed is simply read again, and a future dropped halfway loses nothing.
pub(super) struct Walk {
    pub(super) listing: Listing,
    /// `None` at the start.
    position: Option<Position>,
    history: CursorHistory,
    /// Pages read, each as often as it was: what was dropped halfway or failed
    /// does not count, and a crawl that forgets to commit still comes to an end.
    pages: u32,
}

impl Walk {
    /// A walk from the beginning, or from where an earlier one stood.
    pub(super) fn resume(listing: Listing, checkpoint: Option<Checkpoint>) -> Self {
        let mut walk = Self {
            listing,
            position: None,
            history: CursorHistory::default(),
            pages: 0,
        };
        if let Some(checkpoint) = checkpoint {
            walk.pages = checkpoint.pages;
            walk.advance(checkpoint.position);
        }
        walk
    }

    /// Whether there is no page left to fetch.
    pub(super) fn is_done(&self) -> bool {
        self.position == Some(Position::Done)
    }

    /// Pages read, in earlier runs too.
    pub(super) fn pages(&self) -> u32 {
        self.pages
    }

    /// Reads the page at the present position; `None` after the last.
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
        if let Err(limit) = limits.check_pages(request, self.pages) {
            return Err(client.refuse(endpoint, GiveUp::PageLimit, limit));
        }

        let call = Call {
            page: Some(PageQuery {
                limit: limits.page_size.get(),
                cursor,
            }),
            ..Call::get(target)
        };
        // The cursor is checked inside the call, so that its operation span ends
        // with the error and not with an "ok" before it.
        let page = client.exchange(call, |response| {
            let attempts = response.attempts;
            let page = Page::of(response)?;
            self.pages += 1;
            let next = page.next_cursor.as_ref();
            let checked = next.map(|next| self.history.check(next, request, self.pages, attempts));
            if let Some(Err(repeated)) = checked {
                let metrics = client.metrics().operation(endpoint, &Method::GET);
                metrics.cursor_loop();
                return Err(repeated.into());
            }
            Ok(page)
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

    /// Ends the walk where it stands.
    pub(super) fn stop(&mut self) {
        self.position = Some(Position::Done);
    }
}

impl Position {
    /// Where a listing stands after a page with this `next_cursor`: null, and
    /// nothing else, ends it.
    pub(super) fn after(next_cursor: Option<Cursor>) -> Self {
        next_cursor.map_or(Self::Done, Self::At)
    }
}
