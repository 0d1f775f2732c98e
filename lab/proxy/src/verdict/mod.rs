//! The verdicts on a case, from all runs of a plan: the [rules] read the [ties] of each run, as far
//! as the route is [quiet].

mod quiet;
pub(crate) mod rules;
pub(crate) mod ties;

use std::time::Duration;

use judge::rules::Verdict;
use serde::Serialize;
use wire::duration;

pub(crate) use self::quiet::{borne, controls_of, is_marked, unfit, watch};
use self::{
    quiet::watched,
    rules::{Declared, Rule, RunEvidence, is_safe},
    ties::{TieKind, ties},
};
use crate::{ProxyFault, ProxyRequest, ProxyRun, record::RunKind, routes::base};

/// The verdict on a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Judged {
    /// The rule.
    pub(crate) rule: &'static str,
    /// The verdict.
    pub(crate) verdict: Verdict,
    /// The finding, or the reason why it cannot be told.
    pub(crate) found: Option<String>,
    /// The requests that show it, by their numbers in the first run of the case.
    pub(crate) requests: Vec<u64>,
    /// Whether it would be broken if more runs confirmed it.
    pub(crate) is_suspected: bool,
    /// What another run may supply.
    #[serde(skip)]
    pub(crate) lacks: Option<Lacks>,
    /// The wait that the runs asked for that show it.
    #[serde(skip)]
    pub(crate) shown_by: Duration,
}

impl Judged {
    /// A verdict with its reason.
    fn of(rule: &Rule, verdict: Verdict, found: Option<String>) -> Self {
        Self {
            rule: rule.id,
            verdict,
            found,
            requests: Vec::new(),
            is_suspected: false,
            lacks: None,
            shown_by: Duration::ZERO,
        }
    }
}

/// What a verdict lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lacks {
    /// A run that asks for a longer wait.
    LongerWait,
    /// More runs that ask for this wait, or controls that go on for so long after their target.
    Confirmation { wait: Duration, reach: Duration },
    /// A control that goes on for longer than this, after which the same request came.
    LongerControl(Duration),
}

/// The runs that a verdict stands on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CaseRuns<'a> {
    /// All runs of the plan so far.
    pub(crate) runs: &'a [ProxyRun],
    /// The route of the case.
    pub(crate) route: &'a str,
    /// Its fault.
    pub(crate) fault: ProxyFault,
}

/// How many runs of a case, and as many controls, confirm what equal requests show: if something
/// sent them at random, the chance of that would be below one in a thousand.
pub(crate) const CONFIRM: usize = 5;

/// Judges the rules of a case.
pub(crate) fn judge(case: CaseRuns<'_>, declared: &Declared) -> Vec<Judged> {
    rules::of_fault(case.fault)
        .map(|rule| judge_one(rule, case, declared))
        .collect()
}

fn judge_one(rule: &Rule, case: CaseRuns<'_>, declared: &Declared) -> Judged {
    let of_case = case.runs.iter();
    let of_case: Vec<_> = of_case
        .filter(|run| run.is_of(case.route, case.fault))
        .collect();
    let waits = of_case.iter().map(|run| run.lasts());
    let (Some(short), Some(long)) = (waits.clone().min(), waits.max()) else {
        let found = "the case was not run".to_owned();
        return Judged::of(rule, Verdict::NotExercised, Some(found));
    };
    let with = |wait: Duration| {
        let group = of_case.iter().copied();
        let group = group.filter(move |run| run.lasts() == wait);
        group.collect::<Vec<_>>()
    };
    let judged_short = judge_group(rule, case, &with(short), declared);
    if case.fault != ProxyFault::RetryAfter || judged_short.verdict != Verdict::Kept {
        return judged_short;
    }
    if long == short {
        let found = judged_short.found.unwrap_or_default();
        let why = "a client that always waits for so long does the same";
        let found = Some(format!("{found}; {why}"));
        return Judged {
            lacks: Some(Lacks::LongerWait),
            ..Judged::of(rule, Verdict::CannotTell, found)
        };
    }
    let judged_long = judge_group(rule, case, &with(long), declared);
    let first_gap = |wait| {
        let run = with(wait).into_iter().next()?;
        let within = watched(case.runs, case.route, wait);
        ties(run, within).next().map(|tie| rules::waited(&tie))
    };
    let both = || {
        let found = [&judged_short.found, &judged_long.found];
        let found: Vec<_> = found.into_iter().flatten().map(String::as_str).collect();
        found.join(", and ")
    };
    match judged_long.verdict {
        Verdict::Kept => {
            let grew = first_gap(long).zip(first_gap(short));
            let grew = grew.map(|(long, short)| long.saturating_sub(short));
            if grew >= Some((long - short) / 2) {
                Judged {
                    found: Some(both()),
                    ..judged_long
                }
            } else {
                let found = format!("{}: it may wait for so long by itself", both());
                Judged::of(rule, Verdict::CannotTell, Some(found))
            }
        }
        Verdict::Skipped => {
            let found = judged_short.found.unwrap_or_default();
            let found = format!("{found}, and gave up at {}", duration(long));
            Judged::of(rule, Verdict::Kept, Some(found))
        }
        _ => Judged {
            shown_by: long,
            ..judged_long
        },
    }
}

