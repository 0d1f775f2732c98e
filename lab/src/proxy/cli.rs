//! `lab proxy UPSTREAM -- COMMAND`: judges the client inside an application.

use std::{
    error::Error,
    ffi::OsString,
    fs, io,
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    pin::pin,
    time::Duration,
};

use clap::Args;
use http::{HeaderName, StatusCode, uri::Authority};
use judge::{
    KnownFailures,
    known_failures::JudgedCard,
    rules::{Rule, Verdict},
};
use process::ClientCommand;
use proxy::{
    AddressText, AddressTextError, Aim, Declared, Injected, ListenAddress, Listening, Plan,
    PlanError, PlanOptions, ProxyCard, ProxyFault, RunStart, Setup, Upstream, find, holding, names,
};
use tokio::sync::watch;

use crate::cli::{
    card_options::{CardOptions, report_faults},
    exit::Exit,
    intercepting_proxy, number,
    terminal::{self, OrExit},
};

/// The longest time that an option takes, in seconds.
const HOUR: u64 = 3_600;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The origin of your API, such as http://127.0.0.1:9000 or https://staging.example.com
    upstream: String,
    /// Set this variable to the URL of the proxy, or to a text in which `{base_url}` stands for
    /// the URL, `{host}` for its host and port, and `{port}` for its port, as they do in the
    /// arguments of the command
    #[arg(long, value_name = "NAME[=TEXT]", value_parser = variable)]
    set: Vec<(String, AddressText)>,
    /// Aim at these routes only, each as the healthy runs name it: 'POST /v1/orders'
    #[arg(long, value_name = "ROUTE", num_args = 1..)]
    route: Vec<String>,
    #[arg(
        long,
        value_name = "FAULT",
        num_args = 1..,
        help = format!("Use these faults only: {}", ProxyFault::names())
    )]
    fault: Vec<ProxyFault>,
    /// Requests of these routes must not be done twice
    #[arg(long, value_name = "ROUTE", num_args = 1..)]
    once: Vec<String>,
    /// Only requests whose target or body holds this text meet faults, and --once is said of
    /// them alone: for GraphQL, RPC and forms
    #[arg(long = "match", value_name = "TEXT", value_parser = text_to_match)]
    text: Option<String>,
    /// The command must give up on a silent connection within so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    give_up_within: Option<Duration>,
    /// Equal values of this header name one call
    #[arg(long, value_name = "NAME")]
    call_header: Vec<HeaderName>,
    /// The body of the responses that faults send, for clients that read their API's own errors
    #[arg(long, value_name = "FILE")]
    fault_body: Option<PathBuf>,
    /// The status of these responses: 400 or 422 for `refused`, 429 or 500 to 599 for
    /// `unavailable` and `retry-after`
    #[arg(long, value_name = "CODE", value_parser = fault_status)]
    fault_status: Option<StatusCode>,
    /// How many seconds a silence lasts, and up to how many a response is held if the first
    /// ones were too short to tell
    #[arg(long, value_name = "SECONDS", default_value = "35", value_parser = seconds)]
    patience: Duration,
    /// How many seconds a run may take
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    time: Duration,
    /// Run this in a shell before each run, to reset the state of your API; LAB_BASE_URL is the
    /// API itself
    #[arg(long, value_name = "COMMAND")]
    before: Option<String>,
    /// Allow an upstream on this host, which is not this machine
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// Listen on this address in place of 127.0.0.1, for a container
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<IpAddr>,
    /// The host in the URL that the command finds, such as host.docker.internal. On a network
    /// no other host is served
    #[arg(long, value_name = "NAME", value_parser = base_host)]
    base_host: Option<String>,
    /// Allow an address of --listen that other machines or containers reach
    #[arg(long, requires = "listen")]
    allow_network: bool,
    /// Trust the certificates of this file in PEM, beside the system's
    #[arg(long, value_name = "FILE")]
    cacert: Option<PathBuf>,
    /// Pass Host on as it came, for signatures that cover it
    #[arg(long)]
    keep_host: bool,
    /// Make the healthy runs, print the plan, and stop
    #[arg(long)]
    list: bool,
    /// Exit with 1 unless these rules are kept, and nowhere broken or untold
    #[arg(long, value_name = "RULE", num_args = 1..)]
    require: Vec<String>,
    #[command(flatten)]
    card: CardOptions,
    /// The command to run
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Why the command line cannot be used.
#[derive(Debug, thiserror::Error)]
enum ProxyError {
    #[error("the proxy judges no rule '{0}'; it judges {all}", all = names())]
    Rule(String),
    #[error("the known failures name '{0}', and the healthy runs made no such request")]
    KnownRoute(String),
    #[error("{path} of {option} cannot be read", path = path.display())]
    File {
        option: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("--list judges nothing, so that --junit and --report have nothing to write")]
    ListWritesNothing,
    #[error("without a command, name one --route and one --fault")]
    NoAim,
}

