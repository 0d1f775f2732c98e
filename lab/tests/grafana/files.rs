//! The files under test.

use serde_json::Value;

pub(crate) use testkit::files::text;

/// The text at a pointer, which must be one.
pub(crate) fn string<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("there is no text at {pointer} of {value}"))
}

/// The list at a pointer; empty if there is none.
pub(crate) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    let found = value.pointer(pointer).and_then(Value::as_array);
    found.map_or(&[], Vec::as_slice)
}
