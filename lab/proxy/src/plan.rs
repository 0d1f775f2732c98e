//! The runs of a command: two healthy ones, and then one for each case with a proxy of its
//! own.

use std::{future::ready, io, process::Stdio, sync::Arc, time::Duration};

use http::HeaderName;
use process::{ClientCommand, Context, LabDelay, ProcessLimits};
use tokio::{process::Command, time::sleep};
use wire::Stopped;

use super::{Aim, Listening, Upstream};
use crate::{
    CommandEnd, Declared, Judged, ProxyCard, ProxyFault, ProxyRequest, ProxyRun, Recording,
    RouteRow, Templates, is_health_check, is_safe,
};

/// How a command is run, and what is asked of it.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its API.
    pub upstream: Upstream,
    /// The command.
    pub command: ClientCommand,
    /// The variables to set, each with a text in which `{base_url}` stands for the proxy.
    pub set: Vec<(String, String)>,
    /// The routes to aim at; empty for all that can be.
    pub routes: Vec<String>,
    /// The faults; empty for all that tell something.
    pub faults: Vec<ProxyFault>,
    /// What the user says of the API and of the command.
    pub declared: Declared,
    /// Further headers whose values name a call.
    pub call_headers: Vec<HeaderName>,
    /// How many runs and controls confirm what equal requests show.
    pub confirm: usize,
    /// For how long a silence lasts.
    pub patience: Duration,
    /// How long a run may take.
    pub time: Duration,
    /// What a shell does before each run.
    pub before: Option<String>,
    /// Whether `Host` is passed on as it came.
    pub keeps_host: bool,
}

/// How many requests of a command that fails are named.
const SHOWN: usize = 8;

/// Why a command cannot be judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The program could not be started.
    #[error("{program} could not be started")]
    Program {
        /// The program, as it was named.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// What is to be done before each run failed.
    #[error("--before '{command}' failed")]
    Before {
        /// The command.
        command: String,
    },
    /// A proxy got no port.
    #[error("the proxy could not listen on 127.0.0.1")]
    Listen(#[source] io::Error),
    /// The upstream left a request without a response.
    #[error("{upstream} did not answer: is it running?")]
    Unreachable {
        /// Its origin.
        upstream: String,
    },
    /// The command sent nothing.
    #[error(
        "your command sent nothing here; the URL of the proxy was in {set}. Which variable names \
         its API? --set NAME; in arguments {{base_url}} stands for that URL"
    )]
    NothingSent {
        /// The variables that were set.
        set: String,
    },
    /// The command fails without a fault.
    #[error("your command failed although nothing was broken: {}. It made: {requests}", end.words())]
    Unhealthy {
        /// How it ended.
        end: CommandEnd,
        /// Its first requests, and what came of them.
        requests: String,
    },
    /// A route was named, or declared, that the healthy runs did not show.
    #[error("the healthy runs made no request '{route}'; they made {known}")]
    NoSuchRoute {
        /// The route.
        route: String,
        /// Those that there are.
        known: String,
    },
}

/// A run that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Its number, starting at 1.
    pub number: usize,
    /// The number of all runs that are planned so far.
    pub of: usize,
    /// What it is for, in words.
    pub what: String,
}

/// A command with its healthy runs, and what follows from them.
#[derive(Debug)]
pub struct Plan {
    options: Options,
    templates: Templates,
    recording: Recording,
}

impl Plan {
    /// Runs a command twice without a fault, and plans its cases.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the command cannot be judged.
    pub async fn new(options: Options, on: &impl Fn(Progress)) -> Result<Self, PlanError> {
        let mut plan = Self {
            templates: Templates::default(),
            recording: Recording {
                command: options.command.words(),
                upstream: options.upstream.to_string(),
                ..Recording::default()
            },
            options,
        };
        for number in 1..=2 {
            let what = "healthy".to_owned();
            on(Progress {
                number,
                of: 2,
                what,
            });
            let run = plan.run(None).await?;
            plan.check_healthy(&run)?;
            plan.recording.runs.push(run);
        }
        plan.name_routes();
        plan.recording.plan = plan.cases()?;
        Ok(plan)
    }

