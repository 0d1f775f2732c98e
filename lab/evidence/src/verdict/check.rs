//! What a verdict is made of: an expectation or a rule, and whether it held.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// An expectation or a rule, and whether it held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// Where it comes from.
    pub source: Source,
    /// The id of the [rule](crate::rules); none of what this scenario alone expects.
    pub rule: Option<&'static str>,
    /// What was expected.
    pub text: String,
    /// Whether it is so.
    pub held: bool,
    /// What was found instead, if it is not.
    pub found: Option<String>,
    /// The places (`seq`) in the order of arrival of the requests that broke the rule;
    /// none where it was kept, and of what this scenario alone expects.
    pub requests: Vec<u64>,
}

impl Check {
    /// How many requests are named in words.
    const NAMED: usize = 3;

    /// What was found instead, and the requests that show it, in words: "sent again 2
    /// times (requests 2, 3)". None of what is so.
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

/// Where a check comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// What the wire saw: nothing that a client says of itself.
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
    fn a_few_of_the_requests_are_named() {
        let check = |held: bool, requests: Vec<u64>| Check {
            source: Source::Wire,
            rule: Some("no-retry-4xx"),
            text: "what the service refused was not sent again".to_owned(),
            held,
            found: (!held).then(|| "sent again".to_owned()),
            requests,
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
    fn a_source_stands_in_a_column() {
        let column = [Source::Wire, Source::Client].map(|source| format!("{source:7}|"));

        assert_eq!(column, ["wire   |", "client |"]);
    }
}
