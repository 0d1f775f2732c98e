//! The question of a scenario before it is run, and a run's answer to it.
//!
//! No question is a matter of opinion: each has choices or a number, and the answer is
//! computed from the run that follows. So it is true of that run, whatever the client and
//! the settings.

use serde::Serialize;

use crate::{outcome::Fact, run::ScenarioRun};

/// The number to predict before a run.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The question.
    pub text: &'static str,
    /// The form of an answer.
    pub asked: Asked,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    /// One of these choices.
    Choices(&'static [Choice]),
    /// A whole number.
    Number {
        /// The counted things, in the plural.
        of: &'static str,
        /// The number of a run; none if the run did not get that far.
        is: fn(&ScenarioRun) -> Option<u64>,
    },
}

/// One of several possible answers.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The answer.
    pub text: &'static str,
    /// Whether it is the answer of a run. At most one choice is.
    pub is: fn(&ScenarioRun) -> bool,
}

/// The answer of a run, or the one that a reader expects of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The number, or the letter of the choice.
    pub value: Fact,
    /// The same as text.
    pub text: String,
}

/// An answer that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// It is not one of the choices.
    #[error("type one of {0}")]
    NoChoice(String),
    /// It is not a whole number.
    #[error("type a whole number")]
    NoNumber,
}

/// How many predictions were right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// The number of right predictions.
    pub right: usize,
    /// The number of predictions.
    pub of: usize,
}

impl Choice {
    /// A choice that is right if this function says so.
    #[must_use]
    pub const fn new(text: &'static str, is: fn(&ScenarioRun) -> bool) -> Self {
        Self { text, is }
    }
}

impl Question {
    /// A question with a number as its answer.
    #[must_use]
    pub const fn number(
        text: &'static str,
        of: &'static str,
        is: fn(&ScenarioRun) -> Option<u64>,
    ) -> Self {
        Self {
            text,
            asked: Asked::Number { of, is },
        }
    }

    /// A question with one of these choices as its answer.
    #[must_use]
    pub const fn choices(text: &'static str, choices: &'static [Choice]) -> Self {
        Self {
            text,
            asked: Asked::Choices(choices),
        }
    }

    /// The choices with their letters; empty if the question asks for a number.
    pub fn lettered(&self) -> impl Iterator<Item = (char, &'static Choice)> + use<> {
        let choices = match self.asked {
            Asked::Choices(choices) => choices,
            Asked::Number { .. } => &[],
        };
        ('a'..='z').zip(choices)
    }

    /// The answer of a run; none if it was cancelled or did not get that far.
    #[must_use]
    pub fn answer(&self, run: &ScenarioRun) -> Option<Answer> {
        if run.is_cancelled() {
            return None;
        }
        match self.asked {
            Asked::Number { of, is } => Some(Answer::number(is(run)?, of)),
            Asked::Choices(_) => {
                let mut choices = self.lettered();
                choices
                    .find(|(_, choice)| (choice.is)(run))
                    .map(Answer::choice)
            }
        }
    }

    /// Parses a typed answer: a number, or the letter or the text of a choice.
    ///
    /// # Errors
    ///
    /// An error with the accepted answers if it is neither.
    pub fn predict(&self, typed: &str) -> Result<Answer, NoAnswer> {
        if let Asked::Number { of, .. } = self.asked {
            let digits = typed.bytes().all(|byte| byte.is_ascii_digit());
            let number = typed.parse().ok().filter(|_| digits);
            let number = number.ok_or(NoAnswer::NoNumber)?;
            return Ok(Answer::number(number, of));
        }
        let typed = typed.to_lowercase();
        let meant = |(letter, choice): &(char, &Choice)| {
            typed == letter.to_string() || typed == choice.text.to_lowercase()
        };
        let choice = self.lettered().find(meant).map(Answer::choice);
        choice.ok_or_else(|| {
            let letters: Vec<_> = self
                .lettered()
                .map(|(letter, _)| letter.to_string())
                .collect();
            NoAnswer::NoChoice(letters.join(", "))
        })
    }
}

impl Answer {
    /// Such as "1 request" and "3 requests".
    fn number(number: u64, of: &str) -> Self {
        Self {
            value: number.into(),
            text: match number {
                1 => format!("1 {}", of.strip_suffix('s').unwrap_or(of)),
                _ => format!("{number} {of}"),
            },
        }
    }

    fn choice((letter, choice): (char, &Choice)) -> Self {
        Self {
            value: Fact::Name(letter.to_string()),
            text: choice.text.to_owned(),
        }
    }

    /// The prediction about the first of these runs compared with the answers, as text.
    #[must_use]
    pub fn verdict(&self, runs: &[&ScenarioRun]) -> String {
        let Some(answers) = answers(runs) else {
            return format!("{}; the run ended before it could answer", self.text);
        };
        match runs.first().and_then(|run| self.came_true(run)) {
            Some(true) if answers == self.text => format!("{}, correct", self.text),
            Some(true) => format!("{}, correct: {answers}", self.text),
            _ => format!("{}; the answer: {answers}", self.text),
        }
    }

    /// Whether it is right; none if the run gave no answer.
    #[must_use]
    pub fn came_true(&self, run: &ScenarioRun) -> Option<bool> {
        let answer = run.answer.as_ref()?;
        Some(answer.value == self.value)
    }
}

/// The answers of these runs: one if they are the same, and otherwise each with its client.
pub(crate) fn answers(runs: &[&ScenarioRun]) -> Option<String> {
    let answers = runs
        .iter()
        .filter_map(|run| Some((run.client, run.answer.as_ref()?)));
    let answers: Vec<_> = answers.collect();
    let (_, first) = answers.first()?;
    if answers.iter().all(|(_, answer)| answer == first) {
        return Some(first.text.clone());
    }
    let each = answers
        .iter()
        .map(|(client, answer)| format!("{} ({})", answer.text, client.column()));
    Some(each.collect::<Vec<_>>().join(", "))
}

impl Score {
    /// Counts a prediction if the run gave an answer.
    pub fn count(&mut self, came_true: Option<bool>) {
        if let Some(right) = came_true {
            self.right += usize::from(right);
            self.of += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: fn(&ScenarioRun) -> bool = |_| false;

    const CHOICES: Question = Question::choices(
        "Which?",
        &[
            Choice::new("this one", NEVER),
            Choice::new("that one", NEVER),
        ],
    );

    #[test]
    fn a_choice_is_named_by_its_letter_or_its_words() {
        for typed in ["b", "B", "That one"] {
            let prediction = CHOICES.predict(typed).expect("a choice");

            assert_eq!(prediction.value, Fact::from("b"));
            assert_eq!(prediction.text, "that one");
        }
        for typed in ["c", "both", "1"] {
            let error = CHOICES.predict(typed).expect_err("no choice");
            assert_eq!(error.to_string(), "type one of a, b");
        }
    }

    #[test]
    fn a_number_must_be_digits_only() {
        let question = Question::number("How many?", "requests", |_| None);

        assert_eq!(question.predict("1").expect("one").text, "1 request");
        assert_eq!(question.predict("12").expect("more").text, "12 requests");
        for typed in ["-1", "+1", "1.0", "three", "99999999999999999999"] {
            assert_eq!(question.predict(typed), Err(NoAnswer::NoNumber), "{typed}");
        }
    }

    #[test]
    fn a_run_without_an_answer_is_not_scored() {
        let mut score = Score::default();

        for came_true in [Some(true), None, Some(false), Some(true)] {
            score.count(came_true);
        }

        assert_eq!((score.right, score.of), (2, 3));
    }
}
