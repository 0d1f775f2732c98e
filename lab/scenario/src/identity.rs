//! A client: its name, and the counters that it is known by.

use serde::{Serialize, Serializer};

use crate::defence::Defence;

/// A client that runs scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its name, on the command line and in JSON.
    pub name: &'static str,
    /// The counters that are shown for each of its runs, even if they did not rise.
    pub headlines: &'static [&'static str],
    /// The missing defence, if the client is the reference client without one.
    pub without: Option<&'static Defence>,
}

impl Client {
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
}

impl Serialize for Client {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}