fn variable(text: &str) -> Result<(String, AddressText), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, value.parse()),
        None => (text, Ok(AddressText::base_url())),
    };
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err("the name of the variable is missing, or has a blank".to_owned());
    }
    let value = value.map_err(|error: AddressTextError| error.to_string())?;
    Ok((name.to_owned(), value))
}

/// A host without a port: a name, or an address of IPv6 in brackets.
fn base_host(text: &str) -> Result<String, String> {
    let authority: Option<Authority> = text.parse().ok();
    let is_host = authority.is_some_and(|authority| authority.host() == text);
    if is_host {
        Ok(text.to_owned())
    } else {
        Err("it must be a host without a port, such as host.docker.internal".to_owned())
    }
}

fn fault_status(text: &str) -> Result<StatusCode, String> {
    match text.parse::<StatusCode>() {
        Ok(status) if matches!(status.as_u16(), 400 | 422 | 429 | 500..=599) => Ok(status),
        _ => Err(
            "it must be 400, 422, 429 or 500 to 599: another may be worth a second attempt"
                .to_owned(),
        ),
    }
}

fn text_to_match(text: &str) -> Result<String, String> {
    if text.is_empty() || text.chars().any(char::is_control) {
        Err("the text is empty, or has a control character".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

/// A whole number of seconds, with or without their sign.
fn seconds(text: &str) -> Result<Duration, number::NumberError> {
    let number = text.strip_suffix('s').unwrap_or(text);
    number::within(number, 1..=HOUR).map(Duration::from_secs)
}

impl Arguments {
    /// Checks what is known before the first run.
    fn check(&self) -> Result<(), Box<dyn Error>> {
        self.required()?;
        self.setup()?;
        if self.list && self.card.writes_files() {
            return Err(ProxyError::ListWritesNothing.into());
        }
        if self.command.is_empty() {
            self.aim()?;
        }
        Ok(())
    }

    /// The rules that have to be kept.
    fn required(&self) -> Result<Vec<&'static str>, ProxyError> {
        let rules = self.require.iter().map(|id| rule(id));
        rules.map(|rule| Ok(rule?.id)).collect()
    }

    /// The proxy of each run.
    fn setup(&self) -> Result<Setup, Box<dyn Error>> {
        let files = self.cacert.iter().map(|path| read("--cacert", path));
        let trusted = files.collect::<Result<Vec<_>, _>>()?;
        let upstream = Upstream::trusting(&self.upstream, &self.allow_host, &trusted)?;
        let body_file = self.fault_body.as_ref();
        let body = body_file
            .map(|path| read("--fault-body", path))
            .transpose()?;
        let address = self.listen.unwrap_or(Ipv4Addr::LOCALHOST.into());
        Ok(Setup {
            upstream,
            keeps_host: self.keep_host,
            call_headers: self.call_header.clone(),
            text: self.text.clone(),
            injected: Injected {
                body,
                status: self.fault_status,
            },
            listen: ListenAddress::new(address, self.allow_network, self.base_host.clone())?,
        })
    }

    /// The route and the fault of a proxy without a command.
    fn aim(&self) -> Result<(&str, ProxyFault), ProxyError> {
        match (&*self.route, &*self.fault) {
            ([route], [fault]) => Ok((route, *fault)),
            _ => Err(ProxyError::NoAim),
        }
    }

    fn declared(&self) -> Declared {
        Declared {
            once: self.once.clone(),
            give_up_within: self.give_up_within,
        }
    }
}

/// The rule of this id.
fn rule(id: &str) -> Result<&'static Rule, ProxyError> {
    find(id).ok_or_else(|| ProxyError::Rule(id.to_owned()))
}

/// The bytes of a file of an option.
fn read(option: &'static str, path: &Path) -> Result<Vec<u8>, ProxyError> {
    fs::read(path).map_err(|source| ProxyError::File {
        option,
        path: path.to_owned(),
        source,
    })
}

pub(crate) fn proxy(arguments: &Arguments) -> Result<Exit, Exit> {
    arguments.check().or_exit(Exit::Usage)?;
    let demands = Demands::new(arguments)?;
    let cacert = arguments.cacert.as_deref().map(|file| ("--cacert", file));
    let body = arguments.fault_body.as_deref();
    let body = body.map(|file| ("--fault-body", file));
    let inputs: Vec<_> = cacert.into_iter().chain(body).collect();
    arguments.card.check_files(&inputs)?;
    let setup = arguments.setup().or_exit(Exit::Usage)?;
    if let Some(address) = setup.network() {
        terminal::warn(format!(
            "while a run lasts, everyone who reaches {address} can use your API through the proxy"
        ));
    }
    if arguments.command.is_empty() {
        return open(arguments, &setup, &demands);
    }
    let command = ClientCommand::new(arguments.command.iter().cloned());
    let (cancel, cancelled) = watch::channel(false);
    let options = PlanOptions {
        setup,
        command: command.or_exit(Exit::Usage)?,
        set: arguments.set.clone(),
        routes: arguments.route.clone(),
        faults: arguments.fault.clone(),
        declared: arguments.declared(),
        patience: arguments.patience,
        time: arguments.time,
        before: arguments.before.clone(),
        cancelled,
    };
    intercepting_proxy::warn();
    terminal::runtime()?.block_on(async {
        let mut signals = terminal::signals()?;
        let mut running = pin!(run(arguments, options, &demands));
        tokio::select! {
            ended = &mut running => return ended,
            () = signals.next() => {}
        }
        cancel.send_replace(true);
        // The command under way may have something to end.
        let _ = running.await;
        Err(Exit::Cancelled)
    })
}

/// Makes the runs and prints what they show.
async fn run(arguments: &Arguments, options: PlanOptions, demands: &Demands) -> Result<Exit, Exit> {
    let bar = terminal::progress(0);
    let on = |RunStart { number, of, what }: RunStart| {
        bar.set_length(of as u64);
        bar.set_position(number as u64);
        bar.set_message(what);
    };
    let failed = |error: &PlanError| {
        bar.finish_and_clear();
        if let PlanError::Unhealthy { end, .. } | PlanError::Before { end, .. } = error {
            end.stderr.iter().for_each(|line| {
                terminal::note(&format!("| {}", render::fit(line, usize::MAX, false)));
            });
        }
        let exit = match error {
            PlanError::Cancelled => return Exit::Cancelled,
            PlanError::NothingSent { .. } | PlanError::AllRefused(_) => Exit::NothingAttempted,
            PlanError::NoSuchRoute { .. }
            | PlanError::NoSuchText { .. }
            | PlanError::Ambiguous { .. } => Exit::Usage,
            _ => Exit::Environment,
        };
        terminal::fail(error, exit)
    };
    let mut plan = Plan::new(options, &on)
        .await
        .map_err(|error| failed(&error))?;
    if let Some(route) = demands.known.places().find(|route| !plan.has_route(route)) {
        bar.finish_and_clear();
        let error = ProxyError::KnownRoute(route.to_owned());
        return Err(terminal::fail(&error, Exit::Usage));
    }
    let look = arguments.card.terminal();
    let text = proxy::text::plan(&plan, &look);
    match arguments.card.is_json() {
        true if arguments.list => bar.suspend(|| terminal::print(&render::json(&plan.card())))?,
        true => terminal::note(text.trim_end()),
        false => bar.suspend(|| terminal::print(&text))?,
    }
    if arguments.list {
        bar.finish_and_clear();
        return Ok(Exit::Passed);
    }
    plan.execute(&on).await.map_err(|error| failed(&error))?;
    bar.finish_and_clear();
    if plan.is_empty() {
        Ok(Exit::NothingAttempted)
    } else {
        finish(arguments, &plan.card(), demands)
    }
}

/// Serves one fault until Ctrl+C. There is no healthy run, so only marks tie.
fn open(arguments: &Arguments, setup: &Setup, demands: &Demands) -> Result<Exit, Exit> {
    let (route, fault) = arguments.aim().or_exit(Exit::Usage)?;
    let upstream = &setup.upstream;
    let text = arguments.text.as_ref();
    let aimed = text.map_or_else(|| route.to_owned(), |text| holding(route, text));
    let aim = Aim::at(&aimed, fault);
    let run = terminal::runtime()?.block_on(async {
        let mut signals = terminal::signals()?;
        let failures = host::FailureWatch::start();
        let proxy = Listening::start(setup, Some(aim)).or_exit(Exit::Environment)?;
        terminal::note(&format!(
            "{} stands before {upstream} until Ctrl+C, which prints the card.\n\
             The first '{route}' meets: {}. Only attempts that carry a\n\
             mark can be judged, such as one Idempotency-Key.",
            proxy.base_url(),
            setup.injected.words(fault),
        ));
        signals.next().await;
        let run = proxy.stop(None).await;
        failures.check().or_exit(Exit::Environment)?;
        Ok(run)
    })?;
    let card = ProxyCard::of_run(setup, (aimed, fault), run, &arguments.declared());
    finish(arguments, &card, demands)
}

/// Writes and prints a card, and returns its exit code.
fn finish(arguments: &Arguments, card: &ProxyCard, demands: &Demands) -> Result<Exit, Exit> {
    let (options, known) = (&arguments.card, &demands.known);
    options.write_files(
        &proxy::junit_proxy(card, known, options.is_strict()),
        &proxy::html_proxy(card, known),
    )?;
    options.print(card, |terminal| proxy::text::card(card, known, terminal))?;
    Ok(demands.exit(card, arguments.card.is_strict()))
}

/// The conditions for a card to pass.
struct Demands {
    required: Vec<&'static str>,
    known: KnownFailures,
}

impl Demands {
    fn new(arguments: &Arguments) -> Result<Self, Exit> {
        Ok(Self {
            required: arguments.required().or_exit(Exit::Usage)?,
            known: (arguments.card).known_failures(|known| Ok(rule(&known.id).map(drop)?))?,
        })
    }

    /// The exit code of a card. Reports the demands that it does not meet.
    fn exit(&self, card: &impl JudgedCard, is_strict: bool) -> Exit {
        let has = |rule: &str, expected| {
            let mut verdicts = card.all_verdicts();
            verdicts.any(|(_, id, verdict)| id == rule && verdict == expected)
        };
        let is_kept = |rule: &&&str| {
            has(rule, Verdict::Kept)
                && !has(rule, Verdict::Broken)
                && !has(rule, Verdict::CannotTell)
        };
        let required = self.required.iter().filter(|rule| !is_kept(rule));
        let judged = [
            Verdict::Kept,
            Verdict::Broken,
            Verdict::Skipped,
            Verdict::CannotTell,
        ];
        let missing = required.map(|rule| {
            if judged.iter().any(|verdict| has(rule, *verdict)) {
                format!("'{rule}' is required, and it is not kept")
            } else {
                format!("'{rule}' is required, and no case judged it")
            }
        });
        let all = card.all_verdicts().map(|(.., verdict)| verdict);
        let untold = all
            .filter(|verdict| *verdict == Verdict::CannotTell)
            .count();
        let forbidden = (is_strict && untold > 0)
            .then(|| format!("{untold} cannot be told, and --strict does not allow that"));
        let has_faults = report_faults(card, &self.known, missing.chain(forbidden));
        let mut verdicts = card.all_verdicts();
        let is_broken = verdicts.any(|(route, rule, verdict)| {
            verdict == Verdict::Broken && !self.known.cover(route, rule)
        });
        if is_broken || has_faults {
            Exit::Failed
        } else if card
            .all_verdicts()
            .all(|(.., verdict)| verdict == Verdict::NotExercised)
        {
            Exit::NothingAttempted
        } else {
            Exit::Passed
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    const ROUTE: &str = "POST /v1/orders";

    /// One verdict on a rule of a route.
    struct Judged(&'static str, Verdict);

    impl JudgedCard for Judged {
        fn all_verdicts(&self) -> impl Iterator<Item = (Option<&str>, &str, Verdict)> {
            [(Some(ROUTE), self.0, self.1)].into_iter()
        }
    }

    #[test]
    fn a_card_passes_if_it_meets_the_demands() {
        let known = format!("{ROUTE}/once");
        for (verdict, required, known, is_strict, expected) in [
            (Verdict::Kept, &["once"][..], "", true, Exit::Passed),
            (Verdict::Kept, &["read-timeout"], "", false, Exit::Failed),
            (Verdict::Kept, &[], &known, false, Exit::Failed),
            (Verdict::Broken, &[], "", false, Exit::Failed),
            (Verdict::Broken, &[], &known, true, Exit::Passed),
            (Verdict::Broken, &["once"], &known, false, Exit::Failed),
            (Verdict::CannotTell, &[], "", false, Exit::Passed),
            (Verdict::CannotTell, &[], "", true, Exit::Failed),
            (Verdict::CannotTell, &["once"], "", false, Exit::Failed),
            (Verdict::NotExercised, &[], "", true, Exit::NothingAttempted),
            (Verdict::NotExercised, &["once"], "", false, Exit::Failed),
        ] {
            let known = KnownFailures::read(known, |known| rule(&known.id).map(drop));
            let demands = Demands {
                required: required.to_vec(),
                known: known.expect("known rules"),
            };

            let exit = demands.exit(&Judged("once", verdict), is_strict);

            assert_eq!(exit, expected, "{verdict:?} {required:?} {is_strict}");
        }
    }

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    /// The problem with a command line.
    fn refused(line: &str) -> String {
        match Line::try_parse_from(line.split_whitespace()) {
            Ok(line) => line.arguments.check().expect_err("no sense").to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_command_line_without_sense_is_refused() {
        for (options, words) in [
            ("--fault fire", ["'fire'", "lost-response"]),
            ("--require x", ["'x'", "idempotency-key-reuse, once"]),
            ("--list --junit x.xml", ["--list", "--junit and --report"]),
            ("--fault-status 404", ["400, 422, 429", "'404'"]),
            ("--cacert no-such-file", ["no-such-file", "--cacert"]),
            (
                "--fault-body no-such-file",
                ["no-such-file", "--fault-body"],
            ),
            ("--listen 203.0.113.9", ["203.0.113.9", "--allow-network"]),
            ("--allow-network", ["--allow-network", "--listen"]),
            (
                "--listen 203.0.113.9 --allow-network",
                ["203.0.113.9", "--base-host"],
            ),
            ("--base-host a:80", ["a:80", "without a port"]),
            (
                "--set URL=http://a.test",
                ["URL=http://a.test", "{host} or {port}"],
            ),
            (
                "--set URL={url}/v2",
                ["URL={url}/v2", "{url} stands for nothing"],
            ),
        ] {
            let refused = refused(&format!("lab http://127.0.0.1:1 {options} -- true"));

            assert!(words.iter().all(|word| refused.contains(word)), "{refused}");
        }
        for (upstream, word) in [
            ("http://staging.example", "--allow-host staging.example"),
            ("ftp://[::1]", "http://127.0.0.1:9000"),
            ("http://127.0.0.1:99999", "1 to 65535"),
            ("http://127.0.0.1:1 --fault refused", "one --route and one"),
        ] {
            let refused = refused(&format!("lab {upstream}"));

            assert!(refused.contains(word), "{refused}");
        }
    }
}
