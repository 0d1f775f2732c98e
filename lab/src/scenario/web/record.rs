//! A run as the web UI sees it: running or over.

use std::{sync::Arc, time::SystemTime};

use humantime::format_rfc3339_millis;
use render::Options;
use scenario::{
    self, Answer, Client, Compared, Comparison, Ending, Overrides, Pace, Recorder, ScenarioRun,
    Story, compare::why,
};
use serde::{Deserialize, Serialize, Serializer};
use tokio::sync::watch;

use super::{
    RunMark,
    request::{ClientChoice, RunRequest},
};
use crate::invocation::lab;

/// A requested run.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) id: String,
    pub(super) request: RunRequest,
    pub(super) started: SystemTime,
    pub(super) state: State,
    /// Why it failed.
    pub(super) error: Option<String>,
    /// Set when the run is cancelled.
    pub(super) cancelled: Arc<watch::Sender<bool>>,
    /// One for each client of the run.
    pub(super) sides: Vec<Side>,
    /// The comparison of two sides, once they have finished.
    pub(super) compared: Option<Arc<Compared>>,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    Running,
    Finished,
    Cancelled,
    /// It could not run; the record has the reason.
    Failed,
}

/// One client's side of a run. Clones are cheap.
#[derive(Clone, Debug)]
pub(super) enum Side {
    /// It is running, or could not continue.
    Live(Arc<Live>),
    Done(Arc<ScenarioRun>),
}

/// A side that is running, or could not continue.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Live {
    pub(super) client: Client,
    pub(super) terms: Vec<String>,
    #[serde(skip)]
    pub(super) recorder: Recorder,
}

/// A run in a list.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Summary {
    id: String,
    scenario: &'static str,
    client: ClientChoice,
    /// The defence that is removed from the reference client, or from the second side.
    without: Option<&'static str>,
    pace: Pace,
    /// The settings that the reader chose.
    settings: Overrides,
    seed: u64,
    state: State,
    /// Whether every expectation held; none until the run has finished. For a comparison,
    /// that of the reference client, because the other one is not expected to do well.
    passed: Option<bool>,
    /// How the run ended for the client, in a comparison for the reference client; none
    /// until it has finished.
    ending: Option<Ending>,
    /// The ending as a phrase.
    ended: Option<String>,
    started: String,
}

/// A run with all its details.
#[derive(Debug, Serialize)]
pub(super) struct Detail {
    #[serde(flatten)]
    summary: Summary,
    error: Option<String>,
    /// A run for each side, as far as it is known.
    sides: Vec<Side>,
    /// The comparison of two sides, once they have finished.
    compared: Option<Compared>,
    /// The lesson and its open problems; none until the run is over, because the question
    /// comes first.
    lesson: Option<String>,
    unsolved: Option<&'static str>,
}