/// Judges a rule by runs of a case that asked for one wait.
fn judge_group(
    rule: &Rule,
    case: CaseRuns<'_>,
    of_case: &[&ProxyRun],
    declared: &Declared,
) -> Judged {
    let CaseRuns { runs, route, fault } = case;
    let judged = |verdict, found: Option<String>| Judged::of(rule, verdict, found);
    let wait = match fault {
        ProxyFault::RetryAfter => of_case.first().map(|run| run.lasts()).unwrap_or_default(),
        _ => Duration::ZERO,
    };
    let noise = unfit(runs, route);
    let watched = watched(runs, route, wait);
    let no_control = || match wait {
        Duration::ZERO => "no control was run".to_owned(),
        wait => format!(
            "no control held a response for more than {}",
            duration(wait)
        ),
    };
    let noise = noise.or_else(|| watched.is_none().then(no_control));
    let within = watched.filter(|_| noise.is_none());
    let healthy = runs.iter().filter(|run| run.kind == RunKind::Healthy);
    let healthy: Vec<_> = healthy.collect();
    let differ = healthy
        .iter()
        .any(|run| run.asks_for_different_things(route));
    let evidence = of_case.iter().map(|run| {
        let evidence = rules::evidence(rule, run, within, declared, differ);
        let hidden = || hidden(rule, run, &healthy, noise.as_deref(), within);
        match (doubt(run, fault), &evidence) {
            (_, RunEvidence::NotExercised(_)) => evidence,
            (Some(doubt), _) => RunEvidence::CannotTell(doubt),
            (None, RunEvidence::Kept(_) | RunEvidence::Skipped(_)) => {
                hidden().map_or(evidence, RunEvidence::CannotTell)
            }
            (None, _) => evidence,
        }
    });
    let evidence: Vec<_> = evidence.collect();
    let Some(first) = evidence.first() else {
        let found = "the case was not run".to_owned();
        return judged(Verdict::NotExercised, Some(found));
    };
    let all = evidence.len();
    let broken = evidence
        .iter()
        .filter(|one_run| one_run.kind().is_some())
        .count();
    // A silence asks for the end of one connection, which no control shows.
    let may_be_late = of_case.iter().filter(|_| fault != ProxyFault::Silence);
    let late = may_be_late.filter_map(|run| late(run, within)).max();
    let untold = |found: String| Judged {
        lacks: late.map(Lacks::LongerControl),
        ..judged(Verdict::CannotTell, Some(found))
    };
    let partly = || untold(format!("broken in {broken} of {all} runs of this case"));
    let is_marked = |one_run: &&RunEvidence| one_run.kind() == Some(TieKind::Marked);
    let marked = evidence.iter().find(is_marked);
    match marked.unwrap_or(first) {
        RunEvidence::Broken {
            kind,
            requests,
            found,
            ..
        } if *kind == TieKind::Marked || broken == all => {
            let reaches = evidence.iter().map(RunEvidence::reach);
            let reach = reaches.max().unwrap_or_default();
            let controls = controls_of(runs, route, wait);
            let controls = controls.filter(|run| watch(run) >= Some(reach)).count();
            let is_confirmed = all >= CONFIRM && controls >= CONFIRM;
            let is_sure = *kind == TieKind::Marked || is_confirmed;
            let times = if all == 1 {
                String::new()
            } else {
                format!(", in {broken} of {all} runs")
            };
            let (verdict, lacking) = if is_sure {
                (Verdict::Broken, String::new())
            } else {
                let lacking = format!("; {CONFIRM} runs and {CONFIRM} controls would confirm it");
                (Verdict::CannotTell, lacking)
            };
            // The numbers of another run mean other requests in the first.
            let is_first = marked.is_none_or(|marked| std::ptr::eq(marked, first));
            Judged {
                requests: if is_first {
                    requests.clone()
                } else {
                    Vec::new()
                },
                is_suspected: !is_sure,
                lacks: (!is_sure).then_some(Lacks::Confirmation { wait, reach }),
                shown_by: wait,
                ..judged(verdict, Some(format!("{found}{times}{lacking}")))
            }
        }
        RunEvidence::Broken { .. } => partly(),
        _ if broken > 0 => partly(),
        first if evidence.iter().any(|other| !agree(other, first)) => {
            untold("the runs of this case disagree".to_owned())
        }
        RunEvidence::Kept(found) => judged(Verdict::Kept, found.clone()),
        RunEvidence::Skipped(found) => judged(Verdict::Skipped, found.map(str::to_owned)),
        RunEvidence::NotExercised(why) => judged(Verdict::NotExercised, Some((*why).to_owned())),
        RunEvidence::CannotTell(why) => untold(why.clone()),
    }
}

