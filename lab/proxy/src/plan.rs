//! The runs of a command: two healthy ones, and then one for each case with a proxy of its
//! own.

use std::{
    ffi::OsString,
    future::{pending, ready},
    io,
    sync::Arc,
    time::Duration,
};

use process::{ClientCommand, Context, LabDelay, ProcessLimits};
use tokio::time::{Instant, sleep};
use wire::{ProcessRecord, Stopped};

use super::{
    Aim, Listening, Setup,
    routes::{base, holding},
    schedule::{first_wait, shorter_control, two_waits, with_one_silence},
};
use crate::{
    CommandEnd, Declared, Estimate, Judged, ProxyCard, ProxyFault, ProxyRun, Recording, RouteRow,
    RunKind, Templates, Upstream, UpstreamFailure, borne, is_health_check, is_safe,
    quiet::controls_of,
};

/// How a command is run, and what is asked of it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The proxy of each run.
    pub setup: Setup,
    /// The command.
    pub command: ClientCommand,
    /// The variables to set, each with a text in which `{base_url}` stands for the proxy.
    pub set: Vec<(String, String)>,
    /// The routes to aim at; empty for all that can be.
    pub routes: Vec<String>,
    /// The faults; empty for all that tell something.
    pub faults: Vec<ProxyFault>,
    /// The user's statements about the API and the command.
    pub declared: Declared,
    /// The text that the requests hold that meet faults.
    pub text: Option<String>,
    /// How many runs and controls confirm what equal requests show.
    pub confirm: usize,
    /// For how long a silence lasts.
    pub patience: Duration,
    /// How long a run may take.
    pub time: Duration,
    /// A command of the shell before each run.
    pub before: Option<String>,
}

/// How long the processes of a run may take to end once they were asked to: a container ends
/// with its client only if that hears of it.
const FAREWELL: Duration = Duration::from_secs(3);

/// How many controls find out how long a command bears a late response.
const CONTROLS: usize = 3;

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
        /// The error of the system.
        source: io::Error,
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
    #[error("the proxy got no port to listen on")]
    Listen(#[source] io::Error),
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
        "your command sent nothing here; the URL of the proxy was in {set}. Which variable names \
         its API? --set NAME; in arguments {{base_url}} stands for that URL"
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
    #[error("no request of the healthy runs holds the text '{0}' of --match")]
    NoSuchText(String),
}

/// A run that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Its number, starting at 1.
    pub number: usize,
    /// The number of all runs that are planned so far.
    pub of: usize,
    /// Its purpose, in words.
    pub what: String,
}

