//! How a scenario ended for the client, as values.

use std::{fmt, time::Duration};

use client::{ApiError, ContractError, ResponseProblem, telemetry::GiveUp};
use serde::{Serialize, Serializer};

/// What the client had in hand at the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Success, or the class of the error.
    pub ending: Ending,
    /// The same in words: an error's own text, or what was received.
    pub text: String,
    /// Details worth holding to an expectation, by name.
    #[serde(serialize_with = "by_name")]
    pub facts: Vec<(&'static str, Fact)>,
}

/// Success, or the class of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The client has what it asked for.
    Ok,
    /// An answer that is not a success.
    HttpError,
    /// A success that does not hold what it should.
    ResponseError,
    /// A listing that broke its contract or a limit.
    ContractError,
    /// No complete answer.
    TransportError,
    /// None: the lab stopped a client that would have gone on for ever.
    Stopped,
    /// None: a person cancelled the run. Nothing is judged of it.
    Cancelled,
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
    /// Whether something is so.
    Flag(bool),
    /// How many, or which number.
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

impl Outcome {
    /// A success, in words.
    pub(crate) fn ok(text: impl Into<String>) -> Self {
        Self {
            ending: Ending::Ok,
            text: text.into(),
            facts: Vec::new(),
        }
    }

    /// The lab stopped the client, for this reason.
    pub(crate) fn stopped_by_the_lab(text: impl Into<String>) -> Self {
        Self {
            ending: Ending::Stopped,
            text: text.into(),
            facts: Vec::new(),
        }
    }

    /// A person cancelled the run when so many requests had been sent.
    pub(crate) fn cancelled(requests: u64) -> Self {
        Self {
            ending: Ending::Cancelled,
            text: match requests {
                0 => "cancelled before the first request".to_owned(),
                1 => "cancelled after 1 request".to_owned(),
                _ => format!("cancelled after {requests} requests"),
            },
            facts: Vec::new(),
        }
    }

    /// A success or a failure, whichever it is.
    pub(crate) fn of<T>(result: Result<T, ApiError>, ok: impl FnOnce(T) -> Self) -> Self {
        result.map_or_else(|error| Self::failed(&error), ok)
    }

    /// A failure, with what its error tells.
    pub(crate) fn failed(error: &ApiError) -> Self {
        let mut outcome = Self {
            ending: ending(error),
            text: error.to_string(),
            facts: Vec::new(),
        };
        match error {
            ApiError::Http(error) => {
                outcome = outcome
                    .with("status", u64::from(error.status.as_u16()))
                    .with("request_id_kept", error.request_id.is_some());
                if let Some(code) = &error.code {
                    outcome = outcome.with("code", &**code);
                }
                if let Some(wait) = error.retry_after {
                    outcome = outcome.with("retry_after_seconds", whole_seconds(wait));
                }
                outcome.stopped(error.stopped.map(GiveUp::Retry))
            }
            ApiError::Response(error) => outcome.with("problem", problem(error.problem)),
            ApiError::Contract(error) => outcome.with("problem", contract(error)),
            ApiError::Transport(error) => outcome
                .with("problem", error.kind.as_str())
                .stopped(error.stopped.map(GiveUp::Retry)),
            _ => outcome,
        }
    }

    /// Adds a detail.
    pub(crate) fn with(mut self, name: &'static str, fact: impl Into<Fact>) -> Self {
        self.facts.push((name, fact.into()));
        self
    }

    /// A detail by its name.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&Fact> {
        let found = self.facts.iter().find(|(known, _)| *known == name);
        found.map(|(_, fact)| fact)
    }

    fn stopped(self, why: Option<GiveUp>) -> Self {
        match why {
            Some(why) => self.with("gave_up", why.as_str()),
            None => self,
        }
    }
}

/// Rounded up, as the error's text and the service's ledger have it: whoever
/// waits for as long as a run says must not come early. What is left until a
/// date is seldom a whole second.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs()
        .saturating_add(u64::from(wait.subsec_nanos() > 0))
}

fn by_name<S: Serializer>(
    facts: &[(&'static str, Fact)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(facts.iter().map(|(name, fact)| (name, fact)))
}

fn ending(error: &ApiError) -> Ending {
    match error {
        ApiError::Http(_) => Ending::HttpError,
        ApiError::Response(_) => Ending::ResponseError,
        ApiError::Contract(_) => Ending::ContractError,
        // A client that exists was configured well, so its calls never fail
        // with the class `Config`.
        _ => Ending::TransportError,
    }
}

fn problem(problem: ResponseProblem) -> &'static str {
    match problem {
        ResponseProblem::UnexpectedStatus => "unexpected_status",
        ResponseProblem::NoContent => "no_content",
        ResponseProblem::NotJson => "not_json",
        ResponseProblem::InvalidJson { .. } => "invalid_json",
        ResponseProblem::NotAnObject { .. } => "not_an_object",
        ResponseProblem::MissingField { .. } => "missing_field",
        ResponseProblem::RepeatedField { .. } => "repeated_field",
        ResponseProblem::WrongType { .. } => "wrong_type",
        ResponseProblem::NotUnicode { .. } => "not_unicode",
        ResponseProblem::ItemNotAnObject { .. } => "item_not_an_object",
        ResponseProblem::EmptyCursor => "empty_cursor",
        _ => "other",
    }
}

fn contract(error: &ContractError) -> &'static str {
    match error {
        ContractError::CursorRepeated { .. } => "cursor_repeated",
        ContractError::CursorTooLong { .. } => "cursor_too_long",
        ContractError::PageLimit { .. } => "page_limit",
        ContractError::ItemLimit { .. } => "item_limit",
        _ => "other",
    }
}
