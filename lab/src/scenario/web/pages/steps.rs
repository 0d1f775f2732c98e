//! The steps of a presentation: each is an address.

use maud::{Markup, html};
use scenario::Revealed;

use super::plan::next_stop;
use crate::web::{
    modes::{Address, Modes},
    steps::link,
};

/// A step of the presentation of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The question with its premises.
    Question,
    /// What happened, of so many clients.
    Happened(usize),
    /// The answer; in a comparison also what differs.
    Answer(usize),
    /// The lesson.
    Lesson(usize),
}

impl Step {
    /// The steps in their order.
    pub(super) fn all(is_compared: bool) -> Vec<Self> {
        if is_compared {
            vec![
                Self::Question,
                Self::Happened(1),
                Self::Happened(2),
                Self::Answer(2),
                Self::Lesson(2),
            ]
        } else {
            vec![
                Self::Question,
                Self::Happened(1),
                Self::Answer(1),
                Self::Lesson(1),
            ]
        }
    }

    /// What it shows of a run.
    pub(super) fn revealed(self) -> Option<Revealed> {
        let revealed = |sides, answer, lesson| {
            Some(Revealed {
                sides,
                answer,
                lesson,
            })
        };
        match self {
            Self::Question => None,
            Self::Happened(sides) => revealed(sides, false, false),
            Self::Answer(sides) => revealed(sides, true, false),
            Self::Lesson(sides) => revealed(sides, true, true),
        }
    }
}

/// The links to the steps before and after.
pub(super) struct Links {
    /// The answer and the lesson, as far as they are revealed.
    pub(super) said: Markup,
    pub(super) modes: Modes,
    /// The number of the step, from 1.
    pub(super) number: usize,
    /// How many steps there are.
    pub(super) of: usize,
    /// The address of the run; none before there is one.
    pub(super) run: Option<Address>,
    /// The address of the question before a run.
    pub(super) question: Address,
    /// Whether the next step is hidden until there is a guess.
    pub(super) waits_for_guess: bool,
}

impl Links {
    pub(super) fn draw(&self) -> Markup {
        let step = |number: usize| {
            let run = self.run.clone()?;
            Some(self.modes.link(run.with("step", number.to_string())))
        };
        let previous = (self.number > 1).then(|| step(self.number - 1)).flatten();
        let is_last = self.number == self.of;
        let next = if is_last {
            next_stop(self.modes)
        } else {
            step(self.number + 1).filter(|_| !self.waits_for_guess)
        };
        html! {
            (self.said)
            span.grow {}
            span.soft.step { (self.number) " of " (self.of) }
            (link(previous.as_deref(), "‹ Previous", "ArrowLeft"))
            @if self.run.is_none() {
                button.primary type="submit" form="run-presented" aria-keyshortcuts="ArrowRight r" { "▶ Run" }
            } @else {
                @if is_last {
                    a.button href=(self.modes.link(self.question.clone())) aria-keyshortcuts="r" { "Again" }
                }
                (link(next.as_deref(), if is_last && self.modes.stop.is_some() { "Next stop ›" } else { "Next ›" }, "ArrowRight"))
            }
        }
    }
}
