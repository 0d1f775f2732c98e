//! A client: its name, and the names of its counters.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::defence::Defence;

/// A client that runs scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its name, on the command line and in JSON.
    pub name: &'static str,
    /// The prefix of its counters' names. Each client has its own, so that their series stay
    /// separate.
    pub prefix: &'static str,
    /// The counters that are shown for each of its runs, even if they did not rise, under the
    /// names of the reference client.
    pub headlines: &'static [&'static str],
    /// The missing defence, if the client is the reference client without one.
    pub without: Option<&'static Defence>,
}

impl Client {
    /// The prefix of the reference client's counters.
    pub const REFERENCE_PREFIX: &'static str = "client_";

    /// Its name in a sentence.
    #[must_use]
    pub fn title(self) -> String {
        match self.without {
            Some(defence) => format!("the client without {}", defence.id),
            None => format!("the {} client", self.name),
        }
    }

    /// The same at the beginning of a sentence or a title.
    #[must_use]
    pub fn heading(self) -> String {
        self.title().replacen("the", "The", 1)
    }

    /// Its name as the heading of a column.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self.without {
            Some(_) => "without",
            None => self.name,
        }
    }

    /// This client's name for a counter of the reference client. A name without the reference
    /// client's prefix belongs to the service and stays the same.
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
    fn each_client_has_counter_names_of_its_own() {
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
