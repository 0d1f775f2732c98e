//! The catalogue: what can be played, from easy to hard.
//!
//! A scenario is data and two functions: what the client does, and what that
//! should come to under the policy in force. Each stands in a file of its own,
//! always in the same order: the lesson, the data, the act, the expectations.
//! Adding one is adding a file and a line to [`CATALOGUE`].

mod bad_cursor;
mod bad_items;
mod bad_json;
mod conflict;
mod create_job;
mod endless_items;
mod flaky;
mod items;
mod looping_items;
mod lost_response;
mod no_content;
mod not_found;
mod redirect;
mod replay;
mod retry_later;
mod text_json;

use std::{fmt, pin::Pin};

use client::{JsonObject, Listing, ReliableApiClient};
use serde_json::{Value, json};

use crate::{fault_proxy::Fault, outcome::Outcome, policy::Policy, verdict::Expectation};

/// Every scenario, in the order of the course.
pub const CATALOGUE: [Scenario; 16] = [
    items::SCENARIO,
    flaky::SCENARIO,
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
    create_job::SCENARIO,
    replay::SCENARIO,
    conflict::SCENARIO,
    lost_response::SCENARIO,
];

/// A fault, a client that meets it, and what should come of it.
pub struct Scenario {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What the service does, in a few words.
    pub title: &'static str,
    /// The request that the client makes.
    pub request: &'static str,
    /// Whether it reads a listing, so that the limits of listings matter.
    pub listing: bool,
    /// What to ask oneself before looking.
    pub question: &'static str,
    /// Why it matters, in two sentences.
    pub lesson: &'static str,
    /// What to try next: arguments of `lab`.
    pub next: &'static str,
    /// What stands between client and service: one fault a connection. Without
    /// any, nothing does.
    pub faults: &'static [Fault],
    /// The client's settings, made from the defaults.
    pub policy: fn(Policy) -> Policy,
    /// What the client does.
    pub act: fn(ReliableApiClient) -> Act,
    /// What that should come to.
    pub expect: fn(&Policy) -> Vec<Expectation>,
}

/// A scenario being played.
pub type Act = Pin<Box<dyn Future<Output = Outcome> + Send>>;

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The scenario of this name.
///
/// # Errors
///
/// [`UnknownScenario`], with the nearest name if one is near.
pub fn find(name: &str) -> Result<&'static Scenario, UnknownScenario> {
    static ALL: [Scenario; 16] = CATALOGUE;
    ALL.iter()
        .find(|scenario| scenario.name == name)
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

fn nearest(name: &str) -> Option<&'static str> {
    CATALOGUE
        .iter()
        .map(|scenario| (strsim::jaro_winkler(name, scenario.name), scenario.name))
        .filter(|(similarity, _)| *similarity > 0.7)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, nearest)| nearest)
}

/// The policy of a scenario that leaves the defaults as they are.
const fn as_it_is(policy: Policy) -> Policy {
    policy
}

/// Reads a listing to its end, item by item.
async fn read_all(listing: Listing) -> Outcome {
    let mut items = listing.items();
    let mut read = 0_u64;
    let outcome = loop {
        match items.next_item().await {
            Some(Ok(_)) => read += 1,
            Some(Err(error)) => break Outcome::failed(&error),
            None => break Outcome::ok(format!("ok, {read} items")),
        }
    };
    outcome.with("items", read)
}

/// The body of a job, one for each number.
fn job(number: u64) -> JsonObject {
    match json!({ "task": "resize", "image": number }) {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_what_one_would_type() {
        let mut names = CATALOGUE.map(|scenario| scenario.name);
        for name in names {
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
    fn every_next_step_names_a_scenario() {
        for scenario in CATALOGUE {
            let mut words = scenario.next.split(' ');

            assert_eq!(words.next(), Some("scenario"), "{}", scenario.name);
            assert!(
                find(words.next().unwrap_or_default()).is_ok(),
                "{}",
                scenario.name
            );
        }
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
