//! The tasks, in the order of the course.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use axum::{body::Bytes, response::Response};
use evidence::{
    grade::{Goal, TaskWords},
    rules::{self, Rule},
};
use http::Method;
use tokio::sync::OwnedSemaphorePermit;

use super::draw::Draw;

/// Makes a module and an entry of [`TASKS`] out of each name.
macro_rules! tasks {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// Every task, in the order of the course.
        pub static TASKS: &[&Task] = &[$(&$name::TASK),*];
    };
}

tasks! {
    read_all
    flaky
    retry_after
    retry_at
    maintenance
    down
    refused
    invalid_body
    no_body
    r#loop
    long_list
    create
    lost_response
    post_once
    crowded
    silence
}

/// A task: what a client is asked to do, and what it meets.
#[derive(Debug)]
pub struct Task {
    /// What it says.
    pub words: TaskWords,
    /// The ids of the rules that are judged in it, beside those of every task.
    rules: &'static [&'static str],
    pub(super) method: Method,
    /// The routes that are served beside the path of its words.
    pub(super) more_routes: &'static [&'static str],
    pub(super) plays: &'static [Part],
    /// Whether a token is to be sent along.
    pub(super) has_token: bool,
}

/// The rules that are judged in every task.
const EVERYWHERE: [&str; 1] = ["request-headers"];

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
    rules: &[],
    method: Method::GET,
    more_routes: &[],
    plays: &[],
    has_token: false,
};

/// What the service does in one play of a task.
#[derive(Debug)]
pub(super) struct Part {
    /// What it does, in words.
    pub(super) name: &'static str,
    pub(super) responder: fn(&mut Draw) -> Box<dyn Responder>,
}

/// The service of one play.
pub(super) trait Responder: Send {
    fn respond(&mut self, request: &Received) -> Reply;

    /// What the caller must end up with, once everything was served.
    fn goal(&self) -> Goal;
}

/// A response, and which intended call its request belongs to if there are several.
pub(super) struct Reply {
    pub(super) response: Response,
    pub(super) call: Option<u64>,
    /// How long it takes.
    pub(super) takes: Duration,
    /// What it occupies meanwhile.
    pub(super) place: Option<OwnedSemaphorePermit>,
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self {
            response,
            call: None,
            takes: Duration::ZERO,
            place: None,
        }
    }
}

/// A request of the task's own method, as a play receives it.
pub(super) struct Received {
    /// Its path, as far as the task knows it.
    pub(super) path: String,
    /// What stands before a path in the URLs of this play.
    pub(super) base_url: String,
    /// When it came, by the calendar.
    pub(super) at: SystemTime,
    /// Whether it is the first on its connection.
    pub(super) is_fresh: bool,
    /// Its cursor, decoded.
    pub(super) cursor: Option<String>,
    /// Its idempotency key.
    pub(super) key: Option<String>,
    pub(super) body: Bytes,
}

impl Received {
    /// The number of the page that it asks for, the first being 0, if each of these
    /// cursors leads to the next one; none for another cursor.
    fn page(&self, cursors: &[String]) -> Option<usize> {
        match &self.cursor {
            None => Some(0),
            Some(cursor) => Some(cursors.iter().position(|issued| issued == cursor)? + 1),
        }
    }
}

impl Task {
    /// The rules that are judged in it.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        let ids = self.rules.iter().copied().chain(EVERYWHERE);
        ids.filter_map(rules::find)
    }

    /// How many plays it has.
    #[must_use]
    pub fn plays(&self) -> usize {
        self.plays.len()
    }
}

/// The task of this name.
///
/// # Errors
///
/// [`UnknownTask`], with the nearest name if one is near.
pub fn find(name: &str) -> Result<&'static Task, UnknownTask> {
    let names = || TASKS.iter().map(|task| task.words.name);
    let found = TASKS.iter().find(|task| task.words.name == name);
    found.copied().ok_or_else(|| UnknownTask {
        name: name.to_owned(),
        nearest: crate::nearest::nearest(name, names()),
    })
}

/// A name that no task has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownTask {
    name: String,
    nearest: Option<&'static str>,
}

impl fmt::Display for UnknownTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no task is called '{}'", self.name)?;
        match self.nearest {
            Some(nearest) => write!(f, "; did you mean '{nearest}'?"),
            None => f.write_str("; `lab tasks` shows them all"),
        }
    }
}

impl std::error::Error for UnknownTask {}

#[cfg(test)]
impl Received {
    /// The first request on its connection, for this path.
    fn of(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            base_url: "http://127.0.0.1:1/a".to_owned(),
            at: SystemTime::UNIX_EPOCH,
            is_fresh: true,
            cursor: None,
            key: None,
            body: Bytes::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_task_says_what_it_is_and_names_rules_that_there_are() {
        let mut names = HashSet::new();
        for task in TASKS {
            let words = &task.words;
            assert!(names.insert(words.name), "{} stands twice", words.name);
            for text in [words.text, words.goal, words.hint, words.request] {
                assert!(!text.is_empty(), "{} leaves something out", words.name);
            }
            assert!(words.path.starts_with('/'), "{}", words.name);
            let has_body = task.method == Method::POST;
            assert_eq!(words.body.is_some(), has_body, "{}", words.name);
            assert!(task.plays() > 0, "{}", words.name);
            crate::scenario::find(words.scenario).expect("a scenario that shows it");
            for id in task.rules {
                assert!(rules::find(id).is_some(), "{}: {id}", words.name);
            }
        }
    }

    #[test]
    fn a_near_miss_is_told_what_is_near() {
        let error = |name| find(name).expect_err("unknown").to_string();

        assert_eq!(
            error("flakey"),
            "no task is called 'flakey'; did you mean 'flaky'?"
        );
        assert_eq!(
            error("xyzzy"),
            "no task is called 'xyzzy'; `lab tasks` shows them all"
        );
    }
}
