//! One page of a listing.

use std::fmt;

use serde_json::value::RawValue;

use super::cursor::Cursor;
use crate::{
    error::{JsonType, ResponseProblem},
    raw_object::{ObjectText, RawObject},
    response_checks::{invalid_json, wrong_type},
};

/// The records of one page, and where the listing goes on.
#[derive(Clone, PartialEq, Eq)]
pub struct Page {
    /// The records: JSON objects, kept as they came.
    pub items: Vec<RawObject>,
    /// The position of the next page; `None` on the last.
    pub next_cursor: Option<Cursor>,
}

impl Page {
    /// Reads a page from the top-level object of a response, `items` before
    /// `next_cursor`.
    pub(super) fn read(object: ObjectText<'_>) -> Result<Self, ResponseProblem> {
        let items = object.required("items")?;
        if JsonType::of(items) != JsonType::Array {
            return Err(wrong_type("items", "an array", items));
        }
        let items: Vec<&RawValue> = serde_json::from_str(items.get()).map_err(invalid_json)?;
        let items = items.into_iter().enumerate().map(|(index, item)| {
            let item = ObjectText::of(item).map(ObjectText::keep);
            item.map_err(|found| ResponseProblem::ItemNotAnObject { index, found })
        });
        let items = items.collect::<Result<_, _>>()?;

        let next_cursor = Cursor::read_next(object.required("next_cursor")?)?;
        Ok(Self { items, next_cursor })
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page")
            .field("items", &self.items.len())
            .field("next_cursor", &self.next_cursor)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Page, ResponseProblem> {
        let object = serde_json::from_str(text).expect("JSON");
        Page::read(ObjectText::of(object).expect("an object"))
    }

    #[test]
    fn keeps_items_and_cursor_as_they_came() {
        let text =
            r#"{ "items" : [ {"id":"1", "n":1.50,"n":1e-400} ,{ }], "next_cursor": "a+/=&" }"#;

        let page = read(text).expect("a page");

        let items: Vec<_> = page.items.iter().map(RawObject::text).collect();
        assert_eq!(items, [r#"{"id":"1", "n":1.50,"n":1e-400}"#, "{ }"]);
        assert_eq!(page.next_cursor.expect("a cursor").as_str(), "a+/=&");
    }

    #[test]
    fn names_the_first_rule_that_is_broken() {
        let wrong = |field, expected, found| ResponseProblem::WrongType {
            field,
            expected,
            found,
        };
        let missing = |field| ResponseProblem::MissingField { field };
        let item = |index, found| ResponseProblem::ItemNotAnObject { index, found };
        let cursor = |found| wrong("next_cursor", "a string or null", found);
        let repeated = |field| ResponseProblem::RepeatedField { field };
        for (text, problem) in [
            ("{}", missing("items")),
            (
                r#"{"items":{},"next_cursor":1}"#,
                wrong("items", "an array", JsonType::Object),
            ),
            (
                r#"{"items":null}"#,
                wrong("items", "an array", JsonType::Null),
            ),
            (
                r#"{"next_cursor":1,"next_cursor":1,"items":[],"items":[]}"#,
                repeated("items"),
            ),
            (
                r#"{"next_cursor":1,"items":[{},7]}"#,
                item(1, JsonType::Number),
            ),
            (r#"{"items":[[]]}"#, item(0, JsonType::Array)),
            (r#"{"items":[]}"#, missing("next_cursor")),
            (
                r#"{"items":[],"next_cursor":null,"next_cursor":"A"}"#,
                repeated("next_cursor"),
            ),
            (
                r#"{"items":[],"next_cursor":""}"#,
                ResponseProblem::EmptyCursor,
            ),
            (
                r#"{"items":[],"next_cursor":"\ud800"}"#,
                ResponseProblem::NotUnicode {
                    field: "next_cursor",
                },
            ),
            (
                r#"{"items":[],"next_cursor":1e400}"#,
                cursor(JsonType::Number),
            ),
            (
                r#"{"items":[],"next_cursor":false}"#,
                cursor(JsonType::Boolean),
            ),
            (
                r#"{"items":[],"next_cursor":["a"]}"#,
                cursor(JsonType::Array),
            ),
        ] {
            assert_eq!(read(text), Err(problem), "{text}");
        }
    }
}
