//! A JSON object as the text that came.
//!
//! A tree of values would round long numbers, sort the members, drop all but
//! one of those with the same name and refuse deep nesting, all before anybody
//! has asked for it. Text that is only checked loses nothing, and checking it
//! needs no stack however deep it is.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{ApiError, JsonType, KeptResponse, Origin, ResponseProblem};

/// A JSON object as a tree of values, such as the body of a job.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;

/// An item of a page: a JSON object, kept as the text that came.
///
/// It is a [`RawValue`] that is known to be an object, so nothing of it was changed:
/// numbers of any length, the order of the members, members with the same name and any
/// depth of nesting are all there. `serde_json` writes it as the text that came.
///
/// Two are equal if their texts are. `Debug` prints no content.
#[derive(Clone)]
pub struct RawObject {
    text: Box<RawValue>,
    origin: Origin,
}

impl RawObject {
    /// Copies an object out of the body of a response; anything else is told by its type.
    pub(crate) fn of(value: &RawValue, origin: Origin) -> Result<Self, JsonType> {
        match JsonType::of(value) {
            JsonType::Object => Ok(Self {
                text: value.to_owned(),
                origin,
            }),
            found => Err(found),
        }
    }

    /// The JSON text, from its `{` to its `}`.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.get()
    }

    /// Reads the object as a type of the caller's, such as [`JsonObject`].
    ///
    /// ```no_run
    /// use reliable_api_client::{ApiClient, ApiError, Endpoint};
    ///
    /// const RECORDS: Endpoint = Endpoint::new("records", "/records");
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Record {
    ///     id: String,
    /// }
    ///
    /// async fn print(client: &ApiClient) -> Result<(), ApiError> {
    ///     let mut items = client.listing(RECORDS).items();
    ///     while let Some(item) = items.next_item().await {
    ///         let Record { id } = item?.parse()?;
    ///         println!("{id}");
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ApiError::Response`] as for [`ApiResponse::json`](crate::ApiResponse::json).
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, ApiError> {
        serde_json::from_str(self.text()).map_err(|error| {
            let kept = KeptResponse {
                detail: Some(error.to_string().into()),
                ..KeptResponse::default()
            };
            self.origin
                .error(ResponseProblem::does_not_fit(&error), kept)
        })
    }
}

impl PartialEq for RawObject {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for RawObject {}

impl Serialize for RawObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl fmt::Debug for RawObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RawObject(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> &RawValue {
        serde_json::from_str(text).expect("JSON")
    }

    fn object(text: &str) -> RawObject {
        RawObject::of(raw(text), Origin::default()).expect("an object")
    }

    #[test]
    fn keeps_what_a_tree_would_lose() {
        for text in [
            r#"{"n":12345678901234567890123}"#,
            r#"{"n":1e-400,"m":1E+400,"o":1.50}"#,
            r#"{"b":1,"a":2,"b":3}"#,
            r#"{ "a" : [ ] }"#,
            r#"{"half":"\ud800","\udc00":1}"#,
        ] {
            assert_eq!(object(text).text(), text);
            assert_eq!(serde_json::to_string(&object(text)).expect("JSON"), text);
        }
        let [one, spaced] = [r#"{"n":1}"#, r#"{"n": 1}"#].map(object);
        assert_ne!(one, spaced, "equal if their texts are");
    }

    #[test]
    fn an_error_names_the_call_and_the_place_and_quotes_nothing() {
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        for (text, column, detail) in [
            (r#"{"n":"secret"}"#, 13, "secret"),
            (deep.as_str(), 132, "recursion limit exceeded"),
            (r#"{"n":1e400}"#, 10, "number out of range"),
            (
                r#"{"a":"\ud800secret"}"#,
                13,
                "unexpected end of hex escape",
            ),
        ] {
            #[derive(Deserialize, Debug)]
            struct Numbers {
                #[serde(default, rename = "n")]
                _n: f64,
                #[serde(default, rename = "a")]
                _a: serde_json::Value,
            }

            let error = object(text)
                .parse::<Numbers>()
                .expect_err("it does not fit");

            let ApiError::Response(error) = &error else {
                panic!("another class: {error}")
            };
            let expected = format!(
                "GET / returned 200 OK after 1 attempt, but it does not fit the type that was \
                 asked for (line 1, column {column}): correct the type, or tell the owner of the \
                 service; another request would get the same response"
            );
            assert_eq!(error.to_string(), expected);
            assert!(error.detail().is_some_and(|said| said.contains(detail)));
            assert!(!format!("{error:?}").contains("secret"));
        }
    }

    #[test]
    fn anything_but_an_object_is_told_by_its_type() {
        for (text, found) in [
            ("null", JsonType::Null),
            ("true", JsonType::Boolean),
            ("false", JsonType::Boolean),
            ("-1e9", JsonType::Number),
            ("0", JsonType::Number),
            (r#""{}""#, JsonType::String),
            ("[{}]", JsonType::Array),
        ] {
            let refused = RawObject::of(raw(text), Origin::default()).err();

            assert_eq!(refused, Some(found), "{text}");
        }
    }
}