    fn check_healthy(&self, run: &ProxyRun) -> Result<(), PlanError> {
        if run.requests.iter().any(ProxyRequest::is_unanswered) {
            let upstream = self.options.upstream.to_string();
            return Err(PlanError::Unreachable { upstream });
        }
        if run.end.exit != Some(0) {
            let seen = run.requests.iter().take(SHOWN).map(|it| {
                let status = it
                    .status
                    .map_or("no response".to_owned(), |it| it.to_string());
                format!("{} ({status})", it.route)
            });
            let requests: Vec<_> = seen.collect();
            let requests = match requests.is_empty() {
                true => "no request".to_owned(),
                false => requests.join(", "),
            };
            let end = run.end.clone();
            return Err(PlanError::Unhealthy { end, requests });
        }
        match run.requests.is_empty() && run.refused.is_empty() {
            true => {
                let set = self.options.set.iter().map(|(name, _)| &**name);
                let set: Vec<_> = ["LAB_BASE_URL"].into_iter().chain(set).collect();
                let set = set.join(", ");
                Err(PlanError::NothingSent { set })
            }
            false => Ok(()),
        }
    }

    /// Learns the routes from the healthy runs.
    fn name_routes(&mut self) {
        let shapes = self.recording.runs.iter().map(|run| {
            let shapes = run.requests.iter().map(|request| request.route.clone());
            shapes.collect::<Vec<_>>()
        });
        if let [one, other] = &*shapes.collect::<Vec<_>>() {
            self.templates = Templates::of(one, other);
        }
        for run in &mut self.recording.runs {
            name_routes(run, &self.templates);
        }
    }

    /// The routes of the healthy runs.
    #[must_use]
    pub fn routes(&self) -> Vec<RouteRow> {
        self.recording.routes()
    }

    /// The cases: for each route a control, and the faults that tell something.
    fn cases(&self) -> Result<Vec<(String, ProxyFault)>, PlanError> {
        let rows = self.routes();
        let named = || {
            self.options
                .routes
                .iter()
                .chain(&self.options.declared.once)
        };
        if let Some(route) = named().find(|it| rows.iter().all(|row| row.route != **it)) {
            let known: Vec<_> = rows.iter().map(|row| format!("'{}'", row.route)).collect();
            return Err(PlanError::NoSuchRoute {
                route: route.clone(),
                known: known.join(", "),
            });
        }
        let is_chosen = |row: &&RouteRow| match self.options.routes.is_empty() {
            true => can_be_aimed_at(row) && !is_health_check(&row.route),
            false => self.options.routes.contains(&row.route),
        };
        let cases = rows.iter().filter(is_chosen).flat_map(|row| {
            let faults = ProxyFault::ALL.into_iter();
            let faults =
                faults.filter(|fault| *fault == ProxyFault::Hold || self.is_asked(row, *fault));
            faults.map(|fault| (row.route.clone(), fault))
        });
        Ok(cases.collect())
    }

    /// Whether a fault tells something of a route, or was named. A request that changes
    /// nothing may be sent again, so that only its mark could be wrong.
    fn is_asked(&self, row: &RouteRow, fault: ProxyFault) -> bool {
        let is_safe = is_safe(&row.route);
        let is_declared = self.options.declared.once.contains(&row.route);
        let tells = match fault {
            ProxyFault::Unavailable | ProxyFault::LostResponse => {
                !is_safe || row.has_key || is_declared
            }
            ProxyFault::Hold
            | ProxyFault::RetryAfter
            | ProxyFault::Refused
            | ProxyFault::Silence => true,
        };
        match self.options.faults.is_empty() {
            true => tells,
            false => self.options.faults.contains(&fault),
        }
    }

    /// The cases of the plan, and about how long they will take.
    #[must_use]
    pub fn estimate(&self) -> (&[(String, ProxyFault)], Duration) {
        let healthy = self.recording.runs.iter().map(|run| run.end.took).max();
        let healthy = healthy.unwrap_or_default();
        let cases = self.recording.plan.iter();
        let took = cases.map(|(_, fault)| match fault {
            ProxyFault::Silence => healthy + self.options.patience,
            ProxyFault::Hold => healthy + ProxyFault::HELD,
            ProxyFault::RetryAfter => healthy + ProxyFault::WAIT,
            ProxyFault::Unavailable | ProxyFault::Refused | ProxyFault::LostResponse => healthy,
        });
        (&self.recording.plan, took.sum())
    }

