//! One page of a listing.

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::cursor::Cursor;
use crate::{
    api_response::ApiResponse,
    error::{ApiError, JsonType, Origin, ResponseProblem},
    raw_object::RawObject,
    response_checks::{Member, invalid_json, wrong_type},
};

/// The member of a page with its records.
const ITEMS: &str = "items";
/// The member of a page with the position of the next page.
const NEXT_CURSOR: &str = "next_cursor";
const MEMBERS: [&str; 2] = [ITEMS, NEXT_CURSOR];

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
        let body = response.json_body().ok();
        match body.and_then(|body| Self::in_one_pass(body, origin)) {
            Some(page) => Ok(page),
            None => response.read(MEMBERS, |members| Self::read(members, origin)),
        }
    }

    /// Reads a valid page in one pass over its text. A crawl would otherwise need half as many
    /// instructions again as a loop written by hand, which is more than its bound allows. Any
    /// other text is left to [`read`](Self::read), which finds out what is wrong with it.
    fn in_one_pass(body: &[u8], origin: Origin) -> Option<Self> {
        // A derived reader would also take an array of the two members.
        if !body.trim_ascii_start().starts_with(b"{") {
            return None;
        }
        // Members that are not read would be skipped without a check that they are UTF-8.
        let page: PageText<'_> = serde_json::from_str(str::from_utf8(body).ok()?).ok()?;
        let items = page.items.into_iter();
        let items = items.map(|item| RawObject::of(item, origin).ok());
        Some(Self {
            items: items.collect::<Option<_>>()?,
            next_cursor: Cursor::read_next(NEXT_CURSOR, page.next_cursor).ok()?,
        })
    }

    /// Reads a page from the top-level object of a response, the items before the cursor.
    fn read(
        [items, next_cursor]: [Member<'_>; 2],
        origin: Origin,
    ) -> Result<Self, ResponseProblem> {
        let items = items.required()?;
        if JsonType::of(items) != JsonType::Array {
            return Err(wrong_type(ITEMS, "an array", items));
        }
        let items: Vec<&RawValue> = serde_json::from_str(items.get()).map_err(invalid_json)?;
        let items = items.into_iter().enumerate().map(|(index, item)| {
            RawObject::of(item, origin).map_err(|found| ResponseProblem::ItemNotAnObject {
                field: ITEMS,
                index,
                found,
            })
        });
        let items = items.collect::<Result<_, _>>()?;

        let next_cursor = Cursor::read_next(NEXT_CURSOR, next_cursor.required()?)?;
        Ok(Self { items, next_cursor })
    }
}

/// The two members of a page, each of which is there once.
#[derive(Deserialize)]
struct PageText<'a> {
    #[serde(borrow)]
    items: Vec<&'a RawValue>,
    #[serde(borrow)]
    next_cursor: &'a RawValue,
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
    use crate::response_checks;

    fn in_one_pass(body: &[u8]) -> Option<Page> {
        Page::in_one_pass(body, Origin::default())
    }

    #[test]
    fn a_page_with_invalid_unicode_in_an_unread_member_is_refused() {
        for body in [
            b"{\"items\":[],\"next_cursor\":null,\"x\":\"\xff\"}".as_slice(),
            b"{\"\xff\":1,\"items\":[],\"next_cursor\":null}",
            b"{\"x\":[{\"y\":\"\xc3\"}],\"items\":[],\"next_cursor\":null}",
        ] {
            assert!(in_one_pass(body).is_none());
            assert!(response_checks::members(body, MEMBERS).is_err());
        }
    }

    #[test]
    fn one_pass_accepts_an_object_but_not_an_array_of_its_members() {
        assert!(in_one_pass(br#" {"next_cursor":null,"items":[{}]} "#).is_some());
        assert!(in_one_pass(br#"[[{}],null]"#).is_none());
        assert!(in_one_pass(br#"{"next_cursor":null,"items":[{}]}{}"#).is_none());
    }

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
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// One pass reads the same page as separate checks, or leaves it to them: an invalid
        /// page, and one with half a surrogate pair in the name of an unknown member.
        #[test]
        fn one_pass_reads_what_separate_checks_read(
            fields in vec((select(&NAMES[..]), select(&VALUES[..])), 0..4), white in "[ \n]{0,2}",
        ) {
            let members = fields.iter().map(|(name, value)| format!("{white}\"{name}\"{white}:{value}"));
            let text = format!("{{{}}}", members.collect::<Vec<_>>().join(","));

            let members = response_checks::members(text.as_bytes(), MEMBERS);
            let page = members.and_then(|members| Page::read(members, Origin::default())).ok();
            let in_one_pass = in_one_pass(text.as_bytes());

            if in_one_pass.is_some() || !text.contains("\\ud800") {
                prop_assert_eq!(in_one_pass, page);
            }
        }
    }
}
