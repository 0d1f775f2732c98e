//! Who run: a name, and what its counters are called.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::defence::Defence;

/// A client that runs scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// What it is called, on the command line as in JSON.
    pub name: &'static str,
    /// What the names of its counters begin with: the series of two clients never
    /// mix.
    pub prefix: &'static str,
    /// The counters that every run of it shows, moved or not, under the names of the
    /// reference client.
    pub headlines: &'static [&'static str],
    /// The defence that this client is without, if it is the reference client but for
    /// that.
    pub without: Option<&'static Defence>,
}

impl Client {
    /// What the names of the reference client's counters begin with.
    pub const REFERENCE_PREFIX: &'static str = "client_";

    /// How it is called in a sentence.
    #[must_use]
    pub fn title(self) -> String {
        match self.without {
            Some(defence) => format!("the client without {}", defence.id),
            None => format!("the {} client", self.name),
        }
    }

    /// What a column of it is called.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self.without {
            Some(_) => "without",
            None => self.name,
        }
    }

    /// Under which name this client counts what the reference client counts as
    /// `name`. What does not begin as the reference client's counters do is the
    /// service's, whoever runs.
    #[must_use]
    pub fn counter(self, name: &str) -> Cow<'_, str> {
        match name.strip_prefix(Self::REFERENCE_PREFIX) {
            Some(rest) if self.prefix != Self::REFERENCE_PREFIX => {
                format!("{}{rest}", self.prefix).into()
            }
            _ => name.into(),
        }
    }
}

impl Serialize for Client {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_counts_under_a_name_of_its_own() {
        let client = |prefix| Client {
            name: "tested",
            prefix,
            headlines: &[],
            without: None,
        };

        for (prefix, name, counter) in [
            ("client_", "client_attempts_total", "client_attempts_total"),
            ("naive_", "client_attempts_total", "naive_attempts_total"),
            ("naive_", "service_jobs_total", "service_jobs_total"),
        ] {
            assert_eq!(client(prefix).counter(name), counter);
        }
    }
}
