//! A JSON object as the text that came.
//!
//! A tree of values would round long numbers, sort the members, drop all but
//! one of those with the same name and refuse deep nesting, all before anybody
//! has asked for it. Text that is only checked loses nothing, and checking it
//! needs no stack however deep it is.

use std::fmt;

use serde::{
    Deserialize, Serialize,
    de::{Deserializer, Error as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    error::{JsonType, ResponseProblem},
    member_name::NameIn,
};

/// A JSON object as a tree of values, such as the body of a request. The object of a
/// response is a [`RawObject`].
pub type JsonObject = serde_json::Map<String, serde_json::Value>;

/// A JSON object of a response, kept as the text that came.
///
/// It is known to be well-formed (RFC 8259) and to be an object, and nothing of
/// it was changed: numbers of any length, the order of the members, members with
/// the same name and any depth of nesting are all there. What a program makes
/// of it is decided when it is read: as a type of its own with
/// [`parse`](Self::parse), as a tree with [`to_object`](Self::to_object), or as
/// [`text`](Self::text).
///
/// Two are equal if their texts are. `Debug` prints no content. `serde_json` writes it
/// as the text that came.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct RawObject(Box<RawValue>);

impl RawObject {
    /// The JSON text, from its `{` to its `}`.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The JSON text, taken out of the object.
    #[must_use]
    pub fn into_text(self) -> Box<str> {
        self.0.into()
    }

    /// Reads the object as a type of the caller's.
    ///
    /// ```no_run
    /// # use reliable_api_client::{ApiClient, Endpoint};
    /// # const RECORDS: Endpoint = Endpoint::new("records", "/records");
    /// # async fn example(client: ApiClient) -> Result<(), Box<dyn std::error::Error>> {
    /// #[derive(serde::Deserialize)]
    /// struct Record {
    ///     id: String,
    /// }
    ///
    /// let mut items = client.listing(RECORDS).items();
    /// while let Some(item) = items.next_item().await {
    ///     let item = item?;
    ///     let record: Record = item.parse()?;
    ///     println!("{}", record.id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`RawObjectError`] if the object does not fit the type, or exceeds what
    /// `serde_json` reads: 127 levels of nesting, numbers in the range of the
    /// type (or of `f64`), strings without half a surrogate pair.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, RawObjectError> {
        serde_json::from_str(self.text()).map_err(RawObjectError)
    }

    /// Reads the object as a tree of values.
    ///
    /// It no longer is what came: the members are sorted, of several with one
    /// name the last is left, and a number that is no `i64` or `u64` is rounded
    /// to an `f64`.
    ///
    /// # Errors
    ///
    /// [`RawObjectError`] if the object exceeds what `serde_json` reads, as with
    /// [`parse`](Self::parse).
    pub fn to_object(&self) -> Result<JsonObject, RawObjectError> {
        self.parse()
    }
}

impl PartialEq for RawObject {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for RawObject {}

impl fmt::Debug for RawObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RawObject(…)")
    }
}

/// Why a [`RawObject`] could not be read as what was asked for.
///
/// Neither `Display` nor `Debug` quotes the object. What `serde_json` says may
/// do so, and is therefore not the source of this error, but handed out by
/// [`into_inner`](Self::into_inner).
pub struct RawObjectError(serde_json::Error);

impl RawObjectError {
    /// What `serde_json` says. It may quote values of the object.
    #[must_use]
    pub fn into_inner(self) -> serde_json::Error {
        self.0
    }
}

impl fmt::Display for RawObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = &self.0;
        if error.is_data() {
            write!(
                f,
                "the object does not fit the type that was asked for at line {} column {}",
                error.line(),
                error.column()
            )
        } else {
            // A fixed text, such as "recursion limit exceeded", and the place.
            write!(f, "the object cannot be read: {error}")
        }
    }
}

impl fmt::Debug for RawObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawObjectError({self})")
    }
}

impl std::error::Error for RawObjectError {}

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
    pub(crate) fn keep(self) -> RawObject {
        RawObject(self.0.to_owned())
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
        while let Some(wanted) = members.next_key_seed(NameIn(&[self.0]))? {
            let value = members.next_value()?;
            if wanted.is_some() && found.replace(value).is_some() {
                return Err(A::Error::duplicate_field(self.0));
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn raw(text: &str) -> &RawValue {
        serde_json::from_str(text).expect("JSON")
    }

    fn object(text: &str) -> RawObject {
        ObjectText::of(raw(text)).expect("an object").keep()
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
            assert_eq!(&*object(text).into_text(), text);
        }
        let [one, spaced] = [r#"{"n":1}"#, r#"{"n": 1}"#].map(object);
        assert_ne!(one, spaced, "equal if their texts are");
    }

    #[test]
    fn is_read_as_a_type_a_tree_or_text() {
        #[derive(Deserialize, Debug, PartialEq)]
        struct Record<'a> {
            id: u128,
            name: &'a str,
        }
        let object = object(r#"{"name":"n","id":12345678901234567890123,"id2":null}"#);

        let record: Record<'_> = object.parse().expect("a record");
        let tree = object.to_object().expect("a tree");

        let id = 12_345_678_901_234_567_890_123;
        assert_eq!(record, Record { id, name: "n" });
        assert_eq!(tree["id2"], json!(null));
        assert_eq!(tree["id"], json!(1.2345678901234568e22));
    }

    #[test]
    fn says_why_it_cannot_be_read_and_quotes_nothing() {
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        for (text, why) in [
            (
                r#"{"n":"secret"}"#,
                "the object does not fit the type that was asked for at line 1 column 13",
            ),
            (
                deep.as_str(),
                "the object cannot be read: recursion limit exceeded at line 1 column 132",
            ),
            (
                r#"{"n":1e400}"#,
                "the object cannot be read: number out of range at line 1 column 10",
            ),
            (
                r#"{"a":"\ud800secret"}"#,
                "the object cannot be read: unexpected end of hex escape at line 1 column 13",
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

            assert_eq!(error.to_string(), why);
            assert_eq!(format!("{error:?}"), format!("RawObjectError({why})"));
            assert!(std::error::Error::source(&error).is_none());
            assert!(error.into_inner().line() == 1);
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
            let kept = ObjectText::of(raw(text)).map(ObjectText::keep);

            assert_eq!(kept, Err(found), "{text}");
        }
    }
}