/// How many runs were begun, and how many are planned so far.
struct Count {
    done: usize,
    all: usize,
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
                upstream: options.setup.upstream().to_string(),
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
            plan.check_healthy(&run).await?;
            plan.recording.runs.push(run);
        }
        plan.name_routes();
        plan.recording.plan = plan.cases()?;
        Ok(plan)
    }

    async fn check_healthy(&self, run: &ProxyRun) -> Result<(), PlanError> {
        let upstream = &self.options.setup.upstream();
        let unreachable = |failure: &UpstreamFailure| PlanError::Unreachable {
            upstream: upstream.to_string(),
            why: failure.words().into_owned(),
        };
        let is_unanswered = run.requests.iter().find(|request| request.is_unanswered());
        let is_suspect = is_unanswered.is_some() || run.end.exit != Some(0);
        if is_suspect && upstream.tls().is_none() && upstream.speaks_tls().await {
            return Err(unreachable(&UpstreamFailure::SpeaksTls));
        }
        if let Some(request) = is_unanswered {
            let failure = request.upstream.as_ref();
            let failure = failure.and_then(|upstream| upstream.failure.as_ref());
            return Err(unreachable(failure.unwrap_or(&UpstreamFailure::Closed)));
        }
        if run.end.exit != Some(0) {
            let seen = run.requests.iter().take(SHOWN).map(|request| {
                let status = request
                    .status
                    .map_or("no response".to_owned(), |status| status.to_string());
                format!("{} ({status})", request.route)
            });
            let requests: Vec<_> = seen.collect();
            let requests = if requests.is_empty() {
                "no request".to_owned()
            } else {
                requests.join(", ")
            };
            let end = run.end.clone();
            let hint = if end.stopped.is_some() {
                ". A command that serves does not end: use a script that starts it, runs a smoke \
                 test and ends it"
            } else if run.names_upstream {
                ". A response named your API's own address: if the command compares it with the \
                 URL that it was given, --keep-host may help"
            } else {
                ""
            };
            let hint = if let Some(refused) = run.refused.first() {
                format!(". {refused}")
            } else if run.requests.is_empty() && end.stopped.is_none() {
                format!(
                    ". The proxy was on {}, which is another machine to a container or a network \
                     namespace: --listen ADDRESS --allow-network",
                    self.options.setup.host(),
                )
            } else {
                hint.to_owned()
            };
            return Err(PlanError::Unhealthy {
                end,
                requests,
                hint,
            });
        }
        if !run.requests.is_empty() {
            Ok(())
        } else if run.refused.is_empty() {
            let set = self.options.set.iter().map(|(name, _)| &**name);
            let names: Vec<_> = ["LAB_BASE_URL"].into_iter().chain(set).collect();
            let set = names.join(", ");
            Err(PlanError::NothingSent { set })
        } else {
            Err(PlanError::AllRefused(run.refused.join("; ")))
        }
    }

    /// Learns the routes from the healthy runs.
    fn name_routes(&mut self) {
        let shapes = self.recording.runs.iter().map(|run| {
            let shapes = run.requests.iter();
            let shapes = shapes.map(|request| base(&request.route).to_owned());
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
        let is_unknown = |route: &&String| rows.iter().all(|row| base(&row.route) != **route);
        if let Some(route) = named().find(is_unknown) {
            let mut known: Vec<_> = rows.iter().map(|row| base(&row.route)).collect();
            known.dedup();
            let known: Vec<_> = known.iter().map(|route| format!("'{route}'")).collect();
            return Err(PlanError::NoSuchRoute {
                route: route.clone(),
                known: known.join(", "),
            });
        }
        let holds_text = |row: &&RouteRow| {
            let text = self.options.text.as_ref();
            text.is_none_or(|text| row.route == holding(base(&row.route), text))
        };
        if let Some(text) = self
            .options
            .text
            .as_ref()
            .filter(|_| !rows.iter().any(|row| holds_text(&row)))
        {
            return Err(PlanError::NoSuchText(text.clone()));
        }
        let is_ambiguous =
            |row: &&RouteRow| row.differ && self.options.declared.is_once(&row.route);
        if let Some(row) = rows
            .iter()
            .find(is_ambiguous)
            .filter(|_| self.options.text.is_none())
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
            let faults = ProxyFault::ALL.into_iter();
            let faults =
                faults.filter(|fault| *fault == ProxyFault::Hold || self.is_asked(row, *fault));
            faults.map(|fault| (row.route.clone(), fault))
        });
        let cases = cases.collect();
        if self.options.faults.is_empty() {
            Ok(with_one_silence(cases))
        } else {
            Ok(cases)
        }
    }

    /// Whether a fault tells something of a route, or was named. A request that changes
    /// nothing may be sent again, so that only its mark could be wrong.
    fn is_asked(&self, row: &RouteRow, fault: ProxyFault) -> bool {
        let is_safe = is_safe(&row.route);
        let is_declared = self.options.declared.is_once(&row.route);
        let tells = match fault {
            ProxyFault::Unavailable | ProxyFault::LostResponse => {
                !is_safe || row.has_key || is_declared
            }
            ProxyFault::Hold
            | ProxyFault::RetryAfter
            | ProxyFault::Refused
            | ProxyFault::Silence => true,
        };
        if self.options.faults.is_empty() {
            tells
        } else {
            self.options.faults.contains(&fault)
        }
    }

    /// The cases of the plan, and about how long each will take.
    #[must_use]
    pub fn estimate(&self) -> Vec<Estimate> {
        let took = self.recording.runs.iter().map(|run| run.end.took);
        let healthy = took.max().unwrap_or_default();
        let cases = self.recording.plan.iter();
        let estimates =
            cases.map(|(route, fault)| Estimate::of(route, *fault, healthy, self.options.patience));
        estimates.collect()
    }

    /// Runs the cases, and again what needs a confirmation.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if a run could not be made.
    pub async fn execute(&mut self, on: &impl Fn(Progress)) -> Result<(), PlanError> {
        let cases = self.recording.plan.clone();
        let mut count = Count {
            done: self.recording.runs.len(),
            all: self.recording.runs.len() + cases.len(),
        };
        for (route, fault) in &cases {
            match fault {
                ProxyFault::Hold => {
                    self.control(route, ProxyFault::HELD, &mut count, on)
                        .await?;
                }
                ProxyFault::RetryAfter => {
                    let first = first_wait(&self.recording.runs, route, self.is_marked(route));
                    self.run_case(route, *fault, first, &mut count, on).await?;
                    self.longer_wait(route, &mut count, on).await?;
                }
                _ => {
                    let lasts = fault.lasts();
                    self.run_case(route, *fault, lasts, &mut count, on).await?;
                }
            }
        }
        for (route, fault) in &cases {
            while let Some(lasts) = self.suspected(route, *fault) {
                self.confirm(route, *fault, lasts, &mut count, on).await?;
                if *fault == ProxyFault::RetryAfter {
                    self.longer_wait(route, &mut count, on).await?;
                }
            }
        }
        Ok(())
    }

    /// One more run of a case that is suspected, and of its control, as far as they are
    /// lacking.
    async fn confirm(
        &mut self,
        route: &str,
        fault: ProxyFault,
        lasts: Duration,
        count: &mut Count,
        on: &impl Fn(Progress),
    ) -> Result<(), PlanError> {
        let needed = self.options.confirm;
        if controls_of(&self.recording.runs, route, lasts).count() < needed {
            let controls = controls_of(&self.recording.runs, route, lasts);
            let held = controls
                .map(ProxyRun::lasts)
                .min()
                .unwrap_or(ProxyFault::HELD);
            count.all += 1;
            self.control(route, held, count, on).await?;
        }
        let of_case = |run: &&ProxyRun| run.is_of(route, fault) && run.lasts() == lasts;
        if self.recording.runs.iter().filter(of_case).count() < needed {
            count.all += 1;
            self.run_case(route, fault, lasts, count, on).await?;
        }
        Ok(())
    }

    /// Holds a response of a route for so long, or for as long as the command bears it.
    async fn control(
        &mut self,
        route: &str,
        held: Duration,
        count: &mut Count,
        on: &impl Fn(Progress),
    ) -> Result<(), PlanError> {
        let mut next = Some(held);
        for attempt in 0..CONTROLS {
            let Some(held) = next else { break };
            count.all += usize::from(attempt > 0);
            self.run_case(route, ProxyFault::Hold, held, count, on)
                .await?;
            next = self.recording.runs.last().and_then(shorter_control);
        }
        Ok(())
    }

    /// Asks for a second wait where the first was heeded, if the command bears its control.
    async fn longer_wait(
        &mut self,
        route: &str,
        count: &mut Count,
        on: &impl Fn(Progress),
    ) -> Result<(), PlanError> {
        let fault = ProxyFault::RetryAfter;
        let judged = self.judge(route, fault);
        if !judged.iter().any(|judged| judged.needs_longer_wait) {
            return Ok(());
        }
        let is_marked = self.is_marked(route);
        let longest = borne(&self.recording.runs, route);
        let has_tried =
            self.recording.runs.iter().any(|run| {
                run.is_of(route, ProxyFault::Hold) && run.lasts() >= ProxyFault::LONG_HELD
            });
        if !is_marked && longest >= Some(ProxyFault::HELD) && !has_tried {
            count.all += 1;
            self.control(route, ProxyFault::LONG_HELD, count, on)
                .await?;
        }
        let Some((short, long)) = two_waits(&self.recording.runs, route, is_marked) else {
            return Ok(());
        };
        for wait in [short, long] {
            let mut runs = self.recording.runs.iter();
            if !runs.any(|run| run.is_of(route, fault) && run.lasts() == wait) {
                count.all += 1;
                self.run_case(route, fault, wait, count, on).await?;
            }
        }
        Ok(())
    }

    /// Whether all requests of a route carry a value that names their call.
    fn is_marked(&self, route: &str) -> bool {
        let rows = self.routes();
        rows.iter().any(|row| row.route == route && row.is_marked)
    }

    async fn run_case(
        &mut self,
        route: &str,
        fault: ProxyFault,
        lasts: Duration,
        count: &mut Count,
        on: &impl Fn(Progress),
    ) -> Result<(), PlanError> {
        count.done += 1;
        on(Progress {
            number: count.done,
            of: count.all,
            what: format!("{route}: {}", fault.words()),
        });
        let aim = Aim {
            templates: self.templates.clone(),
            lasts,
            media_type: self.media_type(route),
            ..Aim::at(route, fault)
        };
        let mut run = self.run(Some(aim)).await?;
        name_routes(&mut run, &self.templates);
        self.recording.runs.push(run);
        Ok(())
    }

    /// The media type of the responses of a route in good health, or else of any route.
    fn media_type(&self, route: &str) -> Option<String> {
        let healthy = self.recording.runs.iter();
        let healthy = healthy.filter(|run| run.kind == RunKind::Healthy);
        let mut of_route = healthy.clone().flat_map(|run| run.of_route(route));
        let mut all = healthy.flat_map(|run| &run.requests);
        of_route
            .find_map(|request| request.media_type.clone())
            .or_else(|| all.find_map(|request| request.media_type.clone()))
    }

    fn judge(&self, route: &str, fault: ProxyFault) -> Vec<Judged> {
        let Options {
            confirm, declared, ..
        } = &self.options;
        self.recording.judge(route, fault, *confirm, declared)
    }

    /// The wait that the runs asked for that break a rule, if more runs would confirm it.
    fn suspected(&self, route: &str, fault: ProxyFault) -> Option<Duration> {
        let judged = self.judge(route, fault);
        let mut judged = judged.iter();
        let suspected = judged.find(|judged| judged.is_suspected);
        suspected.map(|judged| judged.shown_by)
    }

    /// One run of the command, with a proxy of its own.
    async fn run(&self, aim: Option<Aim>) -> Result<ProxyRun, PlanError> {
        let Options {
            setup,
            command,
            set,
            patience,
            time,
            before,
            ..
        } = &self.options;
        if let Some(before) = before {
            prepare(before, setup.upstream(), *time).await?;
        }
        let is_silent = aim
            .as_ref()
            .is_some_and(|aim| aim.fault == ProxyFault::Silence);
        let failures = host::FailureWatch::start();
        let proxy = Listening::start(setup, aim).map_err(PlanError::Listen)?;
        let base_url = proxy.base_url().to_owned();
        let asks_no_proxy = ["NO_PROXY", "no_proxy"].map(|name| {
            let hosts = format!("127.0.0.1,localhost,{}", setup.host());
            (name.to_owned(), hosts)
        });
        let asked = set
            .iter()
            .map(|(name, text)| (name.clone(), text.replace("{base_url}", &base_url)));
        let set = asks_no_proxy.into_iter().chain(asked);
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
                    return pending().await;
                }
                sleep(*patience).await;
            },
            is_result: |_: &str| None,
            delay: LabDelay::default(),
            farewell: FAREWELL,
        };
        let ran = process::run(command, &context, limits, proxy.begun()).await;
        let ended = ran.map_err(|source| PlanError::Program {
            program: command.program().to_string_lossy().into_owned(),
            source,
        });
        let end = ended.map(|ended| {
            let mut end = command_end(ended);
            for line in &mut end.stderr {
                *line = proxy.masked(line);
            }
            end
        });
        let run = proxy.stop(end.as_ref().ok().cloned()).await;
        let run = run.without_farewell();
        failures.check()?;
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
        let shape = base(&request.route);
        let text = request.route.strip_prefix(shape).unwrap_or_default();
        request.route = templates.route(shape) + text;
    }
}

