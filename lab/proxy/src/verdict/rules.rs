//! The rules of the catalogue that the proxy judges, each with the faults that show it and the
//! function that reads the runs. They assume nothing of the API.

use std::time::Duration;

use judge::rules::{
    Rule, TOLERANCE, foreign_api, idempotency_key_reuse, read_timeout,
    retry_after::RETRY_AFTER_SECONDS,
};
use wire::{duration, duration_left};

use super::attempts::{Attempt, TieKind, attempts};
use crate::{ProxyFault, ProxyRequest, ProxyRun, routes::base};

/// A rule of the catalogue, and how the runs of a plan show whether it is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultRule {
    rule: &'static Rule,
    /// The faults that show whether it is kept.
    pub(super) faults: &'static [ProxyFault],
    /// Judges one run of a case.
    judge: fn(&CaseRun<'_>) -> RunEvidence,
}

impl FaultRule {
    /// The id of its rule.
    pub(crate) fn id(&self) -> &'static str {
        self.rule.id
    }
}

pub(super) const RETRY_AFTER: FaultRule = FaultRule {
    rule: &RETRY_AFTER_SECONDS,
    faults: &[ProxyFault::RetryAfter],
    judge: |case| retry_after(&case.attempts, case.run.lasts()),
};

pub(super) const REFUSED_ONCE: FaultRule = FaultRule {
    rule: &foreign_api::REFUSED_ONCE,
    faults: &[ProxyFault::Refused],
    judge: |case| refused_once(&case.attempts),
};

pub(super) const KEY_REUSE: FaultRule = FaultRule {
    rule: &idempotency_key_reuse::RULE,
    faults: &[ProxyFault::Unavailable, ProxyFault::LostResponse],
    judge: |case| key_reuse(case.target, &case.attempts),
};

pub(super) const ONCE: FaultRule = FaultRule {
    rule: &foreign_api::ONCE,
    faults: &[ProxyFault::Unavailable, ProxyFault::LostResponse],
    judge: once,
};

pub(super) const READ_TIMEOUT: FaultRule = FaultRule {
    rule: &read_timeout::RULE,
    faults: &[ProxyFault::Silence],
    judge: |case| silence(case.target, case.run, case.declared),
};

/// All rules.
static FAULT_RULES: [&FaultRule; 5] = [
    &RETRY_AFTER,
    &REFUSED_ONCE,
    &KEY_REUSE,
    &ONCE,
    &READ_TIMEOUT,
];

/// The rules that are judged by a fault.
pub(crate) fn of_fault(fault: ProxyFault) -> impl Iterator<Item = &'static FaultRule> {
    FAULT_RULES
        .into_iter()
        .filter(move |rule| rule.faults.contains(&fault))
}

/// Whether a fault asks whether its request is sent again. A request that changes nothing may be.
pub(crate) fn is_about_repetition(fault: ProxyFault) -> bool {
    ONCE.faults.contains(&fault)
}

/// The rule of this id, if the proxy judges it.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    let mut rules = FAULT_RULES.into_iter().map(|judged| judged.rule);
    rules.find(|rule| rule.id == id)
}

/// The ids of all rules that the proxy judges, for people.
#[must_use]
pub fn names() -> String {
    FAULT_RULES.map(FaultRule::id).join(", ")
}

/// The user's statements about the API and the command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The routes whose requests must not be done twice.
    pub once: Vec<String>,
    /// How soon the command must give up on a silent connection.
    pub give_up_within: Option<Duration>,
}

impl Declared {
    /// Whether requests of this route must not be done twice.
    pub(crate) fn is_once(&self, route: &str) -> bool {
        self.once.iter().any(|declared| declared == base(route))
    }
}

/// The evidence of one run about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RunEvidence {
    Broken(BrokenRun),
    Kept(Option<String>),
    Skipped(Option<&'static str>),
    NotExercised(&'static str),
    CannotTell(String),
}

/// The attempt that breaks a rule in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BrokenRun {
    /// How it is tied to the request that met the fault.
    pub(super) tie: TieKind,
    /// The numbers of both.
    pub(super) requests: Vec<u64>,
    /// How long after its target the attempt came.
    reach: Duration,
    pub(super) found: String,
}

impl BrokenRun {
    /// For how long a control has to watch to bear it out.
    pub(super) fn has_to_watch(&self) -> Duration {
        match self.tie {
            TieKind::Same => self.reach,
            TieKind::Marked => Duration::ZERO,
        }
    }
}

impl RunEvidence {
    fn broken_by(attempt: &Attempt<'_>, found: impl Into<String>) -> Self {
        Self::Broken(BrokenRun {
            tie: attempt.tie,
            requests: vec![attempt.first.seq, attempt.next.seq],
            reach: attempt.next.arrived.saturating_sub(attempt.first.arrived),
            found: found.into(),
        })
    }

    /// The attempt that breaks the rule; none if none does.
    pub(super) fn broken(&self) -> Option<&BrokenRun> {
        match self {
            Self::Broken(broken) => Some(broken),
            _ => None,
        }
    }
}

