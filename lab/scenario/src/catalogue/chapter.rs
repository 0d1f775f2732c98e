//! The chapters of the course.

use super::{CATALOGUE, Scenario};

/// A chapter of the course: scenarios about one subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chapter {
    /// When a request is worth another attempt.
    Retrying,
    /// When the service says how long to wait.
    RetryAfter,
    /// What makes a response one that a client may use.
    Responses,
    /// Listings in pages.
    Listings,
    /// Requests that change something.
    Writes,
    /// Connections that fail.
    Network,
    /// What limits all calls together.
    Limits,
}

impl Chapter {
    /// All chapters, in the order of the course.
    pub const ALL: [Self; 7] = [
        Self::Retrying,
        Self::RetryAfter,
        Self::Responses,
        Self::Listings,
        Self::Writes,
        Self::Network,
        Self::Limits,
    ];

    /// Its title.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Retrying => "Retrying",
            Self::RetryAfter => "Retry-After",
            Self::Responses => "Responses",
            Self::Listings => "Listings",
            Self::Writes => "Writes",
            Self::Network => "Network",
            Self::Limits => "Limits",
        }
    }

    /// Its scenarios, in the order of the course.
    pub fn scenarios(self) -> impl Iterator<Item = &'static Scenario> {
        let scenarios = CATALOGUE.iter();
        scenarios.filter(move |scenario| scenario.chapter == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_course_goes_through_its_chapters_one_after_another() {
        let chapters = Chapter::ALL.into_iter().flat_map(Chapter::scenarios);

        let names = chapters.map(Scenario::name);

        assert!(names.eq(CATALOGUE.iter().map(Scenario::name)));
    }
}
