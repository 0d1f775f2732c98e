//! The verdicts on a case, from all runs of a plan: the [rules] read the [attempts] of each run, as
//! far as the route is [quiet].

pub(crate) mod attempts;
mod doubts;
mod quiet;
pub(crate) mod rules;

use std::time::Duration;

use judge::rules::Verdict;
use serde::Serialize;
use wire::duration;

pub(crate) use self::quiet::{borne, controls_of, is_marked, unfit, watch};
use self::{
    attempts::{TieKind, attempts},
    doubts::{doubt, hidden, late},
    quiet::watched,
    rules::{BrokenRun, Declared, FaultRule, RunEvidence},
};
use crate::{ProxyFault, ProxyRun, record::RunKind};

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
    /// The run that may tell more.
    #[serde(skip)]
    pub(crate) lacks: Option<Lacks>,
    /// The wait that the runs asked for that show it.
    #[serde(skip)]
    pub(crate) shown_by: Duration,
}

impl Judged {
    /// A verdict with its reason.
    fn of(rule: &FaultRule, verdict: Verdict, found: Option<String>) -> Self {
        Self {
            rule: rule.id(),
            verdict,
            found,
            requests: Vec::new(),
            is_suspected: false,
            lacks: None,
            shown_by: Duration::ZERO,
        }
    }

    /// Whether only runs that ask for a longer wait can tell more.
    fn needs_a_longer_wait(&self) -> bool {
        self.verdict == Verdict::Kept || self.lacks == Some(Lacks::LongerWait)
    }
}

/// The run that a verdict lacks.
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

fn judge_one(rule: &FaultRule, case: CaseRuns<'_>, declared: &Declared) -> Judged {
    let of_case = || {
        let runs = case.runs.iter();
        runs.filter(|run| run.is_of(case.route, case.fault))
    };
    let mut waits: Vec<_> = of_case().map(ProxyRun::lasts).collect();
    waits.sort_unstable();
    waits.dedup();
    let Some((long, shorter)) = waits.split_last() else {
        let found = "the case was not run".to_owned();
        return Judged::of(rule, Verdict::NotExercised, Some(found));
    };
    let judged_with = |wait: &Duration| {
        let runs: Vec<_> = of_case().filter(|run| run.lasts() == *wait).collect();
        Group::new(rule, case, runs).judge(declared)
    };
    let judged_long = judged_with(long);
    if case.fault != ProxyFault::RetryAfter {
        return judged_long;
    }
    let Some(short) = shorter.first() else {
        return judge_one_wait(rule, judged_long);
    };
    let mut judged_short = judged_with(short);
    for wait in shorter {
        let judged = judged_with(wait);
        if !judged.needs_a_longer_wait() {
            return judged;
        }
        if judged.verdict != Verdict::Kept {
            judged_short = judged;
        }
    }
    judge_two_waits(rule, case, (*short, judged_short), (*long, judged_long))
}

/// Judges the runs of a case that all asked for one wait.
fn judge_one_wait(rule: &FaultRule, judged: Judged) -> Judged {
    if judged.verdict != Verdict::Kept {
        return judged;
    }
    let found = judged.found.unwrap_or_default();
    let found = format!("{found}; a client that always waits for so long does the same");
    Judged {
        lacks: Some(Lacks::LongerWait),
        ..Judged::of(rule, Verdict::CannotTell, Some(found))
    }
}

/// Judges a case from two waits: a shorter one, which was kept or on which its runs disagree, and
/// the longest.
fn judge_two_waits(
    rule: &FaultRule,
    case: CaseRuns<'_>,
    (short, judged_short): (Duration, Judged),
    (long, judged_long): (Duration, Judged),
) -> Judged {
    let is_short_kept = judged_short.verdict == Verdict::Kept;
    let found_short = judged_short.found.unwrap_or_default();
    let found_long = judged_long.found.clone().unwrap_or_default();
    let both = match judged_long.verdict {
        Verdict::Kept => format!("{found_short}, and {found_long}"),
        Verdict::Skipped => format!("{found_short}, and gave up at {}", duration(long)),
        Verdict::CannotTell if !is_short_kept && !judged_long.is_suspected => {
            return Judged {
                found: Some(format!("{found_short}; {found_long}")),
                ..judged_long
            };
        }
        _ => {
            return Judged {
                shown_by: long,
                ..judged_long
            };
        }
    };
    let kept = |found| Judged::of(rule, Verdict::Kept, Some(found));
    let untold = |found| Judged::of(rule, Verdict::CannotTell, Some(found));
    if !is_short_kept {
        untold(both)
    } else if judged_long.verdict == Verdict::Skipped {
        kept(both)
    } else if !are_far_apart(short, long) {
        Judged {
            lacks: Some(Lacks::LongerWait),
            ..untold(both)
        }
    } else if grew_with_the_wait(case, short, long) {
        kept(both)
    } else {
        untold(format!("{both}: it may wait for so long by itself"))
    }
}

