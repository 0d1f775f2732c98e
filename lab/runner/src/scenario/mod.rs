//! The catalogue: what can be played, from easy to hard.
//!
//! A scenario is data and two functions: what the client does, and what that
//! should come to under the policy in force. Each stands in a file of its own,
//! always in the same order: the words, the data, the act, the expectations.
//! Adding one is adding a file and a line to [`CATALOGUE`].
//!
//! Title, question, hint and what is left unsolved are shown with every run, so
//! they hold under all settings and speak of no client in particular. What
//! speaks of a run is a [`Sentence`], and says of which runs it is true.

mod bad_cursor;
mod bad_items;
mod bad_json;
mod conflict;
mod connection_refused;
mod create_job;
mod deadline;
mod endless_items;
mod flaky;
mod flaky_gives_up;
mod item_cap;
mod items;
mod looping_items;
mod lost_response;
mod no_content;
mod not_found;
mod oversized_body;
mod post_without_permission;
mod read_timeout;
mod redirect;
mod replay;
mod reset;
mod responder;
mod resumed_crawl;
mod retry_after_date;
mod retry_after_past_date;
mod retry_after_seconds;
mod retry_after_unusable;
mod retry_budget;
mod retry_later;
mod text_json;
mod tls_refused;
mod too_many_requests;

use std::{fmt, sync::Arc, time::Duration};

use axum::Router;
use client::{Clock, FailureKind};
use evidence::{
    Client, Condition, Ending, Evidence, Expectation, Lesson, Overrides, Policy, Sentence, Words,
};

use crate::{
    fault_proxy::Fault,
    player::{NAIVE, RELIABLE, Task},
};

/// Every scenario, in the order of the course.
pub static CATALOGUE: &[Scenario] = &[
    items::SCENARIO,
    flaky::SCENARIO,
    flaky_gives_up::SCENARIO,
    retry_after_seconds::SCENARIO,
    retry_after_date::SCENARIO,
    retry_after_past_date::SCENARIO,
    retry_after_unusable::SCENARIO,
    retry_later::SCENARIO,
    bad_json::SCENARIO,
    text_json::SCENARIO,
    no_content::SCENARIO,
    redirect::SCENARIO,
    not_found::SCENARIO,
    bad_items::SCENARIO,
    bad_cursor::SCENARIO,
    looping_items::SCENARIO,
    endless_items::SCENARIO,
    item_cap::SCENARIO,
    resumed_crawl::SCENARIO,
    create_job::SCENARIO,
    replay::SCENARIO,
    conflict::SCENARIO,
    post_without_permission::SCENARIO,
    lost_response::SCENARIO,
    read_timeout::SCENARIO,
    reset::SCENARIO,
    oversized_body::SCENARIO,
    connection_refused::SCENARIO,
    tls_refused::SCENARIO,
    deadline::SCENARIO,
    retry_budget::SCENARIO,
    too_many_requests::SCENARIO,
];

/// A fault, a client that meets it, and what should come of it.
pub struct Scenario {
    /// What is said of it.
    pub words: Words,
    /// What to play it with next; nothing if it shows all it has with the
    /// settings that it comes with.
    pub variation: Overrides,
    /// Whether it reads a listing, so that the limits of listings matter.
    pub listing: bool,
    /// What stands between client and service.
    pub network: Network,
    /// Routes beside the service's own, made for one run on its clock.
    pub routes: fn(Arc<dyn Clock>) -> Router,
    /// The client's settings, made from the defaults.
    pub policy: fn(Policy) -> Policy,
    /// What the client is to do.
    pub task: Task,
    /// What that should come to.
    pub expect: fn(&Policy) -> Vec<Expectation>,
    /// How many requests are meant never to reach the service.
    pub unseen: fn(&Policy) -> u64,
}

/// A scenario without anything special, to build others on.
const PLAIN: Scenario = Scenario {
    words: Words {
        name: "",
        title: "",
        request: "",
        question: "",
        hint: "",
        lessons: &[],
        unsolved: "",
    },
    variation: Overrides::NONE,
    listing: false,
    network: Network::Direct,
    routes: |_| Router::new(),
    policy: |policy| policy,
    task: Task::Flaky,
    expect: |_| Vec::new(),
    unseen: |_| 0,
};