/// Runs the command before a run, with the limits of the run. It finds the API itself where the
/// command of the run finds the proxy.
async fn prepare(before: &str, upstream: &Upstream, time: Duration) -> Result<(), PlanError> {
    let (shell, flag) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let not_started = |source| PlanError::Program {
        program: shell.to_owned(),
        source,
    };
    let command = ClientCommand::new([shell, flag, before].map(OsString::from));
    let command = command.map_err(|error| not_started(io::Error::other(error)))?;
    let context = Context {
        base_url: upstream.to_string(),
        ..Context::default()
    };
    let limits = ProcessLimits {
        process: Arc::default(),
        called: ready(()),
        time,
        watches_to_the_end: false,
        flood: pending(),
        is_result: |_: &str| None,
        delay: LabDelay::default(),
        farewell: FAREWELL,
    };
    let ran = process::run(&command, &context, limits, Instant::now()).await;
    let ended = ran.map_err(not_started)?;
    if ended.exit == Some(0) {
        Ok(())
    } else {
        Err(PlanError::Before {
            command: before.to_owned(),
            end: command_end(ended),
        })
    }
}

/// How a command ended. All its limits but its own are the time that it may take.
fn command_end(record: ProcessRecord) -> CommandEnd {
    CommandEnd {
        exit: record.exit,
        signal: record.signal,
        stopped: record.stopped.map(|_| Stopped::TimeUp),
        took: record.ended,
        stderr: record.stderr,
    }
}
