//! The runs of a command: two healthy ones, and then those that its cases need, each with a
//! proxy of its own.
//!
//! [`next_run`] decides from the runs so far which one is next, and `execute` makes it.

mod execute;
mod next_run;

use std::{io, net::IpAddr, time::Duration};

use process::{ClientCommand, RunError};
use tokio::sync::watch;

pub(crate) use self::next_run::next_run;
use self::next_run::{NextRun, with_one_silence};
use crate::{
    AddressText, CommandEnd, Declared, ProxyCard, ProxyFault, ProxyRequest, ProxyRun, Setup,
    UpstreamFailure,
    card::{Recording, RouteRow},
    routes::{Templates, base, holding, is_health_check},
    verdict::rules::{is_about_repetition, is_safe},
};

/// How a command is run, and what is asked of it.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// The proxy of each run.
    pub setup: Setup,
    /// The command.
    pub command: ClientCommand,
    /// The variables to set.
    pub set: Vec<(String, AddressText)>,
    /// The routes to aim at; empty for all that can be.
    pub routes: Vec<String>,
    /// The faults; empty for all that tell something.
    pub faults: Vec<ProxyFault>,
    /// The user's statements about the API and the command.
    pub declared: Declared,
    /// For how long a silence lasts.
    pub patience: Duration,
    /// How long a run may take.
    pub time: Duration,
    /// A command of the shell before each run.
    pub before: Option<String>,
    /// Becomes true once no more may be run. The command under way is then asked to end, and
    /// the plan ends with [`PlanError::Cancelled`].
    pub cancelled: watch::Receiver<bool>,
}

/// How many requests of a command that fails are named.
const SHOWN: usize = 8;

/// Why a command cannot be judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The program could not be started, or not be watched.
    #[error("cannot run {program}")]
    Program {
        /// The program, as it was named.
        program: String,
        /// Which of the two, and the error of the system.
        source: RunError,
    },
    /// The command before each run failed.
    #[error("--before '{command}' failed: {}", end.words())]
    Before {
        /// The command.
        command: String,
        /// How it ended.
        end: CommandEnd,
    },
    /// A proxy got no port.
    #[error("the proxy cannot listen on {address}")]
    Listen {
        /// The address.
        address: IpAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The process failed while the run went on.
    #[error(transparent)]
    Failed(#[from] host::HostFailure),
    /// The upstream left a request without a response.
    #[error("{upstream} did not answer: {why}")]
    Unreachable {
        /// Its origin.
        upstream: String,
        /// Why, and what to do about it.
        why: String,
    },
    /// The command sent nothing.
    #[error(
        "your command sent nothing here; the address of the proxy was in {set}. Which variable \
         names its API? --set NAME; in arguments {{base_url}} stands for the URL of the proxy. It \
         speaks http: a URL or DSN with https:// does not reach it"
    )]
    NothingSent {
        /// The variables that were set.
        set: String,
    },
    /// The command sent only what the proxy does not pass on.
    #[error("your command sent nothing that the proxy passes on: {0}")]
    AllRefused(String),
    /// The command fails without a fault.
    #[error(
        "your command failed although nothing was broken: {}. It made: {requests}{hint}",
        end.words()
    )]
    Unhealthy {
        /// How it ended.
        end: CommandEnd,
        /// Its first requests, and what came of them.
        requests: String,
        /// A cause that is likely, and what to do.
        hint: String,
    },
    /// A route was named, or declared, that the healthy runs did not show.
    #[error("the healthy runs made no request '{route}'; they made {known}")]
    NoSuchRoute {
        /// The route.
        route: String,
        /// Those that there are.
        known: String,
    },
    /// A declaration holds for requests that ask for different things.
    #[error(
        "the requests '{route}' differ, and --once holds for one operation: choose it by a text of \
         its body or target, --match TEXT"
    )]
    Ambiguous {
        /// Their route.
        route: String,
    },
    /// No request holds the text.
    #[error("no request of the healthy runs holds the text '{text}' of --match{hint}")]
    NoSuchText {
        /// The text.
        text: String,
        /// A cause that is likely; empty if none is known.
        hint: &'static str,
    },
    /// [`PlanOptions::cancelled`] became true.
    #[error("cancelled")]
    Cancelled,
}

/// A run that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStart {
    /// Its number, starting at 1.
    pub number: usize,
    /// The number of all runs that are planned so far.
    pub of: usize,
    /// Its purpose, in words.
    pub what: String,
}

/// A command with its healthy runs, and what follows from them.
#[derive(Debug)]
pub struct Plan {
    options: PlanOptions,
    templates: Templates,
    recording: Recording,
}