/// Of a limit of the policy that came first.
const NO_ATTEMPT_LEFT: Sentence = Sentence::of(
    RELIABLE,
    &[Condition::GaveUp("attempts_exhausted")],
    "The reliable client used every attempt that it was allowed, and handed the last failure on \
     to its caller.",
);

/// Of a limit of the policy that came first.
const OVER_BUDGET: Sentence = Sentence::of(
    RELIABLE,
    &[Condition::GaveUp("retry_after_over_budget")],
    "The service asked for a longer wait than the caller allows, so the reliable client stopped at \
     once and handed the wait on.",
);

/// Of a limit of the policy that came first.
const BUDGET_SPENT: Sentence = Sentence::of(
    RELIABLE,
    &[Condition::GaveUp("retry_budget_empty")],
    "The reliable client had attempts left, but the retry budget was spent.",
);

/// Of a limit of the policy that came first.
const PAGE_LIMIT: Sentence = Sentence::of(
    RELIABLE,
    &[Condition::Problem("page_limit")],
    "The reliable client stopped at its limit of pages, with an error: a listing that was cut \
     short in silence would look complete.",
);

/// Of a limit of the policy that came first.
const ITEM_LIMIT: Sentence = Sentence::of(
    RELIABLE,
    &[Condition::Problem("item_limit")],
    "The reliable client stopped at its limit of items, with an error: a listing that was cut \
     short in silence would look complete.",
);

/// Of a client that knows nothing of Retry-After.
const HEADER_NOT_READ: Sentence = Sentence::of(
    NAIVE,
    &[Condition::CameEarly],
    "The naive client did not read the header: the service's ledger counts every retry as early.",
);

/// Of a client that makes up a key inside each attempt.
const NEW_KEYS: Sentence = Sentence::of(
    NAIVE,
    &[Condition::IdempotencyKeys(2), Condition::JobsCreated(2)],
    "The naive client made up a new key for each request, so the service created two jobs.",
);

/// What stands between client and service.
#[derive(Clone, Copy, Debug)]
pub enum Network {
    /// A loopback socket, and nothing else.
    Direct,
    /// A proxy that does this to one connection after the other, and lets the
    /// rest pass.
    Faults(&'static [Fault]),
    /// A proxy that refuses every TLS handshake, in front of a client that
    /// insists on TLS.
    RefusedTls,
    /// A port that nobody listens on.
    Nobody,
    /// No socket at all: the service is called as a function, so that many
    /// workers at once meet it in the same order every time.
    Function,
}

impl Scenario {
    /// What it is called on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.words.name
    }

    /// What a run of it teaches that was played under this policy and left this
    /// behind.
    pub(crate) fn lesson(&self, policy: &Policy, evidence: Evidence<'_>) -> Lesson {
        self.words
            .lesson(evidence, self.next(evidence.client, policy))
    }

    /// The next one in the course; none after the last.
    #[must_use]
    pub fn following(&self) -> Option<&'static Scenario> {
        let mut course = CATALOGUE.iter();
        course.find(|known| known.words.name == self.words.name);
        course.next()
    }

    /// What to try after a comparison, as arguments of `lab`.
    #[must_use]
    pub fn next_comparison(&self) -> String {
        match self.following() {
            Some(next) => format!("scenario {} --compare", next.words.name),
            None => "scenario all".to_owned(),
        }
    }

    /// What to try after a run, as arguments of `lab`: never the same again.
    fn next(&self, client: Client, policy: &Policy) -> String {
        // The naive client knows no policy, so nothing of it can be varied.
        if client == NAIVE {
            return format!("scenario {} --compare", self.words.name);
        }
        if policy.with(&self.variation) != *policy {
            return format!("scenario {}{}", self.words.name, options(&self.variation));
        }
        match self.following() {
            Some(next) => format!("scenario {}", next.words.name),
            None => "scenario all".to_owned(),
        }
    }
}

