//! The rules that the proxy judges. They assume nothing of the API.

use std::time::Duration;

use judge::rules::TOLERANCE;
use wire::{duration, duration_left};

use super::ties::{Tie, TieKind, ties};
use crate::{ProxyFault, ProxyRequest, ProxyRun, routes::base};

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name.
    pub id: &'static str,
    /// When it is kept.
    pub text: &'static str,
    /// The document that it stands on.
    pub(crate) source: &'static str,
    /// Why and how, of a rule that only the proxy judges. The others have the reason of the
    /// lab's own rule of their name.
    pub(crate) reason: Option<Reason>,
    /// The faults that show whether it is kept.
    pub(super) faults: &'static [ProxyFault],
    /// Judges one run of a case.
    judge: fn(&CaseRun<'_>) -> RunEvidence,
}

/// The reason of a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reason {
    /// The damage if it is broken.
    pub(crate) why: &'static str,
    /// How a client keeps it.
    pub(crate) how: &'static str,
}

pub(super) const RETRY_AFTER: Rule = Rule {
    id: "retry-after-seconds",
    text: "a retry came no earlier than Retry-After asked for, with a short wait and a long one",
    source: "RFC 9110 §10.2.3",
    reason: None,
    faults: &[ProxyFault::RetryAfter],
    judge: |case| retry_after(&case.ties, case.run.lasts()),
};

pub(super) const REFUSED_ONCE: Rule = Rule {
    id: "refused-once",
    text: "a request that was refused with 400 was not sent again",
    source: "AIP-194",
    reason: Some(Reason {
        why: "A 400 says that the request itself is wrong: the same request is refused again, and only adds to the load.",
        how: "Retry only what may pass, such as 429, 503 or a lost connection. Report a 400 to the caller at once.",
    }),
    faults: &[ProxyFault::Refused],
    judge: |case| refused_once(&case.ties),
};

pub(super) const KEY_REUSE: Rule = Rule {
    id: "idempotency-key-reuse",
    text: "a retry carried the idempotency key of the first attempt",
    source: "draft-ietf-httpapi-idempotency-key-header",
    reason: None,
    faults: &[ProxyFault::Unavailable, ProxyFault::LostResponse],
    judge: |case| key_reuse(case.target, &case.ties),
};

pub(super) const ONCE: Rule = Rule {
    id: "once",
    text: "a request that must not be done twice was not done twice, nor sent again without its key",
    source: "RFC 9110 §9.2.2",
    reason: Some(Reason {
        why: "A request that failed may have taken effect. If it is done again, a customer pays twice or gets two orders.",
        how: "Send an idempotency key that your API honours, the same with every attempt, or do not retry the request. Declare the route with --once: only you know that it must not be done twice.",
    }),
    faults: &[ProxyFault::Unavailable, ProxyFault::LostResponse],
    judge: once,
};

pub(super) const READ_TIMEOUT: Rule = Rule {
    id: "read-timeout",
    text: "the client closed a silent connection in time, or sent the request again",
    source: "OWASP API10:2023",
    reason: None,
    faults: &[ProxyFault::Silence],
    judge: |case| read_timeout(case.target, case.run, case.declared),
};

/// All rules.
pub static RULES: [&Rule; 5] = [
    &RETRY_AFTER,
    &REFUSED_ONCE,
    &KEY_REUSE,
    &ONCE,
    &READ_TIMEOUT,
];

/// The rules that are judged by a fault.
pub(crate) fn of_fault(fault: ProxyFault) -> impl Iterator<Item = &'static Rule> {
    RULES
        .into_iter()
        .filter(move |rule| rule.faults.contains(&fault))
}

/// Whether a fault asks whether its request is sent again. A request that changes nothing may be.
pub(crate) fn is_about_repetition(fault: ProxyFault) -> bool {
    ONCE.faults.contains(&fault)
}

/// The rule of this name.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.into_iter().find(|rule| rule.id == id)
}

/// The names of all rules, for people.
#[must_use]
pub fn names() -> String {
    RULES.map(|rule| rule.id).join(", ")
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
    pub(super) kind: TieKind,
    /// The numbers of both.
    pub(super) requests: Vec<u64>,
    /// How long after its target the attempt came.
    reach: Duration,
    pub(super) found: String,
}

impl BrokenRun {
    /// For how long a control has to watch to bear it out.
    pub(super) fn has_to_watch(&self) -> Duration {
        match self.kind {
            TieKind::Same => self.reach,
            TieKind::Marked => Duration::ZERO,
        }
    }
}

