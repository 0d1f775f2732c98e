//! A card as `lab grade --json` prints it, read again.

use judge::rules::Verdict;
use serde::Deserialize;

use super::{CARD_VERSION, GoalVerdict};

/// The verdicts of a card, read from its JSON.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PrintedCard {
    schema_version: u32,
    pub(super) tasks: Vec<PrintedTask>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct PrintedTask {
    pub(super) task: String,
    pub(super) goal: PrintedGoal,
    pub(super) rules: Vec<PrintedRule>,
    cases: Vec<PrintedCase>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct PrintedGoal {
    pub(super) verdict: GoalVerdict,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct PrintedRule {
    pub(super) id: String,
    pub(super) verdict: Verdict,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct PrintedCase {
    wire: PrintedWire,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct PrintedWire {
    total: u64,
}

/// Why a file cannot be read as a card.
#[derive(Debug, thiserror::Error)]
pub enum PrintedCardError {
    /// It is not the output of `lab grade --json`.
    #[error("it is not a card")]
    NotACard(#[from] serde_json::Error),
    /// It is a card in another version of the format.
    #[error("its schema version is {found}, and this lab reads {CARD_VERSION}")]
    Version {
        /// The version of the card.
        found: u32,
    },
}

impl PrintedCard {
    /// Reads a card.
    ///
    /// # Errors
    ///
    /// If it is not a card, or one of another version.
    pub fn read(json: &str) -> Result<Self, PrintedCardError> {
        let card: Self = serde_json::from_str(json)?;
        if card.schema_version == CARD_VERSION {
            Ok(card)
        } else {
            let found = card.schema_version;
            Err(PrintedCardError::Version { found })
        }
    }

    /// The task of this name.
    pub(super) fn task(&self, name: &str) -> Option<&PrintedTask> {
        self.tasks.iter().find(|task| task.task == name)
    }
}

impl PrintedTask {
    pub(super) fn was_attempted(&self) -> bool {
        let requests = self.cases.iter().map(|case| case.wire.total);
        self.goal.verdict.was_attempted(requests.max().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_card_is_rejected_with_a_reason() {
        let this = format!("{{\"schema_version\": {CARD_VERSION}}}");
        let other = format!(
            "{{\"schema_version\": {}, \"tasks\": []}}",
            CARD_VERSION + 1
        );
        let reads = format!("this lab reads {CARD_VERSION}");
        for (json, why) in [
            ("", "EOF while parsing"),
            ("[]", "invalid length 0"),
            ("{}", "missing field `schema_version`"),
            (&*this, "missing field `tasks`"),
            (&*other, &*reads),
        ] {
            let error = PrintedCard::read(json).expect_err("no card");
            let source = std::error::Error::source(&error);
            let source = source.map_or(String::new(), ToString::to_string);
            let said = format!("{error}: {source}");

            assert!(said.contains(why), "{json}: {said}");
        }
    }
}
