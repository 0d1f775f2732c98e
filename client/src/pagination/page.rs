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
