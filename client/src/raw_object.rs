//! A JSON object as the text that came.
//!
//! A tree of values would round long numbers, sort the members, drop all but
//! one of those with the same name and refuse deep nesting, all before anybody
//! has asked for it. Text that is only checked loses nothing, and checking it
//! needs no stack however deep it is.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Serialize, Serializer,
    de::{Deserializer, Error as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::error::{ApiError, JsonType, Kept, Origin, ResponseProblem};

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
            let kept = Kept {
                detail: Some(error.to_string().into()),
                ..Kept::default()
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

/// An object within a body that was found to be well-formed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObjectText<'a>(&'a RawValue);

impl<'a> ObjectText<'a> {
    /// Takes an object; anything else is told by its type.
    pub(crate) fn of(value: &'a RawValue) -> Result<Self, JsonType> {
        match JsonType::of(value) {
            JsonType::Object => Ok(Self(value)),
            found => Err(found),
        }
    }

    /// The value of the member that must be there.
    ///
    /// A name given twice leaves the meaning open (RFC 8259 §4): some readers
    /// take the first member, some the last. Where a member decides how a
    /// listing goes on, that is refused and not guessed at.
    pub(crate) fn required(self, field: &'static str) -> Result<&'a RawValue, ResponseProblem> {
        let mut object = serde_json::Deserializer::from_str(self.0.get());
        match object.deserialize_map(Member(field)) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => Err(ResponseProblem::MissingField { field }),
            // The text is well-formed, so nothing but the visitor fails.
            Err(_) => Err(ResponseProblem::RepeatedField { field }),
        }
    }

    /// Copies the text out of the body.
    pub(crate) fn keep(self, origin: Origin) -> RawObject {
        RawObject {
            text: self.0.to_owned(),
            origin,
        }
    }
}

/// Looks through an object for the member of this name.
struct Member(&'static str);

impl<'de> Visitor<'de> for Member {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        // A name is text that came, too: one with half a surrogate pair is not the one that
        // is looked for, and no error.
        while let Some(name) = members.next_key::<&RawValue>()? {
            let value = members.next_value()?;
            let name = serde_json::from_str::<Cow<'_, str>>(name.get());
            if name.is_ok_and(|name| name == self.0) && found.replace(value).is_some() {
                return Err(A::Error::duplicate_field(self.0));
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> &RawValue {
        serde_json::from_str(text).expect("JSON")
    }

    fn object(text: &str) -> RawObject {
        let object = ObjectText::of(raw(text)).expect("an object");
        object.keep(Origin::default())
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
            let refused = ObjectText::of(raw(text)).err();

            assert_eq!(refused, Some(found), "{text}");
        }
    }
}