/// How late the end of a connection may be noticed.
const LATE: Duration = Duration::from_millis(500);

/// One run of a case, as the rules read it.
struct CaseRun<'a> {
    target: &'a ProxyRequest,
    attempts: Vec<Attempt<'a>>,
    run: &'a ProxyRun,
    declared: &'a Declared,
    /// Whether the requests of its route ask for different things, so that --once needs --match.
    differ: bool,
}

/// Judges one run of a case by a rule. Equal requests count `within` this time.
pub(super) fn evidence(
    rule: &FaultRule,
    run: &ProxyRun,
    within: Option<Duration>,
    declared: &Declared,
    differ: bool,
) -> RunEvidence {
    let Some(target) = run.target().filter(|target| target.delivered.is_some()) else {
        return RunEvidence::NotExercised("the fault was not delivered");
    };
    (rule.judge)(&CaseRun {
        target,
        attempts: attempts(run, within).collect(),
        run,
        declared,
        differ,
    })
}

/// The first attempt that breaks a rule; if any such attempt is certain, the first of those.
fn offending<'a, 'b>(
    attempts: &'b [Attempt<'a>],
    breaks: impl Fn(&Attempt<'a>) -> bool,
) -> Option<&'b Attempt<'a>> {
    let all = || attempts.iter().filter(|attempt| breaks(attempt));
    all()
        .find(|attempt| attempt.tie == TieKind::Marked)
        .or_else(|| all().next())
}

/// How long after the failure an attempt came.
pub(super) fn waited(attempt: &Attempt<'_>) -> Duration {
    let failed = attempt.first.delivered.unwrap_or_default();
    attempt.next.arrived.saturating_sub(failed)
}

