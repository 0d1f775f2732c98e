//! One page of a listing.

use std::fmt;

use serde_json::value::RawValue;

use super::cursor::Cursor;
use crate::{
    api_response::ApiResponse,
    error::{ApiError, JsonType, Origin, ResponseProblem},
    raw_object::{ObjectText, RawObject},
    response_checks::{invalid_json, wrong_type},
};

/// The member of a page with its records.
const ITEMS: &str = "items";
/// The member of a page with the position of the next page.
const NEXT_CURSOR: &str = "next_cursor";

/// The records of one page, and the cursor of the next page.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The records: JSON objects, unchanged.
    pub items: Vec<RawObject>,
    /// The position of the next page; `None` on the last.
    pub next_cursor: Option<Cursor>,
}

impl Page {
    /// Reads the page in a response.
    pub(super) fn of(response: &ApiResponse) -> Result<Self, ApiError> {
        let origin = response.origin();
        response.read(|object| Self::read(object, origin))
    }

    /// Reads a page from the top-level object of a response, the items before the cursor.
    fn read(object: ObjectText<'_>, origin: Origin) -> Result<Self, ResponseProblem> {
        let items = object.required(ITEMS)?;
        if JsonType::of(items) != JsonType::Array {
            return Err(wrong_type(ITEMS, "an array", items));
        }
        let items: Vec<&RawValue> = serde_json::from_str(items.get()).map_err(invalid_json)?;
        let items = items.into_iter().enumerate().map(|(index, item)| {
            let item = ObjectText::of(item).map(|object| object.keep(origin));
            item.map_err(|found| ResponseProblem::ItemNotAnObject {
                field: ITEMS,
                index,
                found,
            })
        });
        let items = items.collect::<Result<_, _>>()?;

        let next_cursor = Cursor::read_next(NEXT_CURSOR, object.required(NEXT_CURSOR)?)?;
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
    use proptest::{collection::vec, prelude::*, sample::select};

    use super::*;

    const NAMES: [&str; 6] = [
        "items",
        "it\\u0065ms",
        "next_cursor",
        "next_cursor",
        "other",
        "\\ud800",
    ];

    const VALUES: [&str; 16] = [
        "[]",
        "[{}]",
        "[{}]",
        r#"[{"a":1e400}, {"a":1,"a":{"items":7}}]"#,
        r#"[{}, "a"]"#,
        "{}",
        "null",
        "null",
        r#""c\u0065""#,
        r#""""#,
        r#""\ud800""#,
        r#"{"items":1e400}"#,
        "7",
        "1e400",
        "false",
        "}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// A page has each of the two fields exactly once, with a valid value. The
        /// error for any other object names the field at fault.
        #[test]
        fn a_page_has_both_fields_once_with_valid_values(
            fields in vec((select(&NAMES[..]), select(&VALUES[..])), 0..4), white in "[ \n]{0,2}",
        ) {
            let members = fields.iter().map(|(name, value)| format!("{white}\"{name}\"{white}:{value}"));
            let text = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
            let of = |names: [&str; 2]| {
                let found = fields.iter().filter(|(name, _)| names.contains(name));
                found.map(|(_, value)| *value).collect::<Vec<_>>()
            };
            let (items, cursors) = (of([NAMES[0], NAMES[1]]), of([NAMES[2]; 2]));
            let Ok(body) = serde_json::from_str::<&RawValue>(&text) else {
                return Ok(());
            };

            let object = ObjectText::of(body).expect("an object");
            let page = Page::read(object, Origin::default());

            match (page, &items[..], &cursors[..]) {
                (Ok(page), [items], [cursor]) => {
                    let read: Vec<&RawValue> = serde_json::from_str(items)?;
                    let read: Vec<_> = read.iter().map(|item| item.get()).collect();
                    let kept: Vec<_> = page.items.iter().map(RawObject::text).collect();
                    let cursor: Option<String> = serde_json::from_str(cursor)?;
                    prop_assert_eq!(kept, read);
                    prop_assert_eq!(page.next_cursor.as_ref().map(Cursor::as_str), cursor.as_deref());
                }
                (Ok(_), ..) => prop_assert!(false, "a field is missing or there twice: {}", text),
                (Err(ResponseProblem::MissingField { field }), items, cursors) => {
                    let values = if field == "items" { items } else { cursors };
                    prop_assert!(values.is_empty());
                }
                (Err(ResponseProblem::RepeatedField { field }), items, cursors) => {
                    let values = if field == "items" { items } else { cursors };
                    prop_assert!(values.len() > 1);
                }
                (Err(ResponseProblem::WrongType { field: "items", .. }), [items], _) => {
                    prop_assert!(!items.starts_with('['));
                }
                (Err(ResponseProblem::ItemNotAnObject { index: 1, .. }), [items], _) => {
                    prop_assert!(items.contains("\"a\"]"));
                }
                (Err(ResponseProblem::WrongType { field: "next_cursor", .. }), _, [cursor]) => {
                    prop_assert!(!cursor.starts_with(['"', 'n']));
                }
                (Err(ResponseProblem::EmptyCursor { .. }), _, [cursor]) => prop_assert_eq!(*cursor, "\"\""),
                (Err(ResponseProblem::NotUnicode { .. }), _, [cursor]) => {
                    prop_assert!(cursor.contains("ud800"));
                }
                (Err(other), ..) => prop_assert!(false, "{other}: {}", text),
            }
        }
    }
}
