//! The parts that the HTML pages of all products share.

mod document;
mod shapes;

use std::fmt::Display;

use maud::{Markup, html as markup};

use crate::table::Table;

pub use document::{document, refreshing_document};
pub use shapes::{COLUMNS, cuts, hatch, shape};

/// A class and a mark for good, bad, or neither. The text beside them says the same.
#[must_use]
pub fn class_and_mark(is_good: Option<bool>) -> (&'static str, &'static str) {
    match is_good {
        Some(true) => ("held", "✓"),
        Some(false) => ("broken", "✗"),
        None => ("open", "·"),
    }
}

/// A text with the mark for good, bad, or neither.
#[must_use]
pub fn marked(is_good: Option<bool>, words: impl Display) -> Markup {
    let (class, mark) = class_and_mark(is_good);
    markup! {
        span class=(class) { span.mark aria-hidden="true" { (mark) } " " (words) }
    }
}

/// A table that scrolls if the screen is too narrow. Its columns have titles, and may be
/// numbers.
#[must_use]
pub fn wide_table<'a>(
    class: Option<&str>,
    (id, caption): (&str, &str),
    columns: impl IntoIterator<Item = (&'a str, bool)>,
    bodies: Markup,
) -> Markup {
    markup! {
        div.wide role="region" aria-labelledby=(id) tabindex="0" {
            table class=[class] {
                caption id=(id) { (caption) }
                thead { tr {
                    @for (title, is_number) in columns {
                        th class=[is_number.then_some("number")] scope="col" { (title) }
                    }
                } }
                (bodies)
            }
        }
    }
}

/// The titles and kinds of a table's columns.
pub fn columns(table: &Table) -> impl Iterator<Item = (&'static str, bool)> {
    table
        .columns
        .iter()
        .map(|column| (column.title, column.number))
}
