//! The checks of a response, in the order of the contract:
//!
//! 1. HTTP success: [`ApiResponse::success`];
//! 2. the JSON media type: [`ApiResponse::json_body`];
//! 3. a top-level object, where one is promised: [`ApiResponse::read`];
//! 4. of a page, that `items` is an array of objects, and
//! 5. the type of `next_cursor`: [`Page::of`](crate::Page). Each other endpoint checks
//!    its own required fields in the same way.
//!
//! A 204 is an empty success and never parsed: [`ApiResponse::no_content`].

use std::{borrow::Cow, fmt};

use http::{HeaderMap, StatusCode, header::CONTENT_TYPE};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::{
    api_response::ApiResponse,
    error::{ApiError, JsonType, ResponseProblem},
};

impl ApiResponse {
    /// Keeps a 2xx; every other status is an [`ApiError::Http`].
    pub(crate) fn success(self) -> Result<Self, ApiError> {
        if self.status().is_success() {
            return Ok(self);
        }
        Err(self.into_http_error())
    }

    /// Keeps a success whose body is valid JSON or empty. That of a 204 is not looked at.
    pub(crate) fn valid(self) -> Result<Self, ApiError> {
        let response = self.success()?;
        if response.status() == StatusCode::NO_CONTENT || response.body().is_empty() {
            return Ok(response);
        }
        match response.valid_json() {
            Ok(_) => Ok(response),
            Err(problem) => Err(response.problem(problem)),
        }
    }

    /// Passes these members of the top-level object of a success to `read`.
    pub(crate) fn read<T, const N: usize>(
        &self,
        names: [&'static str; N],
        read: impl FnOnce([Member<'_>; N]) -> Result<T, ResponseProblem>,
    ) -> Result<T, ApiError> {
        let members = self.json_body().and_then(|body| members(body, names));
        members
            .and_then(read)
            .map_err(|problem| self.problem(problem))
    }

    /// The body, if the media type is JSON.
    pub(crate) fn json_body(&self) -> Result<&[u8], ResponseProblem> {
        if self.status() == StatusCode::NO_CONTENT {
            return Err(ResponseProblem::NoContent);
        }
        if !is_json(self.headers()) {
            return Err(ResponseProblem::NotJson);
        }
        Ok(self.body())
    }

    /// The body as text that is valid JSON.
    ///
    /// It is validated without building a tree or recursing, so deep nesting can neither
    /// overflow the stack nor be rejected.
    fn valid_json(&self) -> Result<&RawValue, ResponseProblem> {
        serde_json::from_slice(self.json_body()?).map_err(invalid_json)
    }

    /// Checks that this is a 204, whatever the media type; its body is not read.
    pub(crate) fn no_content(self) -> Result<(), ApiError> {
        let response = self.success()?;
        match response.status() {
            StatusCode::NO_CONTENT => Ok(()),
            _ => Err(response.problem(ResponseProblem::UnexpectedStatus)),
        }
    }
}

/// Whether the `Content-Type` says JSON: `application/json`, or any type with
/// the structured suffix `+json` (RFC 6839 §3.1).
///
/// Parameters such as a charset, and letter case, do not matter (RFC 9110 §8.3.1). A
/// subtype that consists only of the suffix is accepted, because the contract requires
/// only the ending. A body without a `Content-Type` does not count as JSON.
#[must_use]
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| names_json(value.as_bytes()))
}

/// The parameters may hold any byte but control characters (RFC 9110 §5.6.4).
fn names_json(value: &[u8]) -> bool {
    let essence = value.split(|byte| *byte == b';').next();
    let essence = str::from_utf8(essence.unwrap_or_default()).unwrap_or_default();
    let essence = essence.trim_matches([' ', '\t']);
    if essence.eq_ignore_ascii_case("application/json") {
        return true;
    }
    let parts = essence.split_once('/');
    parts.is_some_and(|(kind, subtype)| {
        let suffix = subtype.rsplit('+').next().unwrap_or_default();
        let has_suffix = suffix.len() < subtype.len() && suffix.eq_ignore_ascii_case("json");
        has_suffix && is_token(kind) && is_token(subtype)
    })
}

/// `token = 1*tchar` (RFC 9110 §5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// A member of an object, as it was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'a> {
    name: &'static str,
    value: Option<&'a RawValue>,
    is_repeated: bool,
}

impl<'a> Member<'a> {
    /// The value of a member that must be there.
    ///
    /// A name given twice leaves the meaning open (RFC 8259 §4): some readers
    /// take the first member, some the last. Where a member decides how a
    /// listing goes on, that is refused and not guessed at.
    pub(crate) fn required(self) -> Result<&'a RawValue, ResponseProblem> {
        let field = self.name;
        match self.value {
            Some(_) if self.is_repeated => Err(ResponseProblem::RepeatedField { field }),
            Some(value) => Ok(value),
            None => Err(ResponseProblem::MissingField { field }),
        }
    }
}

/// The members of these names in a text that must be an object.
pub(crate) fn members<'a, const N: usize>(
    text: &'a [u8],
    names: [&'static str; N],
) -> Result<[Member<'a>; N], ResponseProblem> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let members = json.deserialize_map(Members(names));
    let members = members.and_then(|members| json.end().map(|()| members));
    members.map_err(|_| match serde_json::from_slice::<&RawValue>(text) {
        Ok(other) => ResponseProblem::NotAnObject {
            found: JsonType::of(other),
        },
        Err(error) => invalid_json(error),
    })
}

/// Looks through an object for the members of these names. All the others are read as text,
/// too, so that all of the object is checked.
struct Members<const N: usize>([&'static str; N]);

impl<'de, const N: usize> Visitor<'de> for Members<N> {
    type Value = [Member<'de>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = self.0.map(|name| Member {
            name,
            value: None,
            is_repeated: false,
        });
        // A name with half a surrogate pair is not one that is asked for, and no error.
        while let Some(name) = map.next_key::<&RawValue>()? {
            let value = map.next_value()?;
            let name = serde_json::from_str::<Cow<'_, str>>(name.get());
            let mut asked_for = members.iter_mut();
            let asked_for =
                asked_for.find(|member| name.as_ref().is_ok_and(|name| name == member.name));
            if let Some(member) = asked_for {
                member.is_repeated = member.value.replace(value).is_some();
            }
        }
        Ok(members)
    }
}

/// The error for a text that is not valid JSON.
pub(crate) fn invalid_json(error: serde_json::Error) -> ResponseProblem {
    ResponseProblem::InvalidJson {
        line: error.line(),
        column: error.column(),
    }
}

/// Reads a field that is a string; `expected` describes the allowed types in the error.
pub(crate) fn string(
    field: &'static str,
    expected: &'static str,
    value: &RawValue,
) -> Result<String, ResponseProblem> {
    match JsonType::of(value) {
        // The JSON is well-formed, so the only possible error is an unpaired surrogate.
        JsonType::String => {
            serde_json::from_str(value.get()).map_err(|_| ResponseProblem::NotUnicode { field })
        }
        _ => Err(wrong_type(field, expected, value)),
    }
}

/// The error for a field of the wrong type.
pub(crate) fn wrong_type(
    field: &'static str,
    expected: &'static str,
    found: &RawValue,
) -> ResponseProblem {
    ResponseProblem::WrongType {
        field,
        expected,
        found: JsonType::of(found),
    }
}