fn retry_after(attempts: &[Attempt<'_>], asked: Duration) -> RunEvidence {
    let early = offending(attempts, |attempt| waited(attempt) + TOLERANCE < asked);
    match (early, attempts.first()) {
        (Some(attempt), _) if asked > ProxyFault::WAIT => {
            let (waited, asked) = (duration(waited(attempt)), duration(asked));
            let found = format!("after {waited} of {asked}: capped, or by chance");
            RunEvidence::broken_by(attempt, found)
        }
        (Some(attempt), _) => {
            let early = duration_left(asked.saturating_sub(waited(attempt)));
            RunEvidence::broken_by(attempt, format!("{early} too early"))
        }
        (None, Some(attempt)) => {
            let (waited, asked) = (duration(waited(attempt)), duration(asked));
            RunEvidence::Kept(Some(format!("after {waited} of {asked}")))
        }
        (None, None) => RunEvidence::Skipped(None),
    }
}

fn refused_once(attempts: &[Attempt<'_>]) -> RunEvidence {
    match offending(attempts, |_| true) {
        Some(attempt) => {
            RunEvidence::broken_by(attempt, format!("sent {} times", attempts.len() + 1))
        }
        None => RunEvidence::Kept(None),
    }
}

fn key_reuse(target: &ProxyRequest, attempts: &[Attempt<'_>]) -> RunEvidence {
    let with_key = |request: &ProxyRequest| request.idempotency_key.is_some();
    if !with_key(target) && !attempts.iter().any(|attempt| with_key(attempt.next)) {
        return RunEvidence::NotExercised("no request of the call has an idempotency key");
    }
    if !with_key(target) {
        return RunEvidence::CannotTell("the first attempt had no idempotency key".to_owned());
    }
    let has_another =
        |attempt: &Attempt<'_>| attempt.next.idempotency_key != target.idempotency_key;
    match offending(attempts, has_another) {
        Some(attempt) if with_key(attempt.next) => {
            RunEvidence::broken_by(attempt, "sent again with another key")
        }
        Some(attempt) => RunEvidence::broken_by(attempt, "sent again without its key"),
        None if attempts.is_empty() => RunEvidence::Skipped(None),
        None => RunEvidence::Kept(None),
    }
}

fn once(case: &CaseRun<'_>) -> RunEvidence {
    let &CaseRun {
        target,
        ref attempts,
        run,
        declared,
        differ,
    } = case;
    if target.has_precondition {
        return RunEvidence::NotExercised("its precondition fails if it was done before");
    }
    let has_its_key = |attempt: &Attempt<'_>| {
        target.idempotency_key.is_some() && attempt.next.idempotency_key == target.idempotency_key
    };
    let is_declared = declared.is_once(&target.route);
    let seen = seen(target, attempts);
    let again = |attempt: &Attempt<'_>| match attempt.next.idempotency_key {
        Some(_) => format!("sent again with another key; {seen}"),
        None => format!("sent again without a key; {seen}"),
    };
    let is_done = |request: &ProxyRequest| {
        let status = request
            .upstream
            .as_ref()
            .and_then(|upstream| upstream.status);
        status.is_some_and(|status| (200..300).contains(&status))
    };
    let done = std::iter::once(target).chain(attempts.iter().map(|attempt| attempt.next));
    let is_done_twice = done.filter(|request| is_done(request)).count() > 1;
    let lost_its_key = target.idempotency_key.is_some();
    let would_break = is_done_twice || lost_its_key;
    match offending(attempts, |attempt| !has_its_key(attempt)) {
        Some(attempt) if is_declared && would_break => {
            RunEvidence::broken_by(attempt, again(attempt))
        }
        Some(_) if !is_declared && is_idempotent(&target.route) => {
            RunEvidence::NotExercised("a GET, a PUT or a DELETE may be sent again")
        }
        Some(attempt) if would_break => RunEvidence::CannotTell(format!(
            "{}. Must it be done only once? {}",
            again(attempt),
            declaration(&target.route, differ),
        )),
        Some(attempt) => {
            RunEvidence::CannotTell(format!("{}. Nothing was done twice here", again(attempt),))
        }
        None if attempts.is_empty() && is_declared && run.end.exit == Some(0) => {
            RunEvidence::Skipped(Some(
                "your command succeeded without it: does it have another way?",
            ))
        }
        None if attempts.is_empty() => RunEvidence::Skipped(None),
        None => RunEvidence::Kept(Some(format!("sent again with one key; {seen}"))),
    }
}

/// The options that declare that requests of this route must not be done twice.
fn declaration(route: &str, differ: bool) -> String {
    let is_chosen_by_text = base(route) != route;
    let once = format!("--once '{}'", base(route));
    if differ && !is_chosen_by_text {
        format!("{once} --match TEXT, a text of the body or target of that operation")
    } else {
        once
    }
}

/// Whether a request of this route changes nothing (RFC 9110 §9.2.1).
pub(crate) fn is_safe(route: &str) -> bool {
    matches!(method(route), "GET" | "HEAD" | "OPTIONS")
}

/// Whether a request of this route may be sent again, whatever it does (RFC 9110 §9.2.2).
fn is_idempotent(route: &str) -> bool {
    is_safe(route) || matches!(method(route), "PUT" | "DELETE")
}

fn method(route: &str) -> &str {
    route.split(' ').next().unwrap_or_default()
}

/// How often the upstream saw a call, and what it answered.
fn seen(target: &ProxyRequest, attempts: &[Attempt<'_>]) -> String {
    let all = std::iter::once(target).chain(attempts.iter().map(|attempt| attempt.next));
    let statuses = all.filter_map(|attempt| attempt.upstream.as_ref()?.status);
    let answers: Vec<_> = statuses.map(|status| status.to_string()).collect();
    match &*answers {
        [] => "your API did not see it".to_owned(),
        [one] => format!("your API saw it once and answered {one}"),
        all => format!(
            "your API saw it {} times and answered {}",
            all.len(),
            all.join(", ")
        ),
    }
}

fn silence(target: &ProxyRequest, run: &ProxyRun, declared: &Declared) -> RunEvidence {
    let since = |moment: Duration| moment.saturating_sub(target.arrived);
    // The lab's own end of the command closes its connections.
    let is_open_to_the_end =
        |closed: &Duration| run.end.stopped.is_some() && *closed >= run.end.took;
    let closed = target.closed.filter(|closed| !is_open_to_the_end(closed));
    let tried_again = |closed: Duration| {
        let mut later = run.of_route(&target.route);
        later.any(|next| {
            let is_attempt = target.is_same_as(next)
                || target.calls.iter().any(|call| next.calls.contains(call));
            next.seq > target.seq && next.arrived >= closed && is_attempt
        })
    };
    let broken = |found: &str, within: Duration| {
        RunEvidence::Broken(BrokenRun {
            tie: TieKind::Marked,
            requests: vec![target.seq],
            reach: Duration::ZERO,
            found: format!("{found}; at most {}", duration(within)),
        })
    };
    let Some(closed) = closed else {
        let still = format!("still waiting after {}", duration(since(run.end.took)));
        return match declared.give_up_within {
            Some(within) if since(run.end.took) > within + LATE => broken(&still, within),
            _ if run.end.stopped.is_some() => RunEvidence::CannotTell(format!(
                "{still}: a longer --patience, or --time, may tell"
            )),
            _ => RunEvidence::CannotTell(still),
        };
    };
    let waited = since(closed);
    let gave_up = format!("the connection was closed after {}", duration(waited));
    match declared.give_up_within {
        Some(within) if waited > within + LATE => broken(&gave_up, within),
        Some(within) if waited > within => {
            let within = duration(within);
            RunEvidence::CannotTell(format!("{gave_up}: too close to {within} to tell"))
        }
        Some(_) => RunEvidence::Kept(Some(gave_up)),
        None if tried_again(closed) => {
            RunEvidence::Kept(Some(format!("{gave_up}, and the request sent again")))
        }
        // The end of a process closes its connections, too.
        None => RunEvidence::CannotTell(format!(
            "{gave_up}: by a timeout, or because the process ended. --give-up-within SECONDS says \
             how soon it has to be"
        )),
    }
}
