//! The internal request routine: endpoint → send → response.
//!
//! Every call of every client method comes through here, so the headers, the
//! extensions that the retry rules read, the operation span and the
//! normalisation of errors are each written once.

use http::{
    Extensions, HeaderValue, Method,
    header::{ACCEPT, CONTENT_TYPE},
};
use reqwest::Request;
use tracing::Instrument;
use url::form_urlencoded;

use crate::{
    api::{JsonObject, ReliableApiClient},
    endpoint::Endpoint,
    error::{ApiError, ApiTransportError, ContractError, RequestName},
    idempotency_key::IdempotencyKey,
    pagination::Cursor,
    response::ApiResponse,
    retry::{RepeatPermission, RetryReport},
    telemetry::{AttemptCount, GiveUp, OpenCall},
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The longest URL that [`http::Uri`] holds, and so the longest that the
/// transport can send.
const MAX_URL_BYTES: usize = 65_534;

/// One request to be made, with whatever retries it takes.
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    pub(crate) endpoint: Endpoint,
    pub(crate) page: Option<PageQuery<'a>>,
    pub(crate) key: Option<&'a IdempotencyKey>,
    pub(crate) body: Option<&'a JsonObject>,
    pub(crate) permission: Option<RepeatPermission>,
}

/// Which page of a listing is asked for.
#[derive(Clone, Copy)]
pub(crate) struct PageQuery<'a> {
    pub(crate) limit: u32,
    /// `None` for the first page.
    pub(crate) cursor: Option<&'a Cursor>,
}

impl PageQuery<'_> {
    /// The query string. A space becomes `%20`: the `+` of forms is a plus sign
    /// to whoever decodes by RFC 3986 §2.1 alone, and a cursor has to come back
    /// byte for byte whichever of the two the service does.
    fn encode(self) -> String {
        let mut query = format!("limit={}", self.limit);
        if let Some(cursor) = self.cursor {
            let encoded: String =
                form_urlencoded::byte_serialize(cursor.as_str().as_bytes()).collect();
            query.push_str("&cursor=");
            query.push_str(&encoded.replace('+', "%20"));
        }
        query
    }
}

impl Call<'_> {
    /// A GET without a query.
    pub(crate) const fn get(endpoint: Endpoint) -> Self {
        Self {
            method: Method::GET,
            endpoint,
            page: None,
            key: None,
            body: None,
            permission: None,
        }
    }
}

impl ReliableApiClient {
    /// Makes a call and reads its response, as one operation of the trace.
    pub(crate) async fn exchange<T>(
        &self,
        call: Call<'_>,
        read: impl FnOnce(ApiResponse) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let open = self.open_call(call.endpoint, &call.method);
        let sent = self.send(call, open.attempts());
        let result = sent.instrument(open.span().clone()).await.and_then(read);
        open.end(&result);
        result
    }

    /// Counts a call of a listing that a limit of the caller's ends before any
    /// request.
    pub(crate) fn refuse(&self, endpoint: Endpoint, why: GiveUp, error: ContractError) -> ApiError {
        let metrics = self.metrics().operation(endpoint, &Method::GET);
        metrics.give_up(why);
        let result = Err::<(), _>(ApiError::from(error));
        self.open_call(endpoint, &Method::GET).end(&result);
        error.into()
    }

    fn open_call(&self, endpoint: Endpoint, method: &Method) -> OpenCall<'_> {
        OpenCall::begin(self.metrics(), endpoint, method, self.clock())
    }

    async fn send(&self, call: Call<'_>, attempts: AttemptCount) -> Result<ApiResponse, ApiError> {
        let name = RequestName::new(&call.method, call.endpoint);
        let mut extensions = Extensions::new();
        extensions.insert(call.endpoint);
        extensions.insert(self.timeouts());
        extensions.insert(self.settings());
        extensions.insert(attempts);
        if let Some(permission) = call.permission {
            extensions.insert(permission);
        }

        let request = self.request(&call, name)?;
        let result = self
            .http()
            .execute_with_extensions(request, &mut extensions)
            .await;

        let report = extensions.get::<RetryReport>().copied();
        let report = report.unwrap_or_default();
        match result {
            Ok(response) => Ok(ApiResponse::read(name, response, &report).await),
            Err(error) => Err(ApiError::Transport(ApiTransportError {
                attempts: report.attempts,
                stopped: report.stopped,
                ..ApiTransportError::of(name, error)
            })),
        }
    }

    /// Builds the request; fails if its cursor is too long for any URL.
    fn request(&self, call: &Call<'_>, name: RequestName) -> Result<Request, ContractError> {
        let mut url = self.url(call.endpoint);
        if let Some(page) = call.page {
            url.set_query(Some(&page.encode()));
            let url_bytes = url.as_str().len();
            if page.cursor.is_some() && url_bytes > MAX_URL_BYTES {
                return Err(ContractError::CursorTooLong {
                    request: name,
                    url_bytes,
                    max_url_bytes: MAX_URL_BYTES,
                });
            }
        }
        let mut request = Request::new(call.method.clone(), url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, JSON);
        if let Some(key) = call.key {
            headers.insert(IdempotencyKey::HEADER, key.header_value());
        }
        if let Some(body) = call.body {
            headers.insert(CONTENT_TYPE, JSON);
            let body = serde_json::to_vec(body).expect("a map with string keys is JSON");
            *request.body_mut() = Some(body.into());
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Decodes `%XX` and nothing else (RFC 3986 §2.1).
    fn percent_decode(text: &str) -> Vec<u8> {
        let mut parts = text.split('%');
        let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            let (digits, rest) = part.split_at(2);
            bytes.push(u8::from_str_radix(digits, 16).expect("two hexadecimal digits"));
            bytes.extend(rest.as_bytes());
        }
        bytes
    }

    fn encode(cursor: &str) -> String {
        let cursor = Cursor::new(cursor).expect("not empty");
        let query = PageQuery {
            limit: 50,
            cursor: Some(&cursor),
        };
        query.encode()
    }

    #[test]
    fn a_cursor_is_percent_encoded_and_its_spaces_too() {
        for (cursor, query) in [
            ("a+/=&", "limit=50&cursor=a%2B%2F%3D%26"),
            (" a b ", "limit=50&cursor=%20a%20b%20"),
            ("%20+", "limit=50&cursor=%2520%2B"),
            ("\u{0}\u{e9}#", "limit=50&cursor=%00%C3%A9%23"),
        ] {
            assert_eq!(encode(cursor), query, "{cursor:?}");
        }
    }

    proptest! {
        #[test]
        fn every_decoder_reads_a_cursor_back_byte_for_byte(
            cursor in any::<String>().prop_filter("a cursor", |cursor| !cursor.is_empty()),
        ) {
            let mut url = url::Url::parse("http://127.0.0.1/items")?;

            url.set_query(Some(&encode(&cursor)));

            let sent = url.query().expect("a query");
            let form: Vec<_> = form_urlencoded::parse(sent.as_bytes()).collect();
            prop_assert_eq!(form, [("limit".into(), "50".into()), ("cursor".into(), cursor.as_str().into())]);
            let (_, value) = sent.split_once("&cursor=").expect("a cursor");
            prop_assert_eq!(percent_decode(value), cursor.as_bytes());
        }
    }
}