/// Settings as options of `lab scenario`.
fn options(overrides: &Overrides) -> String {
    /// A wait that is longer is drawn, and not waited for.
    const LONG: Duration = Duration::from_secs(60);
    let Overrides {
        max_attempts,
        max_retry_after,
        max_pages,
        max_items,
    } = overrides;
    let seconds = max_retry_after.map(|wait| wait.as_secs());
    let long = max_retry_after.filter(|wait| *wait > LONG);
    let options = [
        max_attempts.map(|number| format!(" --max-attempts {number}")),
        seconds.map(|seconds| format!(" --max-retry-after {seconds}")),
        max_pages.map(|number| format!(" --max-pages {number}")),
        max_items.map(|number| format!(" --max-items {number}")),
        long.map(|_| " --pace virtual".to_owned()),
    ];
    options.into_iter().flatten().collect()
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("name", &self.words.name)
            .finish_non_exhaustive()
    }
}

/// The scenario of this name.
///
/// # Errors
///
/// [`UnknownScenario`], with the nearest name if one is near.
pub fn find(name: &str) -> Result<&'static Scenario, UnknownScenario> {
    CATALOGUE
        .iter()
        .find(|scenario| scenario.words.name == name)
        .ok_or_else(|| UnknownScenario {
            name: name.to_owned(),
            nearest: nearest(name),
        })
}

/// A name that no scenario has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownScenario {
    name: String,
    nearest: Option<&'static str>,
}

impl fmt::Display for UnknownScenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no scenario is called '{}'", self.name)?;
        match self.nearest {
            Some(nearest) => write!(f, "; did you mean '{nearest}'?"),
            None => f.write_str("; `lab list` shows them all"),
        }
    }
}

impl std::error::Error for UnknownScenario {}

/// The scenarios whose name contains a text, in the order of the course. All of
/// them contain an empty one.
///
/// # Errors
///
/// [`NothingMatches`] if none does.
pub fn matching(filter: &str) -> Result<Vec<&'static Scenario>, NothingMatches> {
    let matching = CATALOGUE
        .iter()
        .filter(|scenario| scenario.words.name.contains(filter));
    let matching: Vec<_> = matching.collect();
    match matching.is_empty() {
        true => Err(NothingMatches(filter.to_owned())),
        false => Ok(matching),
    }
}

/// A text that is in no scenario's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no scenario's name contains '{0}'; `lab list` shows them all")]
pub struct NothingMatches(String);

fn nearest(name: &str) -> Option<&'static str> {
    CATALOGUE
        .iter()
        .map(|scenario| {
            (
                strsim::jaro_winkler(name, scenario.words.name),
                scenario.words.name,
            )
        })
        .filter(|(similarity, _)| *similarity > 0.7)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, nearest)| nearest)
}

/// What should come of a call that fails once, asks for `wait`, and then
/// succeeds once the client has `waited`.
fn expect_recovery(policy: &Policy, wait: Duration, waited: Expectation) -> Vec<Expectation> {
    let gave_up = if policy.max_retry_after < wait {
        "retry_after_over_budget"
    } else if policy.max_attempts < 2 {
        "attempts_exhausted"
    } else {
        return vec![
            Expectation::ending(Ending::Ok, "the second attempt succeeded"),
            waited,
            Expectation::requests(2),
        ];
    };
    vec![
        Expectation::ending(Ending::HttpError, "the failure reached the caller"),
        Expectation::fact("gave_up", gave_up, "the reason is named"),
        Expectation::requests(1),
    ]
}

/// What should come of reading `/items` when the first attempt fails in
/// transport in this way, and is made `again` if there is another.
fn expect_items(policy: &Policy, kind: FailureKind, again: Expectation) -> Vec<Expectation> {
    if policy.max_attempts < 2 {
        return vec![
            Expectation::ending(Ending::TransportError, "the failure reached the caller"),
            Expectation::fact("problem", kind.as_str(), "it is named for what it is"),
        ];
    }
    let items = (items::SCENARIO.expect)(policy).into_iter().next();
    [again].into_iter().chain(items).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_what_one_would_type() {
        let mut names: Vec<_> = CATALOGUE
            .iter()
            .map(|scenario| scenario.words.name)
            .collect();
        for name in &names {
            assert!(
                name.bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-'),
                "{name}"
            );
        }
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }

    #[test]
    fn a_near_miss_is_told_what_is_near() {
        let error = find("flakey").expect_err("a near miss");

        assert_eq!(
            error.to_string(),
            "no scenario is called 'flakey'; did you mean 'flaky'?"
        );
        assert_eq!(
            find("xyzzy").expect_err("nothing near").to_string(),
            "no scenario is called 'xyzzy'; `lab list` shows them all"
        );
    }
}
