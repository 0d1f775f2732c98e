//! The parts that the HTML pages of all products share.

mod document;
mod shapes;
mod values;

use std::fmt::Display;

use maud::{Markup, html as markup};

use crate::table::Table;

pub use document::{STYLE, document, refreshing_document};
pub use shapes::{PartKind, legend, patterns, percent};
pub use values::{ValueAxis, short};

/// A class and a mark for good, bad, or neither. The text beside them says the same.
#[must_use]
pub fn class_and_mark(is_good: Option<bool>) -> (&'static str, &'static str) {
    match is_good {
        Some(true) => ("ok", "✓"),
        Some(false) => ("failed", "✗"),
        None => ("open", "·"),
    }
}

/// A text with the mark for good, bad, or neither.
#[must_use]
pub fn marked(is_good: Option<bool>, words: impl Display) -> Markup {
    let (class, mark) = class_and_mark(is_good);
    markup! {
        span class=(class) { span.sign aria-hidden="true" { (mark) } " " (words) }
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

/// A table of texts. The first cell of a row names it.
#[must_use]
pub fn table(class: Option<&str>, caption: (&str, &str), of: &Table) -> Markup {
    let columns = of
        .columns
        .iter()
        .map(|column| (column.title, column.number));
    wide_table(
        class,
        caption,
        columns,
        markup! {
            tbody {
                @for row in &of.rows {
                    tr.failed[row.failed] {
                        @for (at, (column, cell)) in of.columns.iter().zip(&row.cells).enumerate() {
                            @let text = cell.as_deref().unwrap_or("—");
                            @if at == 0 {
                                th.number[column.number] scope="row" { (text) }
                            } @else {
                                td.number[column.number] { (text) }
                            }
                        }
                    }
                }
            }
        },
    )
}
