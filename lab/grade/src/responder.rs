//! The interface of the service of one case: what it receives and how it replies.

use std::time::{Duration, SystemTime};

use axum::{body::Bytes, response::Response};
use tokio::sync::OwnedSemaphorePermit;

use crate::Goal;

/// The service of one case.
pub(crate) trait Responder: Send {
    fn respond(&mut self, request: &Received) -> Reply;

    /// The result that the caller must have, once everything was served.
    fn goal(&self) -> Goal;

    /// The query of its URL, to which a client adds its cursor; empty for none.
    fn query(&self) -> String {
        String::new()
    }

    /// Whether it needs a second origin, with a listener of its own, to which it redirects.
    fn has_second_origin(&self) -> bool {
        false
    }
}

/// A response, and the intended call of its request if there are several.
pub(crate) struct Reply {
    pub(crate) response: Response,
    pub(crate) call: Option<u64>,
    /// The time until it is sent.
    pub(crate) takes: Duration,
    /// The worker that is busy until then.
    pub(crate) worker: Option<OwnedSemaphorePermit>,
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self {
            response,
            call: None,
            takes: Duration::ZERO,
            worker: None,
        }
    }
}

/// A request of the task's own method, as a case receives it.
pub(crate) struct Received {
    /// Its path, as far as the task knows it.
    pub(crate) path: String,
    /// The prefix of a path in the URLs of this case.
    pub(crate) base_url: String,
    /// The second origin, if the case has one and this is not a request to it.
    pub(crate) second_origin: Option<String>,
    /// When it came, by the calendar.
    pub(crate) at: SystemTime,
    /// Whether it is the first on its connection.
    pub(crate) is_fresh: bool,
    /// The parameters of its query, decoded.
    pub(crate) query: Vec<(String, String)>,
    /// Its idempotency key.
    pub(crate) key: Option<String>,
    pub(crate) body: Bytes,
}

/// The parameter of a query that asks for a page.
const CURSOR: &str = "cursor";

impl Received {
    /// The first request on its connection, for this path.
    pub(crate) fn of(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            base_url: String::new(),
            second_origin: None,
            at: SystemTime::UNIX_EPOCH,
            is_fresh: true,
            query: Vec::new(),
            key: None,
            body: Bytes::new(),
        }
    }

    /// The number of the page that it asks for, the first being 0, if each of these
    /// cursors leads to the next one; none for another cursor.
    pub(crate) fn page(&self, cursors: &[String]) -> Option<usize> {
        let mut parameters = self.query.iter();
        match parameters.find(|(name, _)| name == CURSOR) {
            None => Some(0),
            Some((_, cursor)) => Some(cursors.iter().position(|issued| issued == cursor)? + 1),
        }
    }

    /// Asks for the page of this cursor from now on; for the first one without it.
    #[cfg(test)]
    pub(crate) fn set_cursor(&mut self, cursor: Option<String>) {
        self.query.retain(|(name, _)| name != CURSOR);
        let cursor = cursor.map(|cursor| (CURSOR.to_owned(), cursor));
        self.query.extend(cursor);
    }
}