impl Record {
    /// The run as a page shows it, with the reader's guess. `service` is the base URL
    /// of the service.
    pub(super) fn story(&self, guess: Option<Answer>, service: &str) -> Story<'_> {
        let drawn = self.sides.iter().map(|side| match side {
            Side::Done(run) => scenario::ShownRun::of(run),
            Side::Live(live) => {
                scenario::ShownRun::so_far(live.client, &live.terms, &live.recorder)
            }
        });
        Story {
            words: &self.request.scenario.words,
            sides: drawn.collect(),
            prediction: guess,
            compared: self.compared.as_deref(),
            seed: self.request.seed,
            pace: self.request.pace,
            why: self.is_over().then(|| self.why().join(" ")),
            lab: lab(),
            next: self.next(),
            next_shows: match &self.sides[..] {
                [Side::Done(run)] => run.lesson.next_shows,
                _ => None,
            },
            next_link: None,
            error: self.error.as_deref(),
            service: service.to_owned(),
        }
    }

    /// The run as a mark on an axis of time.
    pub(super) fn mark(&self) -> RunMark {
        RunMark {
            id: self.id.clone(),
            scenario: self.request.scenario.name(),
            started: self.started,
            is_good: match self.state {
                State::Running | State::Cancelled => None,
                State::Finished => self.run(0).map(ScenarioRun::passed),
                State::Failed => Some(false),
            },
        }
    }

    /// Its clients, each with how it works and its limits.
    pub(super) fn premises(&self) -> Vec<(Client, Vec<String>)> {
        let sides = self.sides.iter().map(|side| match side {
            Side::Done(run) => (run.client, run.terms.clone()),
            Side::Live(live) => (live.client, live.terms.clone()),
        });
        sides.collect()
    }

    /// Whether it is a run of one client that is over, and a few rows long.
    pub(super) fn is_short(&self) -> bool {
        matches!(&self.sides[..], [Side::Done(run)] if (1..=3).contains(&run.counted()))
            && self.state == State::Finished
    }

    /// Whether it has ended in any way.
    pub(super) fn is_over(&self) -> bool {
        self.state != State::Running
    }

    pub(super) fn summary(&self) -> Summary {
        let finished = self.state == State::Finished;
        let first = self.run(0).filter(|_| finished);
        Summary {
            id: self.id.clone(),
            scenario: self.request.scenario.words.name,
            client: self.request.choice,
            without: self.request.without.map(|without| without.defence.id),
            pace: self.request.pace,
            settings: self.request.overrides,
            seed: self.request.seed,
            state: self.state,
            passed: first.map(ScenarioRun::passed),
            ending: first.map(|run| run.outcome.ending),
            ended: first.map(|run| {
                let ending = run.outcome.ending;
                ending.phrase(&ending.to_string())
            }),
            started: format_rfc3339_millis(self.started).to_string(),
        }
    }

    /// The run of a side, if it is over.
    pub(super) fn run(&self, side: usize) -> Option<&ScenarioRun> {
        match self.sides.get(side)? {
            Side::Done(run) => Some(run),
            Side::Live(_) => None,
        }
    }

    /// The runs of the sides that are over.
    pub(super) fn runs(&self) -> impl Iterator<Item = &ScenarioRun> {
        (0..self.sides.len()).filter_map(|side| self.run(side))
    }

    /// Both sides of a comparison, if they are over.
    pub(super) fn comparison(&self) -> Option<Comparison> {
        let (one, other) = self.run(0).zip(self.run(1))?;
        let compared = match &self.compared {
            Some(compared) => Compared::clone(compared),
            None => Compared::of([one, other]),
        };
        Some(Comparison {
            runs: [one.clone(), other.clone()],
            compared,
            next: self.request.scenario.next_comparison(other.client),
        })
    }

    /// The run as `lab scenario` prints it, in 80 columns: the comparison of two complete runs,
    /// or else every run as far as it came. None until it is over.
    pub(super) fn text(&self) -> Option<String> {
        let words = &self.request.scenario.words;
        let options = Options {
            lab: lab(),
            ..Options::default()
        };
        match self.state {
            State::Running => return None,
            State::Finished => {
                if let Some(both) = self.comparison() {
                    return Some(scenario::comparison(words, &both, None, &options));
                }
            }
            State::Cancelled | State::Failed => {}
        }
        let texts = self
            .runs()
            .map(|run| scenario::text(words, run, None, &options));
        Some(texts.collect::<Vec<_>>().join("\n"))
    }

    /// The next command to try, as arguments of the lab: after a comparison that of both
    /// sides, and otherwise that of the first.
    pub(super) fn next(&self) -> Option<String> {
        let first = self.run(0)?;
        Some(match self.run(1) {
            Some(other) => self.request.scenario.next_comparison(other.client),
            None => first.lesson.next.clone(),
        })
    }

    /// The lesson for the completed runs; without one, the lesson that is valid for every
    /// client.
    fn why(&self) -> Vec<&'static str> {
        let runs: Vec<_> = self.runs().collect();
        if runs.is_empty() {
            vec![self.request.scenario.words.why]
        } else {
            why(runs)
        }
    }

    pub(super) fn detail(&self) -> Detail {
        let over = self.state != State::Running;
        let scenario = self.request.scenario;
        Detail {
            summary: self.summary(),
            error: self.error.clone(),
            sides: self.sides.clone(),
            compared: self.compared.as_deref().cloned(),
            lesson: over.then(|| self.why().join(" ")),
            unsolved: over.then_some(scenario.words.unsolved),
        }
    }
}

impl Serialize for Side {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Live(live) => live.serialize(serializer),
            Self::Done(run) => run.serialize(serializer),
        }
    }
}
