//! The shapes of bars on an axis of time.

use std::ops::Range;

use maud::{Markup, html};

use crate::Scale;

/// The number of columns on the axis: each is one percent of the width.
pub const COLUMNS: usize = 100;

/// The pattern that fills every wait of the document.
#[must_use]
pub fn hatch() -> Markup {
    html! {
        svg.hatch aria-hidden="true" {
            pattern #hatch width="7" height="7" patternUnits="userSpaceOnUse"
                patternTransform="rotate(45)" { rect width="3.5" height="7" {} }
        }
    }
}

/// The breaks in a bar in the row `at`.
#[must_use]
pub fn cuts(at: usize, bar: &Range<usize>, scale: &Scale) -> Markup {
    html! {
        @for column in scale.cuts(bar).flatten() {
            line.cut x1={ (column) "%" } x2={ (column + 1) "%" }
                y1={ (at) ".8em" } y2={ (at) ".2em" } {}
        }
    }
}

/// The shape of a span, drawn as the page draws it. Its row says the same in words.
#[must_use]
pub fn shape(at: usize, class: &str, columns: &Range<usize>) -> Markup {
    let (top, height) = match class {
        "request" => (".44em", ".12em"),
        _ => (".2em", ".6em"),
    };
    html! {
        rect class=(class) x={ (columns.start) "%" } width={ (columns.len()) "%" }
            y={ (at) (top) } height=(height) rx=".1em" {}
    }
}