impl Plan {
    /// Runs a command twice without a fault, and plans its cases.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the command cannot be judged.
    pub async fn new(options: PlanOptions, on: &impl Fn(RunStart)) -> Result<Self, PlanError> {
        let mut plan = Self {
            templates: Templates::default(),
            recording: Recording {
                command: options.command.words(),
                upstream: options.setup.upstream.to_string(),
                injected: options.setup.injected.clone(),
                ..Recording::default()
            },
            options,
        };
        for number in 1..=2 {
            let what = "healthy".to_owned();
            on(RunStart {
                number,
                of: 2,
                what,
            });
            let run = plan.run(None).await?;
            plan.check_healthy(&run).await?;
            plan.recording.runs.push(run);
        }
        plan.name_routes();
        plan.recording.plan = plan.choose()?;
        Ok(plan)
    }

    async fn check_healthy(&self, run: &ProxyRun) -> Result<(), PlanError> {
        let upstream = &self.options.setup.upstream;
        let unreachable = |failure: &UpstreamFailure| PlanError::Unreachable {
            upstream: upstream.to_string(),
            why: failure.to_string(),
        };
        let is_unanswered = run.requests.iter().find(|request| request.is_unanswered());
        let is_suspect = is_unanswered.is_some() || run.end.exit != Some(0);
        if is_suspect && upstream.tls().is_none() && upstream.speaks_tls().await {
            return Err(unreachable(&UpstreamFailure::speaks_tls()));
        }
        if let Some(request) = is_unanswered {
            let upstream = request.upstream.as_ref();
            let failure = upstream.and_then(|upstream| upstream.failure.as_ref());
            let unknown = UpstreamFailure::of("it sent no response");
            return Err(unreachable(failure.unwrap_or(&unknown)));
        }
        if run.end.exit != Some(0) {
            return Err(self.unhealthy(run));
        }
        if !run.requests.is_empty() {
            Ok(())
        } else if run.refused.is_empty() {
            let set = self.options.set.iter().map(|(name, _)| &**name);
            let names: Vec<_> = ["LAB_BASE_URL"].into_iter().chain(set).collect();
            Err(PlanError::NothingSent {
                set: names.join(", "),
            })
        } else {
            Err(PlanError::AllRefused(run.refused.join("; ")))
        }
    }

    /// That a command failed although nothing was broken, with a cause that is likely.
    fn unhealthy(&self, run: &ProxyRun) -> PlanError {
        let in_words = |request: &ProxyRequest| match request.status {
            Some(status) => format!("{} ({status})", request.route),
            None => format!("{} (no response)", request.route),
        };
        let answered: Vec<_> = run.requests.iter().take(SHOWN).map(in_words).collect();
        let hint = if let Some(refused) = run.refused.first() {
            format!(". {refused}")
        } else if run.end.stopped.is_some() {
            ". A command that serves does not end: use a script that starts it, runs a smoke \
             test and ends it"
                .to_owned()
        } else if run.requests.is_empty() {
            format!(
                ". The proxy speaks http: a URL or DSN with https:// does not reach it. It was on {}, \
                 which is another machine to a container or a network namespace: --listen ADDRESS \
                 --allow-network --base-host NAME",
                self.options.setup.listen.host(),
            )
        } else if run.names_upstream {
            ". A response named your API's own address: if the command compares it with the URL \
             that it was given, --keep-host may help"
                .to_owned()
        } else {
            String::new()
        };
        PlanError::Unhealthy {
            end: run.end.clone(),
            requests: if answered.is_empty() {
                "no request".to_owned()
            } else {
                answered.join(", ")
            },
            hint,
        }
    }

    /// Learns the routes from the healthy runs.
    fn name_routes(&mut self) {
        let shapes_of = |run: &ProxyRun| {
            let requests = run.requests.iter();
            let shapes = requests.map(|request| base(&request.route).to_owned());
            shapes.collect::<Vec<_>>()
        };
        if let [one, other] = &*self.recording.runs {
            self.templates = Templates::of(&shapes_of(one), &shapes_of(other));
        }
        for run in &mut self.recording.runs {
            name_routes(run, &self.templates);
        }
    }

    /// Whether the healthy runs made a request of this route.
    #[must_use]
    pub fn has_route(&self, route: &str) -> bool {
        self.routes().iter().any(|row| row.route == route)
    }