fn agree(one: &RunEvidence, other: &RunEvidence) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

/// Why nothing can be told from a run.
fn doubt(run: &ProxyRun, fault: ProxyFault) -> Option<String> {
    if run.dropped > 0 {
        return Some("not every request was recorded".to_owned());
    }
    if let Some(refused) = run.refused.first() {
        return Some(format!("a request was refused: {refused}"));
    }
    if run
        .requests
        .iter()
        .any(|request| request.is_repeated_by_a_hop)
    {
        return Some("a proxy before this one sent a request again".to_owned());
    }
    if let Some(request) = run.requests.iter().find(|request| request.is_unanswered()) {
        let failure = request.upstream.as_ref();
        let failure = failure.and_then(|upstream| upstream.failure.as_ref());
        let why = failure.map_or_else(String::new, |failure| format!(": {failure}"));
        return Some(format!("your API did not answer a request{why}"));
    }
    // Whether it would have given up is what the fault asks.
    let is_ended = run.end.stopped.is_some() && fault != ProxyFault::Silence;
    is_ended.then(|| "the lab ended the command".to_owned())
}

/// Why an attempt may have been overlooked, so that a rule only seems to be kept or skipped.
fn hidden(
    rule: &Rule,
    run: &ProxyRun,
    healthy: &[&ProxyRun],
    noise: Option<&str>,
    within: Option<Duration>,
) -> Option<String> {
    // This rule reads one connection, and no attempt.
    let target = run.target().filter(|_| rule.id != rules::READ_TIMEOUT.id)?;
    let is_later = |request: &&ProxyRequest| {
        request.seq > target.seq && Some(request.arrived) >= target.delivered
    };
    let is_silent_since = !run
        .of_route(&target.route)
        .any(|request| is_later(&request));
    // Nothing came that could be the same request: no control has to tell it from a heartbeat.
    let shows_by_itself =
        rule.id == rules::REFUSED_ONCE.id && is_silent_since && !healthy.is_empty();
    if let (Some(noise), true, false) = (noise, target.calls.is_empty(), shows_by_itself) {
        return Some(noise.to_owned());
    }
    if let Some(other) = another_way(rule, run, target, healthy) {
        return Some(other);
    }
    if let (Some(after), Some(within)) = (late(run, within), within) {
        return Some(format!(
            "the same request came after {}, and the control watched for {} only. A header that \
             names the call would tell: --call-header",
            duration(after),
            duration(within),
        ));
    }
    let tied = ties(run, within).count();
    let others = run.of_route(&target.route).count().saturating_sub(tied);
    let is_untied_later = run.of_route(&target.route).filter(is_later).count() > tied;
    let expected = healthy
        .iter()
        .map(|run| run.of_route(&target.route).count());
    match (expected.clone().min(), expected.max()) {
        (Some(least), Some(most)) if least != most => Some("the healthy runs differ".to_owned()),
        (_, Some(most)) if others > most => {
            let more = others - most;
            let s = if more == 1 { "" } else { "s" };
            Some(format!(
                "{more} more request{s} of this route than in a healthy run"
            ))
        }
        (Some(least), _) if others < least && is_untied_later => Some(
            "fewer requests of this route than in a healthy run, and one of them may be an attempt"
                .to_owned(),
        ),
        (None, _) if is_untied_later => {
            Some("a later request of this route may be an attempt".to_owned())
        }
        _ => None,
    }
}

/// How long after the target of a run the same request came, if that was later than its controls
/// watched.
fn late(run: &ProxyRun, within: Option<Duration>) -> Option<Duration> {
    let (target, within) = run.target().zip(within)?;
    let same = run
        .of_route(&target.route)
        .filter(|request| request.seq > target.seq && target.is_same_as(request));
    let mut gaps = same.map(|request| request.arrived.saturating_sub(target.arrived));
    gaps.find(|gap| *gap > within)
}

/// A request that may be an attempt on another route, as far as a rule forbids it: one that
/// changes something, came after the failure, and is not made in good health.
fn another_way(
    rule: &Rule,
    run: &ProxyRun,
    target: &ProxyRequest,
    healthy: &[&ProxyRun],
) -> Option<String> {
    let most = |route: &str| {
        let counts = healthy.iter().map(|run| run.of_route(route).count());
        counts.max()
    };
    let mut later = run.requests.iter().filter(|request| {
        request.route != target.route
            && Some(request.arrived) >= target.delivered
            // The text may be missing in another attempt of the same route.
            && (rule.id == rules::ONCE.id || base(&request.route) == base(&target.route))
            && !is_safe(&request.route)
    });
    let other = later.find(|request| {
        most(&request.route).is_some_and(|most| run.of_route(&request.route).count() > most)
    })?;
    Some(format!(
        "{} was sent after the failure, and is not in a healthy run: it may do the same",
        other.route
    ))
}
