//! One page of a listing.

use std::fmt;

use serde_json::Value;

use super::cursor::Cursor;
use crate::{
    answer::{required, wrong_type},
    api::JsonObject,
    error::{JsonType, ResponseProblem},
};

/// The records of one page, and where the listing goes on.
#[derive(Clone, PartialEq)]
pub struct Page {
    /// The records: JSON objects, kept as they came.
    pub items: Vec<JsonObject>,
    /// The position of the next page; `None` on the last.
    pub next_cursor: Option<Cursor>,
}

impl Page {
    /// Reads a page from the top-level object of an answer, `items` before
    /// `next_cursor`.
    pub(super) fn read(mut object: JsonObject) -> Result<Self, ResponseProblem> {
        let items = match required(&mut object, "items")? {
            Value::Array(items) => items,
            other => return Err(wrong_type("items", "an array", &other)),
        };
        let items = items
            .into_iter()
            .enumerate()
            .map(|(index, item)| match item {
                Value::Object(item) => Ok(item),
                other => Err(ResponseProblem::ItemNotAnObject {
                    index,
                    found: JsonType::from(&other),
                }),
            });
        let items = items.collect::<Result<_, _>>()?;
        let next_cursor = match required(&mut object, "next_cursor")? {
            Value::Null => None,
            Value::String(cursor) => {
                Some(Cursor::new(cursor).map_err(|_| ResponseProblem::EmptyCursor)?)
            }
            other => return Err(wrong_type("next_cursor", "a string or null", &other)),
        };
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
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<Page, ResponseProblem> {
        match value {
            Value::Object(object) => Page::read(object),
            _ => unreachable!("the tests pass objects"),
        }
    }

    #[test]
    fn keeps_items_and_cursor_as_they_came() {
        let page = read(json!({"items": [{"id": "1", "n": 1.50}, {}], "next_cursor": "a+/=&"}))
            .expect("a page");

        assert_eq!(page.items.len(), 2);
        assert_eq!(page.items[0]["n"], json!(1.50));
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
        for (value, problem) in [
            (json!({}), missing("items")),
            (
                json!({"items": {}, "next_cursor": 1}),
                wrong("items", "an array", JsonType::Object),
            ),
            (
                json!({"items": null}),
                wrong("items", "an array", JsonType::Null),
            ),
            (
                json!({"items": [{}, 7], "next_cursor": 1}),
                item(1, JsonType::Number),
            ),
            (json!({"items": [[]]}), item(0, JsonType::Array)),
            (json!({"items": []}), missing("next_cursor")),
            (
                json!({"items": [], "next_cursor": ""}),
                ResponseProblem::EmptyCursor,
            ),
            (
                json!({"items": [], "next_cursor": 7}),
                cursor(JsonType::Number),
            ),
            (
                json!({"items": [], "next_cursor": false}),
                cursor(JsonType::Boolean),
            ),
            (
                json!({"items": [], "next_cursor": ["a"]}),
                cursor(JsonType::Array),
            ),
        ] {
            assert_eq!(read(value.clone()), Err(problem), "{value}");
        }
    }
}
