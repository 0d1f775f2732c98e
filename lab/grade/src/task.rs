//! The tasks, in the order of the course.

mod create;
mod create_twice;
mod crowded;
mod down;
mod flaky;
mod half_a_list;
mod invalid_body;
mod long_list;
mod r#loop;
mod lost_response;
mod maintenance;
mod many_calls;
mod no_body;
mod post_once;
mod read_all;
mod redirect_post;
mod redirected;
mod refused;
mod retry_after;
mod retry_at;
mod silence;
mod unbounded;

use std::time::{Duration, SystemTime};

use axum::{body::Bytes, response::Response};
use http::Method;
use judge::rules::{CaseKind, Rule, request_headers};
use tokio::sync::OwnedSemaphorePermit;
use wire::UnknownName;

use super::{draw::Draw, time_zone::TimeZone};
use crate::{Goal, TaskWords};

/// The tasks, in the order of the course.
pub static TASKS: &[&Task] = &[
    &read_all::TASK,
    &flaky::TASK,
    &retry_after::TASK,
    &retry_at::TASK,
    &maintenance::TASK,
    &down::TASK,
    &refused::TASK,
    &invalid_body::TASK,
    &no_body::TASK,
    &r#loop::TASK,
    &long_list::TASK,
    &half_a_list::TASK,
    &create::TASK,
    &create_twice::TASK,
    &lost_response::TASK,
    &post_once::TASK,
    &many_calls::TASK,
    &crowded::TASK,
    &silence::TASK,
    &unbounded::TASK,
    &redirected::TASK,
    &redirect_post::TASK,
];

/// A task: the request to a client, and the faults that it meets.
#[derive(Debug)]
pub struct Task {
    /// Its text.
    pub words: TaskWords,
    /// The facts about its cases that rules need.
    pub(super) kind: CaseKind,
    /// The rules that are judged in it, beside those of every task.
    rules: &'static [&'static Rule],
    pub(super) method: Method,
    /// The routes that are served beside the path of its words.
    pub(super) more_routes: &'static [&'static str],
    cases: &'static [Case],
    /// Whether the order of the cases is drawn.
    is_shuffled: bool,
    /// Whether a token is to be sent along.
    pub(super) has_token: bool,
}

/// The rules that are judged in every task.
const EVERYWHERE: [&Rule; 1] = [&request_headers::RULE];

/// A task for a GET without a token, to be completed.
const PLAIN: Task = Task {
    words: TaskWords {
        name: "",
        path: "/value",
        request: "GET",
        body: None,
        text: "",
        goal: "",
        hint: "",
        scenario: "",
        time: TaskWords::TIME,
    },
    kind: CaseKind::Plain,
    rules: &[],
    method: Method::GET,
    more_routes: &[],
    cases: &[],
    is_shuffled: false,
    has_token: false,
};

/// The behaviour of the service in one case of a task.
#[derive(Debug)]
pub(super) struct Case {
    /// Its behaviour, in words.
    pub(super) name: &'static str,
    /// The time zone of the client; none for that of the lab.
    pub(super) time_zone: Option<TimeZone>,
    pub(super) responder: fn(&mut Draw) -> Box<dyn Responder>,
}

impl Case {
    const fn new(name: &'static str, responder: fn(&mut Draw) -> Box<dyn Responder>) -> Self {
        Self {
            name,
            time_zone: None,
            responder,
        }
    }

    /// The same case for a client in this time zone, which its name gives.
    const fn in_zone(self, zone: TimeZone) -> Self {
        Self {
            time_zone: Some(zone),
            ..self
        }
    }
}

/// The service of one case.
pub(super) trait Responder: Send {
    fn respond(&mut self, request: &Received) -> Reply;

    /// The result that the caller must have, once everything was served.
    fn goal(&self) -> Goal;

    /// The query of its URL, to which a client adds its cursor; empty for none.
    fn query(&self) -> String {
        String::new()
    }

    /// Whether it needs a second origin, with a listener of its own, to which it redirects.
    fn has_another_origin(&self) -> bool {
        false
    }
}

/// A response, and the intended call of its request if there are several.
pub(super) struct Reply {
    pub(super) response: Response,
    pub(super) call: Option<u64>,
    /// The time until it is sent.
    pub(super) takes: Duration,
    /// The worker that is busy until then.
    pub(super) worker: Option<OwnedSemaphorePermit>,
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self {
            response,
            call: None,
            takes: Duration::ZERO,
            worker: None,
        }
    }
}

