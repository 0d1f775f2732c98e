//! The links of a presentation, whose steps are addresses.

use maud::{Markup, html};

use super::{
    modes::{Address, Modes},
    plan::{built_now, next_stop},
};

/// The id of the form that the button *Run* of the steps sends.
pub(crate) const FORM: &str = "run-presented";

/// The links to the steps before and after.
pub(crate) struct Links {
    /// The answer and the lesson, as far as they are revealed.
    pub(crate) said: Markup,
    pub(crate) modes: Modes,
    /// The number of the step, from 1.
    pub(crate) number: usize,
    /// How many steps there are.
    pub(crate) of: usize,
    /// The address of the result, such as that of a run; none before there is one.
    pub(crate) result: Option<Address>,
    /// The address of the question before there is a result.
    pub(crate) question: Address,
    /// Whether the next step is hidden until there is a guess.
    pub(crate) waits_for_guess: bool,
}

impl Links {
    pub(crate) fn draw(&self) -> Markup {
        let step = |number: usize| {
            let result = self.result.clone()?;
            Some(self.modes.link(result.with("step", number.to_string())))
        };
        let previous = (self.number > 1).then(|| step(self.number - 1)).flatten();
        let is_last = self.number == self.of;
        let next = (!is_last && !self.waits_for_guess)
            .then(|| step(self.number + 1))
            .flatten();
        html! {
            (self.said)
            span.grow {}
            span.soft.step { (self.number) " of " (self.of) }
            (link(previous.as_deref(), "‹ Previous", "ArrowLeft"))
            @if self.result.is_none() {
                button.primary type="submit" form=(FORM) aria-keyshortcuts="ArrowRight r" { "▶ Run" }
            } @else {
                @if is_last {
                    a.button href=(self.modes.link(self.question.clone())) aria-keyshortcuts="r" { "Again" }
                }
                @if is_last && self.modes.stop.is_some() {
                    (to_next_stop(self.modes))
                } @else {
                    (link(next.as_deref(), if self.waits_for_guess { "Guess first" } else { "Next ›" }, "ArrowRight"))
                }
            }
        }
    }
}

/// The links of a presentation that has only one step.
pub(crate) fn of_one_step(modes: Modes) -> Markup {
    html! {
        span.grow {}
        @if modes.stop.is_some() { (to_next_stop(modes)) }
    }
}

/// What the class builds before the next stop, and the link to that stop. From the last stop no
/// key leads on, so that one press too many does not take its slide away.
fn to_next_stop(modes: Modes) -> Markup {
    let plans = Modes {
        stop: None,
        ..modes.left()
    };
    html! {
        @if let Some(tasks) = built_now(modes) { span { "Now build: " b { (tasks.join(", ")) } } }
        @match next_stop(modes) {
            Some(next) => (link(Some(&next), "Next stop ›", "ArrowRight")),
            None => a.button href=(plans.link("/course")) { "To the plan ›" },
        }
    }
}

/// A link, or the same as a word that leads nowhere.
fn link(href: Option<&str>, words: &str, key: &str) -> Markup {
    html! {
        @match href {
            Some(href) => a.button href=(href) aria-keyshortcuts=(key) { (words) },
            None => span.button aria-disabled="true" { (words) },
        }
    }
}
