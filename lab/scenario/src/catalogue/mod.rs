//! The catalogue of scenarios, by chapters.
//!
//! A scenario is a value: what the client is to do, and what should come of it
//! under the policy in force. Each stands in a file of its own, always in the
//! same order: the words, the data, the task, the expectations. Adding one is
//! adding a file here, and its entry in the [`CATALOGUE`].
//! The load, `/metrics`, the command line and the web UI follow from that; a test
//! requires its row in `lab/docs/course.md`.
//!
//! [`ScenarioWords`] says which of its texts must be true of every run.

mod answers;
mod bad_cursor;
mod bad_items;
mod bad_json;
mod chapter;
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
mod sentences;
mod text_json;
mod tls_refused;
mod too_many_requests;

use std::{fmt, sync::Arc, time::Duration};

use client::{Clock, FailureKind};
use host::{ExpectedRoute, Routes};
use wire::UnknownName;

use crate::{
    Client, DEFAULT_POLICY, Ending, Expectation, Lesson, Overrides, Question, ScenarioPolicy,
    ScenarioWords, StopReason,
    clients::{NAIVE, RELIABLE, Task, WITHOUT},
};

pub use crate::network::Network;
pub use chapter::Chapter;

/// The records on each of the service's pages.
const PAGE: u32 = 2;

/// The vocabulary of the files of scenarios.
mod prelude {
    pub(super) use std::time::Duration;

    pub(super) use crate::{
        Choice, Ending, Expectation, Question, ScenarioPolicy, ScenarioWords, StopReason,
    };
    pub(super) use client::{Endpoint, FailureKind, teaching::endpoint};

    pub(super) use super::{
        Chapter, Network, PAGE, PLAIN, Scenario, Share, Variation, answers, expect_items,
        expect_recovery,
        responder::{fails_first, faulty, for_posts, unavailable, unavailable_until},
        sentences::*,
    };
    pub(super) use crate::clients::Task;
}

/// Every scenario, in the order of the course: by chapters.
pub static CATALOGUE: &[Scenario] = &[
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
    items::SCENARIO,
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

/// The scenario of this name.
///
/// # Errors
///
/// [`UnknownName`], with the nearest name if one is near.
pub fn find(name: &str) -> Result<&'static Scenario, UnknownName> {
    let mut scenarios = CATALOGUE.iter();
    let found = scenarios.find(|scenario| scenario.words.name == name);
    found.ok_or_else(|| {
        let names = CATALOGUE.iter().map(|scenario| scenario.words.name);
        UnknownName::new("scenario", name, names, "lab list")
    })
}

/// A fault, a task for a client, and the expected results.
pub struct Scenario {
    /// Its chapter of the course.
    pub chapter: Chapter,
    /// Its texts.
    pub words: ScenarioWords,
    /// The settings to try next; none if its own settings show everything.
    pub variation: Option<Variation>,
    /// How often a load runs it.
    pub load: Share,
    /// The network between client and service.
    pub network: Network,
    /// Routes in addition to the service's own, made for one run on its clock.
    pub routes: fn(Arc<dyn Clock>) -> Routes,
    /// The client's settings, made from the defaults.
    pub policy: fn(ScenarioPolicy) -> ScenarioPolicy,
    /// The client's task.
    pub task: Task,
    /// The expected results.
    pub expect: fn(&ScenarioPolicy) -> Vec<Expectation>,
    /// How many requests should never reach the service.
    pub unseen: fn(&ScenarioPolicy) -> u64,
}

/// A plain scenario, to build others on.
const PLAIN: Scenario = Scenario {
    chapter: Chapter::Retrying,
    words: ScenarioWords {
        name: "",
        title: "",
        request: "",
        question: Question::choices("", &[]),
        hint: "",
        why: "",
        reliable: "",
        naive: "",
        unsolved: "",
    },
    variation: None,
    load: Share::fault(1),
    network: Network::Direct,
    routes: |_| Routes::default(),
    policy: |policy| policy,
    task: Task::Flaky,
    expect: |_| Vec::new(),
    unseen: |_| 0,
};

/// Settings to try in a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Variation {
    /// The settings, as options of `lab scenario`.
    pub options: &'static str,
    /// What a run with them shows.
    pub shows: &'static str,
}

/// How often a load runs a scenario, as a weight against all others.
///
/// The weights suit a dashboard: most of the traffic is healthy, every fault occurs
/// within a few minutes, and scenarios that wait for seconds are rare, because they occupy
/// a slot all the time.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// The weight; 0 excludes the scenario.
    pub weight: u32,
    /// Whether it is run more often while faults surge.
    pub surges: bool,
}

impl Share {
    /// For a healthy response.
    #[must_use]
    pub const fn healthy(weight: u32) -> Self {
        Self {
            weight,
            surges: false,
        }
    }

