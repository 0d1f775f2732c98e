//! Reading a listing item by item.

use std::vec;

use futures_core::Stream;
use futures_util::stream;
use http::Method;

use super::{listing::Listing, pages::Pages};
use crate::{
    error::{ApiError, ContractError, RequestName},
    raw_object::RawObject,
    telemetry::GiveUp,
};

/// The items of a listing, in order, one at a time.
#[derive(Debug)]
pub struct Items {
    pages: Pages,
    page: vec::IntoIter<RawObject>,
    left: u32,
    done: bool,
}

impl Listing {
    /// Reads item after item, page by page.
    pub fn items(self) -> Items {
        Items {
            left: self.limits.max_items.get(),
            pages: self.pages(),
            page: Vec::new().into_iter(),
            done: false,
        }
    }
}

impl Items {
    /// The next item; `None` after the last one, and after an error.
    ///
    /// At most `max_items` items are yielded. If there are more, an error follows.
    /// There are more if an unread item remains on the last page or if that page has a
    /// next cursor; no further request is sent to check.
    ///
    /// # Errors
    ///
    /// As [`Pages::next_page`], and [`ContractError::ItemLimit`].
    pub async fn next_item(&mut self) -> Option<Result<RawObject, ApiError>> {
        while !self.done {
            if self.left == 0 {
                self.done = true;
                let more = self.page.len() > 0 || !self.pages.walk.is_done();
                return more.then(|| Err(self.limit_reached()));
            }
            if let Some(item) = self.page.next() {
                self.left -= 1;
                return Some(Ok(item));
            }
            match self.pages.next_page().await {
                Some(Ok(page)) => self.page = page.items.into_iter(),
                Some(Err(error)) => {
                    self.done = true;
                    return Some(Err(error));
                }
                None => self.done = true,
            }
        }
        None
    }

    /// The items as a [`Stream`].
    pub fn into_stream(self) -> impl Stream<Item = Result<RawObject, ApiError>> + Send + Unpin {
        Box::pin(stream::unfold(self, async |mut items| {
            let item = items.next_item().await?;
            Some((item, items))
        }))
    }

    fn limit_reached(&self) -> ApiError {
        let listing = &self.pages.walk.listing;
        let endpoint = listing.target.endpoint();
        let limit = ContractError::ItemLimit {
            request: RequestName::new(&Method::GET, endpoint),
            max_items: listing.limits.max_items.get(),
        };
        listing.client.refuse(endpoint, GiveUp::ItemLimit, limit)
    }
}
