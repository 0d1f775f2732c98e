//! The query of a page: its limit and the unchanged cursor.

use url::Url;

use super::cursor::Cursor;
use crate::{
    error::{ApiError, ConfigError, ContractError, RequestName},
    target::add_to_query,
};

/// The maximum length of an [`http::Uri`], and so of a URL that the transport can send.
const MAX_URL_BYTES: usize = 65_534;

/// The parameter of the query with the number of items to request.
const LIMIT: &str = "limit";
/// The parameter of the query with the cursor.
const CURSOR: &str = "cursor";

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
    /// [`ConfigError::QueryParameter`] if the query already has one of the parameters, and
    /// [`ContractError::CursorTooLong`] if no URL can carry the cursor.
    pub(crate) fn add_to(self, url: &mut Url, request: RequestName) -> Result<(), ApiError> {
        let is_there = |name: &&str| url.query_pairs().any(|(own, _)| own == *name);
        if let Some(name) = [LIMIT, CURSOR].into_iter().find(is_there) {
            return Err(ConfigError::QueryParameter { request, name }.into());
        }
        let query = self.after(url.query().unwrap_or_default());
        url.set_query(Some(&query));
        let url_bytes = url.as_str().len();
        if self.cursor.is_some() && url_bytes > MAX_URL_BYTES {
            let too_long = ContractError::CursorTooLong {
                request,
                url_bytes,
                max_url_bytes: MAX_URL_BYTES,
            };
            return Err(too_long.into());
        }
        Ok(())
    }

    fn after(self, query: &str) -> String {
        let mut query = query.to_owned();
        add_to_query(&mut query, LIMIT, &self.limit.to_string());
        if let Some(cursor) = self.cursor {
            add_to_query(&mut query, CURSOR, cursor.as_str());
        }
        query
    }
}

#[cfg(test)]
mod tests {
    use http::Method;
    use proptest::prelude::*;
    use url::form_urlencoded;

    use super::*;
    use crate::endpoint::Endpoint;

    fn page(cursor: Option<&Cursor>) -> PageQuery<'_> {
        PageQuery { limit: 50, cursor }
    }

    /// Whether a listing with this query of the caller's is sent.
    fn is_sent(query: &str) -> bool {
        let mut url = Url::parse(&format!("http://127.0.0.1/?{query}")).expect("a URL");
        let request = RequestName::new(&Method::GET, Endpoint::OTHER);
        match page(None).add_to(&mut url, request) {
            Ok(()) => true,
            Err(ApiError::Config(ConfigError::QueryParameter { .. })) => false,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_query_that_has_a_parameter_of_the_listing_is_refused_however_it_is_spelled() {
        for (query, expected) in [
            ("", true),
            ("state=limit&limits=1&Cursor=c&q=cursor%3D1", true),
            ("limit=5", false),
            ("state=open&cursor=", false),
            ("%6cimit=5", false),
            ("cursor", false),
        ] {
            assert_eq!(is_sent(query), expected, "{query}");
        }
    }

    proptest! {
        #[test]
        fn every_decoder_reads_a_cursor_back_byte_for_byte(
            cursor in any::<String>().prop_filter("a cursor", |cursor| !cursor.is_empty()),
        ) {
            let cursor = Cursor::new(cursor)?;
            let mut url = Url::parse("http://127.0.0.1/items")?;

            url.set_query(Some(&page(Some(&cursor)).after("")));

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