    /// Runs the cases, and again what needs a confirmation.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if a run could not be made.
    pub async fn execute(&mut self, on: &impl Fn(Progress)) -> Result<(), PlanError> {
        let cases = self.recording.plan.clone();
        let mut done = self.recording.runs.len();
        let mut all = done + cases.len();
        for (route, fault) in &cases {
            done += 1;
            self.run_case(route, *fault, (done, all), on).await?;
        }
        for (route, fault) in &cases {
            while self.is_suspected(route, *fault) {
                let made = |plan: &Self, fault| {
                    let runs = plan.recording.runs.iter();
                    runs.filter(|run| run.is_of(route, fault)).count()
                };
                let lacking = [ProxyFault::Hold, *fault].into_iter();
                let lacking = lacking.filter(|it| made(self, *it) < self.options.confirm);
                for fault in lacking.collect::<Vec<_>>() {
                    (done, all) = (done + 1, all + 1);
                    self.run_case(route, fault, (done, all), on).await?;
                }
            }
        }
        Ok(())
    }

    async fn run_case(
        &mut self,
        route: &str,
        fault: ProxyFault,
        (number, of): (usize, usize),
        on: &impl Fn(Progress),
    ) -> Result<(), PlanError> {
        let what = format!("{route}: {}", fault.words());
        on(Progress { number, of, what });
        let aim = Aim {
            templates: self.templates.clone(),
            route: route.to_owned(),
            fault,
        };
        let mut run = self.run(Some(aim)).await?;
        name_routes(&mut run, &self.templates);
        self.recording.runs.push(run);
        Ok(())
    }

    fn is_suspected(&self, route: &str, fault: ProxyFault) -> bool {
        let Options {
            confirm, declared, ..
        } = &self.options;
        let judged = self.recording.judge(route, fault, *confirm, declared);
        judged.iter().any(|judged: &Judged| judged.is_suspected)
    }

    /// One run of the command, with a proxy of its own.
    async fn run(&self, aim: Option<Aim>) -> Result<ProxyRun, PlanError> {
        let Options {
            upstream,
            command,
            set,
            patience,
            time,
            before,
            ..
        } = &self.options;
        if let Some(before) = before {
            prepare(before).await?;
        }
        let is_silent = aim
            .as_ref()
            .is_some_and(|aim| aim.fault == ProxyFault::Silence);
        let (headers, keeps_host) = (&self.options.call_headers, self.options.keeps_host);
        let proxy = Listening::start(upstream, aim, headers, keeps_host);
        let proxy = proxy.map_err(PlanError::Listen)?;
        let base_url = proxy.base_url();
        let set = set
            .iter()
            .map(|(name, text)| (name.clone(), text.replace("{base_url}", &base_url)));
        let context = Context {
            task: None,
            url: base_url.clone(),
            token: None,
            set: set.collect(),
            base_url,
        };
        let limits = ProcessLimits {
            process: Arc::default(),
            called: ready(()),
            time: *time,
            watches_to_the_end: false,
            flood: async {
                proxy.hit().await;
                if !is_silent {
                    return std::future::pending().await;
                }
                sleep(*patience).await;
            },
            is_result: |_: &str| None,
            delay: LabDelay::default(),
        };
        let ran = process::run(command, &context, limits, proxy.begun()).await;
        let ended = ran.map_err(|source| PlanError::Program {
            program: command.program().to_string_lossy().into_owned(),
            source,
        });
        let end = ended.map(|ended| CommandEnd {
            exit: ended.exit,
            signal: ended.signal,
            stopped: ended.stopped.map(|_| Stopped::TimeUp),
            took: ended.ended,
            stderr: ended.stderr,
        });
        let run = proxy.stop(end.as_ref().ok().cloned()).await;
        end.map(|_| run)
    }

    /// The card.
    #[must_use]
    pub fn card(&self) -> ProxyCard {
        self.recording
            .card(self.options.confirm, &self.options.declared)
    }
}

/// Whether an attempt at one of its calls could be told from another call.
fn can_be_aimed_at(row: &RouteRow) -> bool {
    row.unfit.is_none() || row.is_marked
}

fn name_routes(run: &mut ProxyRun, templates: &Templates) {
    for request in &mut run.requests {
        request.route = templates.route(&request.route);
    }
}

async fn prepare(before: &str) -> Result<(), PlanError> {
    let (shell, flag) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let mut command = Command::new(shell);
    command
        .args([flag, before])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true);
    match command.status().await {
        Ok(status) if status.success() => Ok(()),
        _ => Err(PlanError::Before {
            command: before.to_owned(),
        }),
    }
}