    /// For a fault, with or without a successful retry.
    #[must_use]
    pub const fn fault(weight: u32) -> Self {
        Self {
            weight,
            surges: true,
        }
    }
}

impl Scenario {
    /// Its name on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.words.name
    }

    /// Its routes, and the faults of its network, which the service counts.
    pub(crate) fn added(&self, clock: Arc<dyn Clock>) -> Routes {
        let mut added = (self.routes)(clock);
        if let Network::Faults(faults) = self.network {
            let (method, endpoint) = self.task.request();
            added.expected.push(ExpectedRoute {
                path: endpoint.template(),
                method,
                statuses: Vec::new(),
                faults: faults.iter().map(|fault| fault.label()).collect(),
                has_retry_after: false,
            });
        }
        added
    }

    /// Its settings: those of the scenario, unless a reader replaces them.
    #[must_use]
    pub fn policy_with(&self, overrides: &Overrides) -> ScenarioPolicy {
        (self.policy)(DEFAULT_POLICY).with(overrides)
    }

    /// The lesson of a run by this client with this policy. The sentence about the client is
    /// true if the run is `typical`: it ended by itself, and as it should if the client is the
    /// reliable one.
    pub(crate) fn lesson(&self, policy: &ScenarioPolicy, client: Client, typical: bool) -> Lesson {
        let under_its_own_settings = *policy == self.policy_with(&Overrides::default());
        let of_client = if client == RELIABLE && under_its_own_settings {
            Some(self.words.reliable)
        } else if client == NAIVE {
            Some(self.words.naive)
        } else {
            None
        };
        let of_client = of_client.filter(|_| typical);
        let (next, next_shows) = self.next(client, under_its_own_settings);
        Lesson {
            why: [self.words.why].into_iter().chain(of_client).collect(),
            without: client
                .without
                .map(|without| without.remark(self.words.name)),
            unsolved: self.words.unsolved,
            next,
            next_shows,
        }
    }

    /// The next scenario of the course; `None` after the last.
    #[must_use]
    pub fn following(&self) -> Option<&'static Scenario> {
        let mut course = CATALOGUE.iter();
        course.find(|known| known.words.name == self.words.name);
        course.next()
    }

    /// The next step after a comparison with this client, as arguments of `lab`: the next
    /// scenario, or the next defence in the scenario that shows it best.
    #[must_use]
    pub fn next_comparison(&self, client: Client) -> String {
        if let Some(defence) = client.without {
            let mut course = WITHOUT
                .iter()
                .skip_while(|without| without.defence.id != defence.id);
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

    /// The next step after a run, as arguments of `lab`: never the same run again. If it
    /// carries a setting, also what it shows.
    fn next(&self, client: Client, under_its_own_settings: bool) -> (String, Option<&'static str>) {
        let name = self.words.name;
        if let Some(defence) = client.without {
            let name = if defence.shows_in(name) {
                name
            } else {
                defence.shows_best_in()
            };
            let id = defence.id;
            return (format!("scenario {name} --without {id} --compare"), None);
        }
        // No other client uses the policy, so its settings cannot be varied.
        if client != RELIABLE {
            return (format!("scenario {name} --compare"), None);
        }
        if let Some(Variation { options, shows }) = self.variation
            && under_its_own_settings
        {
            return (format!("scenario {name} {options}"), Some(shows));
        }
        let next = match self.following() {
            Some(next) => format!("scenario {}", next.words.name),
            None => "scenario all".to_owned(),
        };
        (next, None)
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("name", &self.words.name)
            .finish_non_exhaustive()
    }
}

/// The expected results of a call that fails once with a Retry-After of `wait`, and
/// succeeds once the client has `waited`.
fn expect_recovery(
    policy: &ScenarioPolicy,
    wait: Duration,
    waited: Expectation,
) -> Vec<Expectation> {
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
        Expectation::names_reason(gave_up),
        Expectation::requests(1),
    ]
}

/// The expected results of reading `/items` when the first attempt fails in transport in
/// this way; `again` is expected if another attempt is allowed.
fn expect_items(
    policy: &ScenarioPolicy,
    kind: FailureKind,
    again: Expectation,
) -> Vec<Expectation> {
    if policy.max_attempts < 2 {
        return vec![
            Expectation::ending(Ending::TransportError, "the failure reached the caller"),
            Expectation::fact("problem", kind.as_str(), "the error names the failure"),
        ];
    }
    let items = (items::SCENARIO.expect)(policy).into_iter().next();
    [again].into_iter().chain(items).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_scenario_has_the_name_of_its_file() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/catalogue");
        for scenario in CATALOGUE {
            let file = format!("{}.rs", scenario.words.name.replace('-', "_"));
            assert!(folder.join(&file).is_file(), "{file} does not exist");
        }
    }
}
