//! A task: its texts, its rules, and the cases in which it is run.

use std::time::Duration;

use http::Method;
use judge::rules::{CaseKind, Rule, request_headers};

use crate::{draw::Draw, responder::Responder, time_zone::TimeZone};

/// A task: the request to a client, and the faults that it meets.
#[derive(Debug)]
pub struct Task {
    /// Its text.
    pub words: TaskWords,
    /// The facts about its cases that rules need.
    pub(crate) kind: CaseKind,
    /// The rules that are judged in it, beside those of every task.
    pub(crate) rules: &'static [&'static Rule],
    pub(crate) method: Method,
    /// The routes that are served beside the path of its words.
    pub(crate) more_routes: &'static [&'static str],
    pub(crate) cases: &'static [Case],
    /// Whether the order of the cases is drawn.
    pub(crate) is_shuffled: bool,
    /// Whether a token is to be sent along.
    pub(crate) has_token: bool,
}

/// The texts of a task for the author of a client.
#[derive(Clone, Copy, Debug)]
pub struct TaskWords {
    /// Its name.
    pub name: &'static str,
    /// The last part of the path of each of its cases.
    pub path: &'static str,
    /// The method, and whether the response is a listing.
    pub request: &'static str,
    /// An example of the JSON body; none for a request without a body.
    pub body: Option<&'static str>,
    /// The task, and the faults that may happen meanwhile.
    pub text: &'static str,
    /// The last line to print.
    pub goal: &'static str,
    /// A hint for an author who is stuck.
    pub hint: &'static str,
    /// The scenario that shows a client doing it.
    pub scenario: &'static str,
    /// How long a case may take, from its first request.
    pub time: Duration,
}

/// The behaviour of the service in one case of a task.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its behaviour, in words.
    pub(crate) name: &'static str,
    /// The time zone of the client; none for that of the lab.
    pub(crate) time_zone: Option<TimeZone>,
    pub(crate) responder: fn(&mut Draw) -> Box<dyn Responder>,
}

/// The rules that are judged in every task.
const EVERYWHERE: [&Rule; 1] = [&request_headers::RULE];

/// A task for a GET without a token, to be completed.
pub(crate) const PLAIN: Task = Task {
    words: TaskWords {
        name: "",
        path: "/value",
        request: "GET",
        body: None,
        text: "",
        goal: "",
        hint: "",
        scenario: "",
        time: Duration::from_secs(10),
    },
    kind: CaseKind::Plain,
    rules: &[],
    method: Method::GET,
    more_routes: &[],
    cases: &[],
    is_shuffled: false,
    has_token: false,
};

impl Task {
    /// The rules that are judged in it.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        self.rules.iter().copied().chain(EVERYWHERE)
    }

    /// The names of its cases.
    pub fn case_names(&self) -> impl Iterator<Item = &'static str> {
        self.cases.iter().map(|case| case.name)
    }

    /// Whether a rule is judged in it for which milliseconds count.
    #[must_use]
    pub fn is_about_milliseconds(&self) -> bool {
        self.rules().any(Rule::is_about_milliseconds)
    }

    /// Its cases, in the order in which they are run with this seed.
    pub(crate) fn cases(&self, seed: u64) -> Vec<&'static Case> {
        let mut cases: Vec<_> = self.cases.iter().collect();
        if self.is_shuffled {
            // No case has this number.
            Draw::new(seed, self.words.name, cases.len()).shuffle(&mut cases);
        }
        cases
    }
}

impl Case {
    pub(crate) const fn new(
        name: &'static str,
        responder: fn(&mut Draw) -> Box<dyn Responder>,
    ) -> Self {
        Self {
            name,
            time_zone: None,
            responder,
        }
    }

    /// The same case for a client in this time zone, which its name gives.
    pub(crate) const fn in_zone(self, zone: TimeZone) -> Self {
        Self {
            time_zone: Some(zone),
            ..self
        }
    }
}
