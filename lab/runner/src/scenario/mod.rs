//! The catalogue: what can be run, from easy to hard.
//!
//! A scenario is a value: what the client is to do, and what should come of it
//! under the policy in force. Each stands in a file of its own, always in the
//! same order: the words, the data, the task, the expectations. Adding one is
//! adding a file here, and its name to the list that makes the [`CATALOGUE`].
//! The load, `/metrics`, the command line and the web UI follow from that; a test
//! requires its row in `lab/docs/course.md`.
//!
//! Title, question, hint and what is left unsolved are shown with every run, so
//! they hold under all settings and speak of no client in particular. What
//! speaks of a run is an [`evidence::Sentence`], and says of which runs it is true.

mod find;
mod responder;
mod sentences;
mod shown;

use std::{fmt, sync::Arc, time::Duration};

use client::{Clock, FailureKind};
use evidence::{
    Client, Ending, Evidence, Expectation, Lesson, Overrides, Policy, Question, ScenarioWords,
    StopReason,
};
use host::Served;

pub use crate::network::Network;
pub use find::{NothingMatches, find, matching};
use sentences::{
    BUDGET_SPENT, HEADER_NOT_READ, ITEM_LIMIT, NEW_KEYS, NO_ATTEMPT_LEFT, OVER_BUDGET, PAGE_LIMIT,
};

use crate::clients::{RELIABLE, Task, WITHOUT};

/// Makes each name a module and, in this order, a scenario of the course.
///
/// `cargo fmt` does not see a module that a macro declares: `.ci/run` checks the
/// format of these files apart.
macro_rules! catalogue {
    ($($name:ident),+ $(,)?) => {
        $(mod $name;)+

        #[cfg(test)]
        const FILES: &[&str] = &[$(stringify!($name)),+];

        /// Every scenario, in the order of the course.
        pub static CATALOGUE: &[Scenario] = &[$($name::SCENARIO),+];
    };
}

catalogue! {
    items,
    flaky,
    flaky_gives_up,
    retry_after_seconds,
    retry_after_date,
    retry_after_past_date,
    retry_after_unusable,
    retry_later,
    bad_json,
    text_json,
    no_content,
    redirect,
    not_found,
    bad_items,
    bad_cursor,
    looping_items,
    endless_items,
    item_cap,
    resumed_crawl,
    create_job,
    replay,
    conflict,
    post_without_permission,
    lost_response,
    read_timeout,
    reset,
    oversized_body,
    connection_refused,
    tls_refused,
    deadline,
    retry_budget,
    too_many_requests,
}

/// A fault, a client that meets it, and what should come of it.
pub struct Scenario {
    /// What is said of it.
    pub words: ScenarioWords,
    /// What to run it with next; nothing if it shows all it has with the
    /// settings that it comes with.
    pub variation: Overrides,
    /// How often a load runs it.
    pub load: Share,
    /// Whether it reads a listing, so that the limits of listings matter.
    pub listing: bool,
    /// What stands between client and service.
    pub network: Network,
    /// Routes beside the service's own, made for one run on its clock.
    pub routes: fn(Arc<dyn Clock>) -> Served,
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
pub const PLAIN: Scenario = Scenario {
    words: ScenarioWords {
        name: "",
        title: "",
        request: "",
        question: Question::choices("", &[]),
        hint: "",
        lessons: &[],
        unsolved: "",
    },
    variation: Overrides::NONE,
    load: Share::fault(1),
    listing: false,
    network: Network::Direct,
    routes: |_| Served::default(),
    policy: |policy| policy,
    task: Task::Flaky,
    expect: |_| Vec::new(),
    unseen: |_| 0,
};

/// How often a load runs a scenario, as a weight against all others.
///
/// The numbers are chosen to be read on a dashboard: most of the traffic is
/// healthy, every fault still comes up within a few minutes, and what waits for
/// seconds is rare, since it takes up a place all the while.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// The weight; 0 leaves the scenario out.
    pub weight: u32,
    /// Whether it is run more often while faults surge.
    pub surges: bool,
}

impl Share {
    /// Of what an API mostly does: it responds as it should.
    #[must_use]
    pub const fn healthy(weight: u32) -> Self {
        Self {
            weight,
            surges: false,
        }
    }

    /// Of a fault, whether a retry makes up for it or not.
    #[must_use]
    pub const fn fault(weight: u32) -> Self {
        Self {
            weight,
            surges: true,
        }
    }
}

impl Scenario {
    /// What it is called on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.words.name
    }

    /// What a run of it teaches that was run under this policy and left this
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

    /// What to try after a comparison with this client, as arguments of `lab`: the next
    /// scenario, or the next defence, where it shows.
    #[must_use]
    pub fn next_comparison(&self, client: Client) -> String {
        if let Some(defence) = client.without {
            let mut course = WITHOUT.iter().skip_while(|it| it.defence.id != defence.id);
            return match course.nth(1).map(|next| next.defence) {
                Some(next) => {
                    let (name, id) = (next.shows_best_in(), next.id);
                    format!("scenario {name} --without {id} --compare")
                }
                None => "scenario all".to_owned(),
            };
        }
        match self.following() {
            Some(next) => format!("scenario {} --compare", next.words.name),
            None => "scenario all".to_owned(),
        }
    }

    /// What to try after a run, as arguments of `lab`: never the same again.
    fn next(&self, client: Client, policy: &Policy) -> String {
        if let Some(defence) = client.without {
            let name = match defence.shows_in(self.words.name) {
                true => self.words.name,
                false => defence.shows_best_in(),
            };
            return format!("scenario {name} --without {} --compare", defence.id);
        }
        // No other client knows the policy, so nothing of it can be varied.
        if client != RELIABLE {
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

/// What should come of a call that fails once, asks for `wait`, and then
/// succeeds once the client has `waited`.
fn expect_recovery(policy: &Policy, wait: Duration, waited: Expectation) -> Vec<Expectation> {
    let gave_up = if policy.max_retry_after < wait {
        StopReason::RetryAfterOverBudget
    } else if policy.max_attempts < 2 {
        StopReason::AttemptsExhausted
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
    fn a_scenario_is_called_as_its_file_is() {
        let names = CATALOGUE.iter().map(|scenario| scenario.words.name);
        let files = FILES.iter().map(|file| file.replace('_', "-"));

        assert_eq!(names.collect::<Vec<_>>(), files.collect::<Vec<_>>());
    }
}