impl RunEvidence {
    fn broken_by(tie: &Tie<'_>, found: impl Into<String>) -> Self {
        Self::Broken(BrokenRun {
            kind: tie.kind,
            requests: vec![tie.first.seq, tie.next.seq],
            reach: tie.next.arrived.saturating_sub(tie.first.arrived),
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
    ties: Vec<Tie<'a>>,
    run: &'a ProxyRun,
    declared: &'a Declared,
    /// Whether the requests of its route ask for different things, so that --once needs --match.
    differ: bool,
}

/// Judges one run of a case by a rule. Equal requests count `within` this time.
pub(super) fn evidence(
    rule: &Rule,
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
        ties: ties(run, within).collect(),
        run,
        declared,
        differ,
    })
}

/// The first attempt that breaks a rule; if any such attempt is certain, the first of those.
fn offending<'a, 'b>(
    ties: &'b [Tie<'a>],
    breaks: impl Fn(&Tie<'a>) -> bool,
) -> Option<&'b Tie<'a>> {
    let all = || ties.iter().filter(|tie| breaks(tie));
    all()
        .find(|tie| tie.kind == TieKind::Marked)
        .or_else(|| all().next())
}

/// How long after the failure an attempt came.
pub(super) fn waited(tie: &Tie<'_>) -> Duration {
    let failed = tie.first.head.unwrap_or_default();
    tie.next.arrived.saturating_sub(failed)
}

fn retry_after(ties: &[Tie<'_>], asked: Duration) -> RunEvidence {
    let early = offending(ties, |tie| waited(tie) + TOLERANCE < asked);
    match (early, ties.first()) {
        (Some(tie), _) if asked > ProxyFault::WAIT => {
            let (waited, asked) = (waited(tie).as_secs_f64(), duration(asked));
            let found = format!("after {waited:.2} s of {asked}: capped, or by chance");
            RunEvidence::broken_by(tie, found)
        }
        (Some(tie), _) => {
            let early = duration_left(asked.saturating_sub(waited(tie)));
            RunEvidence::broken_by(tie, format!("{early} too early"))
        }
        (None, Some(tie)) => {
            let (waited, asked) = (duration(waited(tie)), duration(asked));
            RunEvidence::Kept(Some(format!("after {waited} of {asked}")))
        }
        (None, None) => RunEvidence::Skipped(None),
    }
}

fn refused_once(ties: &[Tie<'_>]) -> RunEvidence {
    match offending(ties, |_| true) {
        Some(tie) => RunEvidence::broken_by(tie, format!("sent {} times", ties.len() + 1)),
        None => RunEvidence::Kept(None),
    }
}

fn key_reuse(target: &ProxyRequest, ties: &[Tie<'_>]) -> RunEvidence {
    let with_key = |request: &ProxyRequest| request.idempotency_key.is_some();
    if !with_key(target) && !ties.iter().any(|tie| with_key(tie.next)) {
        return RunEvidence::NotExercised("no request of the call has an idempotency key");
    }
    if !with_key(target) {
        return RunEvidence::CannotTell("the first attempt had no idempotency key".to_owned());
    }
    let has_another = |tie: &Tie<'_>| tie.next.idempotency_key != target.idempotency_key;
    match offending(ties, has_another) {
        Some(tie) if with_key(tie.next) => {
            RunEvidence::broken_by(tie, "sent again with another key")
        }
        Some(tie) => RunEvidence::broken_by(tie, "sent again without its key"),
        None if ties.is_empty() => RunEvidence::Skipped(None),
        None => RunEvidence::Kept(None),
    }
}

fn once(case: &CaseRun<'_>) -> RunEvidence {
    let &CaseRun {
        target,
        ref ties,
        run,
        declared,
        differ,
    } = case;
    if target.has_precondition {
        return RunEvidence::NotExercised("its precondition fails if it was done before");
    }
    let has_its_key = |tie: &Tie<'_>| {
        target.idempotency_key.is_some() && tie.next.idempotency_key == target.idempotency_key
    };
    let is_declared = declared.is_once(&target.route);
    let seen = seen(target, ties);
    let again = |tie: &Tie<'_>| match tie.next.idempotency_key {
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
    let done = std::iter::once(target).chain(ties.iter().map(|tie| tie.next));
    let is_done_twice = done.filter(|request| is_done(request)).count() > 1;
    let lost_its_key = target.idempotency_key.is_some();
    let would_break = is_done_twice || lost_its_key;
    match offending(ties, |tie| !has_its_key(tie)) {
        Some(tie) if is_declared && would_break => RunEvidence::broken_by(tie, again(tie)),
        Some(_) if !is_declared && is_safe(&target.route) => {
            RunEvidence::NotExercised("a request that changes nothing may be sent again")
        }
        Some(tie) if would_break => RunEvidence::CannotTell(format!(
            "{}. Must it be done only once? {}",
            again(tie),
            declaration(&target.route, differ),
        )),
        Some(tie) => RunEvidence::CannotTell(format!(
            "{}. Nothing was done twice here; a lost response may tell",
            again(tie),
        )),
        None if ties.is_empty() && !is_declared => RunEvidence::Skipped(None),
        None if ties.is_empty() && run.end.exit == Some(0) => RunEvidence::Skipped(Some(
            "your command succeeded without it: does it have another way?",
        )),
        None if ties.is_empty() => RunEvidence::Kept(None),
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
    let method = route.split(' ').next().unwrap_or_default();
    matches!(method, "GET" | "HEAD" | "OPTIONS")
}

/// How often the upstream saw a call, and what it answered.
fn seen(target: &ProxyRequest, ties: &[Tie<'_>]) -> String {
    let all = std::iter::once(target).chain(ties.iter().map(|tie| tie.next));
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

fn read_timeout(target: &ProxyRequest, run: &ProxyRun, declared: &Declared) -> RunEvidence {
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
            kind: TieKind::Marked,
            requests: vec![target.seq],
            reach: Duration::ZERO,
            found: format!("{found}; at most {}", duration(within)),
        })
    };
    let Some(closed) = closed else {
        let still = format!("still waiting after {}", duration(since(run.end.took)));
        return match declared.give_up_within {
            Some(within) if since(run.end.took) > within + LATE => broken(&still, within),
            _ => RunEvidence::CannotTell(format!("{still}: a longer --patience may tell")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_one_reason() {
        for rule in RULES {
            let has_that_of_the_lab = judge::rules::find(rule.id).is_some();

            assert_ne!(rule.reason.is_some(), has_that_of_the_lab, "{}", rule.id);
        }
    }
}
