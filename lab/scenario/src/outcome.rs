//! How a scenario ended for the client, as values.

use std::fmt;

use serde::{Serialize, Serializer};
use wire::counted;

use crate::stop_reason::StopReason;

/// The result for the caller of the client.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Success, or the class of the error.
    pub ending: Ending,
    /// The same as text: an error's own text, or what was received.
    pub text: String,
    /// Details that expectations can check, by name.
    #[serde(serialize_with = "by_name")]
    pub facts: Vec<(&'static str, Fact)>,
}

/// Success, or the class of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The client got what it asked for.
    Ok,
    /// A response that is not a success.
    HttpError,
    /// A success with an invalid response.
    ResponseError,
    /// A listing that broke its contract or a limit.
    ContractError,
    /// No complete response.
    TransportError,
    /// Neither: the lab stopped a client that would have run forever.
    Stopped,
    /// Neither: a person cancelled the run, which is not judged.
    Cancelled,
}

impl Ending {
    /// A phrase about a run with this ending, which these words name: "ended with contract
    /// error". A success speaks for itself, and a run that was stopped did not end by itself.
    #[must_use]
    pub fn phrase(self, words: &str) -> String {
        match self {
            Self::Ok | Self::Stopped | Self::Cancelled => words.to_owned(),
            _ => format!("ended with {words}"),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::HttpError => "HTTP error",
            Self::ResponseError => "representation error",
            Self::ContractError => "contract error",
            Self::TransportError => "transport error",
            Self::Stopped => "stopped by the lab",
            Self::Cancelled => "cancelled",
        })
    }
}

/// One detail of an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Fact {
    /// A yes or no.
    Flag(bool),
    /// A count or another number.
    Number(u64),
    /// A name from a closed set, or a machine code of the service.
    Name(String),
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => flag.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}

impl From<bool> for Fact {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<u64> for Fact {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Fact {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<StopReason> for Fact {
    fn from(why: StopReason) -> Self {
        Self::from(why.as_str())
    }
}

impl Outcome {
    /// This ending, with its text and without details.
    #[must_use]
    pub fn ended(ending: Ending, text: impl Into<String>) -> Self {
        Self {
            ending,
            text: text.into(),
            facts: Vec::new(),
        }
    }

    /// A success with this text.
    #[must_use]
    pub fn ok(text: impl Into<String>) -> Self {
        Self::ended(Ending::Ok, text)
    }

    /// A run that the lab stopped for this reason.
    #[must_use]
    pub fn stopped_by_the_lab(text: impl Into<String>) -> Self {
        Self::ended(Ending::Stopped, text)
    }

    /// A run that a person cancelled after this many requests.
    #[must_use]
    pub fn cancelled(requests: u64) -> Self {
        let text = match requests {
            0 => "cancelled before the first request".to_owned(),
            _ => format!("cancelled after {}", counted(requests, "request")),
        };
        Self::ended(Ending::Cancelled, text)
    }

    /// A success by its text, and an error by its class and the detail that tells it from others
    /// of its class, such as "HTTP error 503" and "contract error: page limit".
    #[must_use]
    pub fn named(&self) -> String {
        let Self { ending, text, .. } = self;
        match ending {
            Ending::Ok | Ending::Stopped | Ending::Cancelled => text.clone(),
            Ending::HttpError => match self.fact("status") {
                Some(status) => format!("{ending} {status}"),
                None => ending.to_string(),
            },
            Ending::ResponseError | Ending::ContractError | Ending::TransportError => {
                match self.fact("problem") {
                    Some(problem) => format!("{ending}: {}", in_words(problem)),
                    None => ending.to_string(),
                }
            }
        }
    }

    /// What tells an error from others: its status or its problem, or else its class.
    #[must_use]
    pub fn detail(&self) -> String {
        let detail = self.fact("status").or_else(|| self.fact("problem"));
        detail.map_or_else(|| self.ending.to_string(), in_words)
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, name: &'static str, fact: impl Into<Fact>) -> Self {
        self.facts.push((name, fact.into()));
        self
    }

    /// The detail with this name, if it is a number.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        match self.fact(name)? {
            Fact::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The detail with this name.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&Fact> {
        let found = self.facts.iter().find(|(known, _)| *known == name);
        found.map(|(_, fact)| fact)
    }
}

/// A name from a closed set without its underscores.
pub(crate) fn in_words(name: &impl fmt::Display) -> String {
    name.to_string().replace('_', " ")
}

fn by_name<S: Serializer>(
    facts: &[(&'static str, Fact)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(facts.iter().map(|(name, fact)| (name, fact)))
}
