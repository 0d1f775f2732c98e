//! The steps of a presentation: each is an address, with links to the steps before and after.

use maud::{Markup, html};

/// The place of a step among the others.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    /// The number of the step, from 1.
    pub(crate) number: usize,
    /// How many there are.
    pub(crate) of: usize,
    /// The address of the step before; none at the first.
    pub(crate) previous: Option<String>,
    /// The address of the next step; none at the last.
    pub(crate) next: Option<String>,
}

impl Steps {
    /// The links, at the right end of a line.
    pub(crate) fn draw(&self) -> Markup {
        html! {
            span.grow {}
            span.soft.step { (self.number) " of " (self.of) }
            (link(self.previous.as_deref(), "‹ Previous", "ArrowLeft"))
            (link(self.next.as_deref(), "Next ›", "ArrowRight"))
        }
    }
}

/// A link, or the same as a word that leads nowhere.
pub(crate) fn link(href: Option<&str>, words: &str, key: &str) -> Markup {
    html! {
        @match href {
            Some(href) => a.button href=(href) aria-keyshortcuts=(key) { (words) },
            None => span.button aria-disabled="true" { (words) },
        }
    }
}
