//! A panel, a number tile, a chip, and words with their signs.

use std::fmt::Display;

use maud::{Markup, html};

/// A class and a mark for good, bad, or neither. The text beside them says the same.
#[must_use]
pub fn class_and_mark(is_good: Option<bool>) -> (&'static str, &'static str) {
    match is_good {
        Some(true) => ("ok", "✓"),
        Some(false) => ("no", "✗"),
        None => ("soft", "·"),
    }
}

/// A text with the mark for good, bad, or neither.
#[must_use]
pub fn marked(is_good: Option<bool>, words: impl Display) -> Markup {
    let (class, mark) = class_and_mark(is_good);
    html! {
        span class=(class) { span.sign aria-hidden="true" { (mark) } " " (words) }
    }
}

/// A verdict that stands for itself: a text with its mark, on a ground of its colour.
#[must_use]
pub fn word(is_good: Option<bool>, words: impl Display) -> Markup {
    let (class, mark) = class_and_mark(is_good);
    html! {
        span class={ "word " (class) } { span.sign aria-hidden="true" { (mark) } " " (words) }
    }
}

/// A part of a page with a heading, and at its right end what it is about. The id is that of
/// the heading.
#[must_use]
pub fn panel(id: &str, title: impl Display, aside: impl Display, body: &Markup) -> Markup {
    let aside = aside.to_string();
    html! {
        section.panel aria-labelledby=(id) {
            header {
                h2 id=(id) { (title) }
                @if !aside.is_empty() { p.aside { (aside) } }
            }
            (body)
        }
    }
}

/// A number that leads to more about it.
#[derive(Clone, Debug)]
pub struct Tile<'a> {
    /// What is counted.
    pub name: &'a str,
    /// The number, since the start.
    pub number: u64,
    /// How it changed, such as `+3 in 15 min`.
    pub change: &'a str,
    /// A small picture of it over time: an `svg` element.
    pub picture: Markup,
    /// The address of the page about it.
    pub href: &'a str,
}

impl Tile<'_> {
    /// The tile as HTML. Several stand in an element of the class `tiles`.
    #[must_use]
    pub fn draw(&self) -> Markup {
        html! {
            a.panel.tile href=(self.href) {
                h2 { (self.name) }
                small { (self.change) }
                b { (self.number) }
                (self.picture)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_names_its_number() {
        let tile = Tile {
            name: "Retries",
            number: 151,
            change: "+3 in 15 min",
            picture: html! { svg aria-hidden="true" {} },
            href: "/metrics-view",
        };

        insta::assert_snapshot!(tile.draw().into_string(), @r#"<a class="panel tile" href="/metrics-view"><h2>Retries</h2><small>+3 in 15 min</small><b>151</b><svg aria-hidden="true"></svg></a>"#);
    }

    #[test]
    fn a_verdict_has_a_sign_beside_its_colour() {
        for (is_good, class, sign) in [
            (Some(true), "ok", "✓"),
            (Some(false), "no", "✗"),
            (None, "soft", "·"),
        ] {
            let word = word(is_good, "<DOWN>").into_string();

            let expected = format!(
                r#"<span class="word {class}"><span class="sign" aria-hidden="true">{sign}</span> &lt;DOWN&gt;</span>"#
            );
            assert_eq!(word, expected);
        }
    }
}
