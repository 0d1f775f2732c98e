//! A client: its name, the counters that it is known by, and the defence that it lacks.

use serde::{Serialize, Serializer};

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

/// A defence of the reference client, which another client of the lab lacks.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Defence {
    /// Its name: the id of the [rule](judge::rules) that it keeps, if it keeps one.
    pub id: &'static str,
    /// The behaviour of the client without it, as a sentence.
    pub instead: &'static str,
    /// The file of the defence, relative to the root of the repository.
    pub file: &'static str,
    /// The rules of the wire that break without it in the first of `shows_in`; empty for a
    /// promise to the caller that the wire cannot show.
    pub breaks: &'static [&'static str],
    /// The scenarios in which it matters, with their own settings. It is most visible in the
    /// first.
    pub shows_in: &'static [&'static str],
}

impl Defence {
    /// Whether it matters in a scenario.
    #[must_use]
    pub fn shows_in(&self, scenario: &str) -> bool {
        self.shows_in.contains(&scenario)
    }

    /// The scenario in which it is most visible.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "every defence has a scenario")]
    pub fn shows_best_in(&self) -> &'static str {
        self.shows_in[0]
    }

    /// The text for a run without it.
    #[must_use]
    pub fn remark(&self, scenario: &str) -> String {
        let Self { id, file, .. } = self;
        if self.shows_in(scenario) {
            format!("{} The defence is {file}.", self.instead)
        } else {
            format!(
                "Without {id}, the results of this scenario are the same. They differ in {}.",
                self.shows_in.join(", ")
            )
        }
    }
}
