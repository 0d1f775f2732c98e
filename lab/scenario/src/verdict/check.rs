//! One check of a verdict: an expectation or a rule, and whether it held.

use std::fmt;

use serde::Serialize;

/// An expectation or a rule, and whether it held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Which evidence it is based on.
    pub source: Source,
    /// The id of the [rule](judge::rules); none for an expectation of the scenario.
    pub rule: Option<&'static str>,
    /// The expectation.
    pub text: String,
    /// Whether it held.
    pub held: bool,
    /// The finding, if it did not hold.
    pub found: Option<String>,
    /// The numbers (`seq`, in order of arrival) of the requests that broke the rule; empty
    /// if it was kept, and for an expectation of the scenario.
    pub requests: Vec<u64>,
    /// Whether a response or a listing had to be rejected: a client that accepted it told its
    /// caller something untrue.
    #[serde(skip)]
    pub is_rejection: bool,
}

impl Check {
    /// The most requests that are listed.
    const NAMED: usize = 3;

    /// The finding instead, with the requests that show it: "sent again 2 times
    /// (requests 2, 3)". None if the check held.
    #[must_use]
    pub fn contradiction(&self) -> Option<String> {
        let found = self.found.as_ref()?;
        let (named, more) = self.requests.split_at(self.requests.len().min(Self::NAMED));
        let names: Vec<_> = named.iter().map(u64::to_string).collect();
        let names = names.join(", ");
        Some(match (named, more.len()) {
            ([], _) => found.clone(),
            ([_], _) => format!("{found} (request {names})"),
            (_, 0) => format!("{found} (requests {names})"),
            (_, more) => format!("{found} (requests {names} and {more} more)"),
        })
    }
}

/// The evidence that a check is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The record of the wire, which does not depend on what the client says.
    Wire,
    /// The client's own word: its outcome and its counters.
    Client,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Wire => "wire",
            Self::Client => "client",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_few_of_the_requests_are_listed() {
        let check = |held: bool, requests: Vec<u64>| Check {
            source: Source::Wire,
            rule: Some("no-retry-4xx"),
            text: "a request that the service refused was not retried".to_owned(),
            held,
            found: (!held).then(|| "sent again".to_owned()),
            requests,
            is_rejection: false,
        };
        for (requests, words) in [
            (vec![], "sent again"),
            (vec![2], "sent again (request 2)"),
            (vec![2, 3], "sent again (requests 2, 3)"),
            (vec![2, 3, 5], "sent again (requests 2, 3, 5)"),
            (
                (2..=21).collect(),
                "sent again (requests 2, 3, 4 and 17 more)",
            ),
        ] {
            assert_eq!(
                check(false, requests).contradiction().as_deref(),
                Some(words)
            );
        }
        assert_eq!(check(true, vec![]).contradiction(), None);
    }

    #[test]
    fn a_source_is_padded_to_a_column() {
        let column = [Source::Wire, Source::Client].map(|source| format!("{source:7}|"));

        assert_eq!(column, ["wire   |", "client |"]);
    }
}