/// Whether the first attempt came later where a longer wait was asked for, by half of the
/// difference or more.
fn grew_with_the_wait(case: CaseRuns<'_>, short: Duration, long: Duration) -> bool {
    let first_pause = |wait: Duration| {
        let mut runs = case.runs.iter();
        let run = runs.find(|run| run.is_of(case.route, case.fault) && run.lasts() == wait)?;
        pause(case.runs, run)
    };
    let pauses = first_pause(long).zip(first_pause(short));
    pauses.is_some_and(|(pause_long, pause_short)| {
        pause_long.saturating_sub(pause_short) >= (long - short) / 2
    })
}

/// Whether two waits tell a client that heeds them from one that waits for some time anyway.
pub(crate) fn are_far_apart(short: Duration, long: Duration) -> bool {
    long >= short * 3 || long >= Duration::from_secs(5)
}

/// How long after its failure the first attempt came in a run of a plan; none if none came.
pub(crate) fn pause(runs: &[ProxyRun], run: &ProxyRun) -> Option<Duration> {
    let target = run.target()?;
    let wait = match target.fault {
        Some(ProxyFault::RetryAfter) => run.lasts(),
        _ => Duration::ZERO,
    };
    let is_quiet = unfit(runs, &target.route).is_none();
    let within = watched(runs, &target.route, wait).filter(|_| is_quiet);
    attempts(run, within)
        .next()
        .map(|next| rules::waited(&next))
}

/// The runs of a case that asked for one wait, as a rule reads them.
struct Group<'a> {
    rule: &'a FaultRule,
    case: CaseRuns<'a>,
    runs: Vec<&'a ProxyRun>,
    /// The wait; zero for a fault that asks for none.
    wait: Duration,
    healthy: Vec<&'a ProxyRun>,
    /// Why equal requests tie nothing; none if they do.
    noise: Option<String>,
    /// For how long after the target equal requests tie; none if they do not.
    within: Option<Duration>,
}

impl<'a> Group<'a> {
    fn new(rule: &'a FaultRule, case: CaseRuns<'a>, runs: Vec<&'a ProxyRun>) -> Self {
        let wait = match case.fault {
            ProxyFault::RetryAfter => runs.first().map(|run| run.lasts()).unwrap_or_default(),
            _ => Duration::ZERO,
        };
        let watched = watched(case.runs, case.route, wait);
        let no_control = || match wait {
            Duration::ZERO => "no control was run".to_owned(),
            wait => format!(
                "no control held a response for more than {}",
                duration(wait)
            ),
        };
        let noise = unfit(case.runs, case.route).or_else(|| watched.is_none().then(no_control));
        let healthy = case.runs.iter();
        Self {
            rule,
            case,
            runs,
            wait,
            healthy: healthy.filter(|run| run.kind == RunKind::Healthy).collect(),
            within: watched.filter(|_| noise.is_none()),
            noise,
        }
    }

    fn judge(&self, declared: &Declared) -> Judged {
        let evidence = self.evidence(declared);
        let Some(first) = evidence.first() else {
            let found = "the case was not run".to_owned();
            return self.judged(Verdict::NotExercised, Some(found));
        };
        let all = evidence.len();
        let broken: Vec<_> = evidence.iter().filter_map(RunEvidence::broken).collect();
        let mut certain = broken.iter().filter(|shown| shown.tie == TieKind::Marked);
        let in_each = || broken.first().filter(|_| broken.len() == all);
        if let Some(shown) = certain.next().or_else(in_each) {
            let is_first = first
                .broken()
                .is_some_and(|first| std::ptr::eq(first, *shown));
            return self.broken(&broken, shown, is_first);
        }
        let partly = || {
            let runs = match self.wait {
                Duration::ZERO => "runs of this case".to_owned(),
                wait => format!("runs that asked for {}", duration(wait)),
            };
            self.divided(format!("broken in {} of {all} {runs}", broken.len()))
        };
        match first {
            RunEvidence::Broken(_) => partly(),
            _ if !broken.is_empty() => partly(),
            first if !evidence.iter().all(|other| agree(other, first)) => {
                self.divided("the runs of this case disagree".to_owned())
            }
            RunEvidence::Kept(found) => self.judged(Verdict::Kept, found.clone()),
            RunEvidence::Skipped(found) => self.judged(Verdict::Skipped, found.map(str::to_owned)),
            RunEvidence::NotExercised(why) => {
                self.judged(Verdict::NotExercised, Some((*why).to_owned()))
            }
            RunEvidence::CannotTell(why) => self.untold(why.clone()),
        }
    }