/// A request of the task's own method, as a case receives it.
pub(super) struct Received {
    /// Its path, as far as the task knows it.
    pub(super) path: String,
    /// The prefix of a path in the URLs of this case.
    pub(super) base_url: String,
    /// The second origin, if the case has one and this is not a request to it.
    pub(super) another_origin: Option<String>,
    /// When it came, by the calendar.
    pub(super) at: SystemTime,
    /// Whether it is the first on its connection.
    pub(super) is_fresh: bool,
    /// The parameters of its query, decoded.
    pub(super) query: Vec<(String, String)>,
    /// Its idempotency key.
    pub(super) key: Option<String>,
    pub(super) body: Bytes,
}

/// The parameter of a query that asks for a page.
const CURSOR: &str = "cursor";

impl Received {
    /// The first request on its connection, for this path.
    pub(super) fn of(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            base_url: String::new(),
            another_origin: None,
            at: SystemTime::UNIX_EPOCH,
            is_fresh: true,
            query: Vec::new(),
            key: None,
            body: Bytes::new(),
        }
    }

    /// The number of the page that it asks for, the first being 0, if each of these
    /// cursors leads to the next one; none for another cursor.
    fn page(&self, cursors: &[String]) -> Option<usize> {
        let mut parameters = self.query.iter();
        match parameters.find(|(name, _)| name == CURSOR) {
            None => Some(0),
            Some((_, cursor)) => Some(cursors.iter().position(|issued| issued == cursor)? + 1),
        }
    }

    /// Asks for the page of this cursor from now on; for the first one without it.
    #[cfg(test)]
    fn set_cursor(&mut self, cursor: Option<String>) {
        self.query.retain(|(name, _)| name != CURSOR);
        let cursor = cursor.map(|cursor| (CURSOR.to_owned(), cursor));
        self.query.extend(cursor);
    }
}

impl Task {
    /// The rules that are judged in it.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        self.rules.iter().copied().chain(EVERYWHERE)
    }

    /// The names of its cases.
    pub fn case_names(&self) -> impl Iterator<Item = &'static str> {
        self.cases.iter().map(|case| case.name)
    }

    /// The number of its cases.
    #[must_use]
    pub fn case_count(&self) -> usize {
        self.cases.len()
    }

    /// Whether a rule is judged in it for which milliseconds count.
    pub(super) fn is_about_milliseconds(&self) -> bool {
        self.rules().any(Rule::is_about_milliseconds)
    }

    /// Its cases, in the order in which they are run with this seed.
    pub(super) fn cases(&self, seed: u64) -> Vec<&'static Case> {
        let mut cases: Vec<_> = self.cases.iter().collect();
        if self.is_shuffled {
            // No case has this number.
            Draw::new(seed, self.words.name, cases.len()).shuffle(&mut cases);
        }
        cases
    }
}

/// The task of this name.
///
/// # Errors
///
/// [`UnknownName`], with the nearest name if one is near.
pub fn find(name: &str) -> Result<&'static Task, UnknownName> {
    let found = TASKS.iter().find(|task| task.words.name == name);
    found.copied().ok_or_else(|| {
        let names = TASKS.iter().map(|task| task.words.name);
        UnknownName::new("task", name, names, "lab list tasks")
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use super::*;

    #[test]
    fn the_order_of_cases_is_drawn_and_the_cases_are_not() {
        let refused = find("refused").expect("a task");
        let names = |seed| {
            let cases = refused.cases(seed).into_iter();
            cases.map(|case| case.name).collect::<Vec<_>>()
        };

        let drawn: HashSet<_> = (0..20).map(names).collect();

        assert!(drawn.len() > 10, "{} orders", drawn.len());
        assert_eq!(names(7), names(7));
        let all: BTreeSet<_> = refused.case_names().collect();
        for names in drawn {
            assert_eq!(names.len(), all.len());
            assert_eq!(names.into_iter().collect::<BTreeSet<_>>(), all);
        }
    }

    #[test]
    fn every_task_says_what_it_is() {
        let mut names = HashSet::new();
        for task in TASKS {
            let words = &task.words;
            assert!(names.insert(words.name), "{} stands twice", words.name);
            for text in [words.text, words.goal, words.hint, words.request] {
                assert!(!text.is_empty(), "{} leaves something out", words.name);
            }
            assert!(words.path.starts_with('/'), "{}", words.name);
            for case in task.cases {
                let zone = case
                    .time_zone
                    .is_none_or(|zone| case.name.ends_with(zone.name));
                assert!(zone, "{} does not name its time zone", case.name);
            }
            let has_body = task.method == Method::POST;
            assert_eq!(words.body.is_some(), has_body, "{}", words.name);
            assert!(!task.cases.is_empty(), "{}", words.name);
        }
    }
}