    /// Whether no case can be run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.recording.plan.is_empty()
    }

    /// The routes of the healthy runs.
    pub(crate) fn routes(&self) -> Vec<RouteRow> {
        self.recording.routes()
    }

    /// The cases: for each route a control, and the faults that tell something.
    fn choose(&self) -> Result<Vec<(String, ProxyFault)>, PlanError> {
        let rows = self.routes();
        let named = || {
            self.options
                .routes
                .iter()
                .chain(&self.options.declared.once)
        };
        let is_unknown = |route: &&String| rows.iter().all(|row| base(&row.route) != **route);
        if let Some(route) = named().find(is_unknown) {
            let mut known: Vec<_> = rows
                .iter()
                .map(|row| format!("'{}'", base(&row.route)))
                .collect();
            known.dedup();
            return Err(PlanError::NoSuchRoute {
                route: route.clone(),
                known: known.join(", "),
            });
        }
        let holds_text = |row: &&RouteRow| {
            let text = self.options.setup.text.as_ref();
            text.is_none_or(|text| row.route == holding(base(&row.route), text))
        };
        if let Some(text) = self
            .options
            .setup
            .text
            .as_ref()
            .filter(|_| !rows.iter().any(|row| holds_text(&row)))
        {
            return Err(PlanError::NoSuchText {
                text: text.clone(),
                hint: if self.recording.has_unsearched_bodies() {
                    ", which does not read bodies with a Content-Encoding"
                } else {
                    ""
                },
            });
        }
        let is_ambiguous =
            |row: &&RouteRow| row.differ && self.options.declared.is_once(&row.route);
        if let Some(row) = rows
            .iter()
            .find(is_ambiguous)
            .filter(|_| self.options.setup.text.is_none())
        {
            let route = row.route.clone();
            return Err(PlanError::Ambiguous { route });
        }
        let is_chosen = |row: &&RouteRow| {
            if self.options.routes.is_empty() {
                holds_text(row) && can_be_aimed_at(row) && !is_health_check(&row.route)
            } else {
                let mut routes = self.options.routes.iter();
                holds_text(row) && routes.any(|route| route == base(&row.route))
            }
        };
        let cases = rows.iter().filter(is_chosen).flat_map(|row| {
            let is_made =
                |fault: &ProxyFault| *fault == ProxyFault::Hold || self.is_asked(row, *fault);
            let faults = ProxyFault::ALL.into_iter().filter(is_made);
            faults.map(|fault| (row.route.clone(), fault))
        });
        if self.options.faults.is_empty() {
            Ok(with_one_silence(cases.collect()))
        } else {
            Ok(cases.collect())
        }
    }

    /// Whether a fault tells something of a route, or was named. A request that changes
    /// nothing may be sent again, so that only its mark could be wrong.
    fn is_asked(&self, row: &RouteRow, fault: ProxyFault) -> bool {
        let is_safe = is_safe(&row.route);
        let is_declared = self.options.declared.is_once(&row.route);
        let tells = !is_about_repetition(fault) || !is_safe || row.has_key || is_declared;
        if self.options.faults.is_empty() {
            tells
        } else {
            self.options.faults.contains(&fault)
        }
    }

    /// The cases of the plan.
    pub(crate) fn cases(&self) -> &[(String, ProxyFault)] {
        &self.recording.plan
    }

    /// Runs the cases, and again as far as their verdicts need it.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if a run could not be made.
    pub async fn execute(&mut self, on: &impl Fn(RunStart)) -> Result<(), PlanError> {
        let healthy = self.recording.runs.len();
        let patience = self.options.patience;
        while let Some(next) = next_run(&self.recording, &self.options.declared, patience) {
            let number = self.recording.runs.len() + 1;
            on(RunStart {
                number,
                of: number.max(healthy + self.recording.plan.len()),
                what: format!(
                    "{}: {}",
                    next.route,
                    self.recording.injected.words(next.fault)
                ),
            });
            let mut run = self.run(Some(self.aim(next))).await?;
            name_routes(&mut run, &self.templates);
            self.recording.runs.push(run);
        }
        Ok(())
    }

    /// The card.
    #[must_use]
    pub fn card(&self) -> ProxyCard {
        self.recording.card(&self.options.declared)
    }
}

/// Whether an attempt at one of its calls could be told from another call.
fn can_be_aimed_at(row: &RouteRow) -> bool {
    row.unfit.is_none() || row.is_marked
}

fn name_routes(run: &mut ProxyRun, templates: &Templates) {
    for request in &mut run.requests {
        let shape = base(&request.route);
        let text = request.route.strip_prefix(shape).unwrap_or_default();
        request.route = templates.route(shape) + text;
    }
}