    /// The evidence of each run, as far as nothing casts doubt on it.
    fn evidence(&self, declared: &Declared) -> Vec<RunEvidence> {
        let mut healthy = self.healthy.iter();
        let differ = healthy.any(|run| run.asks_for_different_things(self.case.route));
        let of_run = |run: &&ProxyRun| {
            let evidence = rules::evidence(self.rule, run, self.within, declared, differ);
            match (doubt(run, self.case.fault), &evidence) {
                (_, RunEvidence::NotExercised(_)) => evidence,
                (Some(doubt), _) => RunEvidence::CannotTell(doubt),
                (None, RunEvidence::Kept(_) | RunEvidence::Skipped(_)) => {
                    hidden(self, run).map_or(evidence, RunEvidence::CannotTell)
                }
                (None, _) => evidence,
            }
        };
        self.runs.iter().map(of_run).collect()
    }

    /// The verdict on a rule that these runs break, as one of them shows: marks are certain, and
    /// equal requests need a confirmation.
    fn broken(&self, broken: &[&BrokenRun], shown: &BrokenRun, is_first: bool) -> Judged {
        let all = self.runs.len();
        let times = if all == 1 {
            String::new()
        } else {
            format!(", in {} of {all} runs", broken.len())
        };
        let reaches = broken.iter().map(|one_run| one_run.has_to_watch());
        let reach = reaches.max().unwrap_or_default();
        let controls = controls_of(self.case.runs, self.case.route, self.wait);
        let long_enough = controls.filter(|run| watch(run) >= Some(reach)).count();
        let is_confirmed = all >= CONFIRM && long_enough >= CONFIRM;
        let judged = Judged {
            // The numbers of another run mean other requests in the first.
            requests: if is_first {
                shown.requests.clone()
            } else {
                Vec::new()
            },
            shown_by: self.wait,
            ..self.judged(Verdict::Broken, Some(format!("{}{times}", shown.found)))
        };
        if shown.tie == TieKind::Marked || is_confirmed {
            return judged;
        }
        let lacking = format!("{CONFIRM} runs and {CONFIRM} controls would confirm it");
        Judged {
            verdict: Verdict::CannotTell,
            found: Some(format!("{}{times}; {lacking}", shown.found)),
            is_suspected: true,
            lacks: Some(Lacks::Confirmation {
                wait: self.wait,
                reach,
            }),
            ..judged
        }
    }

    /// That the runs disagree. A client that waits for about as long as it is asked, by itself and
    /// at random, is told apart by a longer wait.
    fn divided(&self, found: String) -> Judged {
        let untold = self.untold(found);
        let longer_wait = (!self.wait.is_zero()).then_some(Lacks::LongerWait);
        Judged {
            lacks: untold.lacks.or(longer_wait),
            ..untold
        }
    }

    /// That it cannot be told, and whether a longer control may tell.
    fn untold(&self, found: String) -> Judged {
        // A silence asks for the end of one connection, which no control shows.
        let is_silence = self.case.fault == ProxyFault::Silence;
        let runs = self.runs.iter().filter(|_| !is_silence);
        let late = runs.filter_map(|run| late(run, self.within)).max();
        Judged {
            lacks: late.map(Lacks::LongerControl),
            ..self.judged(Verdict::CannotTell, Some(found))
        }
    }

    fn judged(&self, verdict: Verdict, found: Option<String>) -> Judged {
        Judged::of(self.rule, verdict, found)
    }
}

fn agree(one: &RunEvidence, other: &RunEvidence) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}
