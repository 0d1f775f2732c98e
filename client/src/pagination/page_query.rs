//! The query of a page: `limit` and the unchanged cursor.

use url::Url;

use super::cursor::Cursor;
use crate::{
    error::{ContractError, RequestName},
    target::add_to_query,
};

/// The maximum length of an [`http::Uri`], and so of a URL that the transport can send.
const MAX_URL_BYTES: usize = 65_534;

/// The page of a listing that is requested.
#[derive(Clone, Copy)]
pub(crate) struct PageQuery<'a> {
    pub(crate) limit: u32,
    /// `None` for the first page.
    pub(crate) cursor: Option<&'a Cursor>,
}

impl PageQuery<'_> {
    /// Adds the query of a page to that of `url`.
    ///
    /// # Errors
    ///
    /// [`ContractError::CursorTooLong`] if no URL can carry the cursor.
    pub(crate) fn add_to(self, url: &mut Url, request: RequestName) -> Result<(), ContractError> {
        let query = self.after(url.query().unwrap_or_default());
        url.set_query(Some(&query));
        let url_bytes = url.as_str().len();
        if self.cursor.is_some() && url_bytes > MAX_URL_BYTES {
            return Err(ContractError::CursorTooLong {
                request,
                url_bytes,
                max_url_bytes: MAX_URL_BYTES,
            });
        }
        Ok(())
    }

    fn after(self, query: &str) -> String {
        let mut query = query.to_owned();
        add_to_query(&mut query, "limit", &self.limit.to_string());
        if let Some(cursor) = self.cursor {
            add_to_query(&mut query, "cursor", cursor.as_str());
        }
        query
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::form_urlencoded;

    use super::*;

    fn encode(cursor: &str) -> String {
        let cursor = Cursor::new(cursor).expect("not empty");
        let query = PageQuery {
            limit: 50,
            cursor: Some(&cursor),
        };
        query.after("")
    }

    proptest! {
        #[test]
        fn every_decoder_reads_a_cursor_back_byte_for_byte(
            cursor in any::<String>().prop_filter("a cursor", |cursor| !cursor.is_empty()),
        ) {
            let mut url = Url::parse("http://127.0.0.1/items")?;

            url.set_query(Some(&encode(&cursor)));

            let sent = url.query().expect("a query");
            let form: Vec<_> = form_urlencoded::parse(sent.as_bytes()).collect();
            prop_assert_eq!(form, [("limit".into(), "50".into()), ("cursor".into(), cursor.as_str().into())]);
            let (_, value) = sent.split_once("&cursor=").expect("a cursor");
            // So a decoder of forms, to which a plus is a blank, and one that knows only
            // `%XX` (RFC 3986 §2.1) read the same.
            prop_assert!(!value.contains('+'), "{}", value);
        }
    }
}
