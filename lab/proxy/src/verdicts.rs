//! The verdicts on a case, from all runs of a plan.

use std::time::Duration;

use judge::rules::Verdict;
use serde::Serialize;

use super::{
    ProxyFault, ProxyRequest, ProxyRun,
    quiet::{unfit, watched},
    rules::{self, Declared, RunEvidence},
    ties::{TieKind, ties},
};

/// The verdict on a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// The rule.
    pub rule: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// What was found, or why it cannot be told.
    pub found: Option<String>,
    /// The requests that show it, by their numbers in the first run of the case.
    pub requests: Vec<u64>,
    /// Whether it would be broken if more runs confirmed it.
    pub is_suspected: bool,
}

/// The runs that a verdict stands on.
#[derive(Clone, Copy, Debug)]
pub struct CaseRuns<'a> {
    /// All runs of the plan so far.
    pub runs: &'a [ProxyRun],
    /// The route of the case.
    pub route: &'a str,
    /// Its fault.
    pub fault: ProxyFault,
    /// How many runs of the case, and as many controls, confirm what equal requests show.
    pub confirm: usize,
}

/// Judges the rules of a case.
#[must_use]
pub fn judge(case: CaseRuns<'_>, declared: &Declared) -> Vec<Judged> {
    let rules = case.fault.rules().iter();
    rules.map(|rule| judge_one(rule, case, declared)).collect()
}

fn judge_one(rule: &'static str, case: CaseRuns<'_>, declared: &Declared) -> Judged {
    let CaseRuns {
        runs,
        route,
        fault,
        confirm,
    } = case;
    let judged = |verdict, found: Option<String>| Judged {
        rule,
        verdict,
        found,
        requests: Vec::new(),
        is_suspected: false,
    };
    let of_case: Vec<_> = runs.iter().filter(|run| run.is_of(route, fault)).collect();
    let noise = unfit(runs, route);
    let watched = watched(runs, route);
    let noise = noise.or_else(|| watched.is_none().then(|| "no control was run".to_owned()));
    let within = watched.filter(|_| noise.is_none());
    let healthy = runs.iter().filter(|it| it.kind == super::RunKind::Healthy);
    let expected: Vec<_> = healthy.map(|run| run.of_route(route).count()).collect();
    let shown = of_case.iter().map(|run| {
        let shown = rules::shown(rule, run, within, declared);
        let hidden = hidden(rule, run, &expected, noise.as_deref(), within);
        match (doubt(run, fault), &shown) {
            (_, RunEvidence::NotExercised(_)) => shown,
            (Some(doubt), _) => RunEvidence::CannotTell(doubt),
            (None, RunEvidence::Kept(_) | RunEvidence::Skipped) => {
                hidden.map_or(shown, RunEvidence::CannotTell)
            }
            (None, _) => shown,
        }
    });
    let shown: Vec<_> = shown.collect();
    let Some(first) = shown.first() else {
        let found = "the case was not run".to_owned();
        return judged(Verdict::NotExercised, Some(found));
    };
    let (all, broken) = (
        shown.len(),
        shown.iter().filter(|it| it.kind().is_some()).count(),
    );
    let untold = |found: String| judged(Verdict::CannotTell, Some(found));
    let partly = || untold(format!("broken in {broken} of {all} runs of this case"));
    let marked = shown.iter().find(|it| it.kind() == Some(TieKind::Marked));
    match marked.unwrap_or(first) {
        RunEvidence::Broken {
            kind,
            requests,
            found,
        } if *kind == TieKind::Marked || broken == all => {
            let controls = runs.iter().filter(|it| it.is_of(route, ProxyFault::Hold));
            let is_confirmed = all >= confirm && controls.count() >= confirm;
            let is_sure = *kind == TieKind::Marked || is_confirmed;
            let times = match all {
                1 => String::new(),
                _ => format!(", in {broken} of {all} runs"),
            };
            let (verdict, lacking) = match is_sure {
                true => (Verdict::Broken, String::new()),
                false => (
                    Verdict::CannotTell,
                    format!("; {confirm} runs and {confirm} controls would confirm it"),
                ),
            };
            // The numbers of another run mean other requests in the first.
            let is_first = marked.is_none_or(|it| std::ptr::eq(it, first));
            Judged {
                requests: match is_first {
                    true => requests.clone(),
                    false => Vec::new(),
                },
                is_suspected: !is_sure,
                ..judged(verdict, Some(format!("{found}{times}{lacking}")))
            }
        }
        RunEvidence::Broken { .. } => partly(),
        _ if broken > 0 => partly(),
        first if shown.iter().any(|it| !agree(it, first)) => {
            untold("the runs of this case disagree".to_owned())
        }
        RunEvidence::Kept(found) => judged(Verdict::Kept, found.clone()),
        RunEvidence::Skipped => judged(Verdict::Skipped, None),
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
    if run.requests.iter().any(|it| it.is_repeated_by_a_hop) {
        return Some("a proxy before this one sent a request again".to_owned());
    }
    if run.requests.iter().any(ProxyRequest::is_unanswered) {
        return Some("your API did not answer a request".to_owned());
    }
    // Whether it would have given up is what the fault asks.
    let is_ended = run.end.stopped.is_some() && fault != ProxyFault::Silence;
    is_ended.then(|| "the lab ended the command".to_owned())
}

/// Why an attempt may have been overlooked, so that a rule only seems to be kept or skipped.
fn hidden(
    rule: &str,
    run: &ProxyRun,
    expected: &[usize],
    noise: Option<&str>,
    within: Option<Duration>,
) -> Option<String> {
    // This rule reads one connection, and no attempt.
    let target = run.target().filter(|_| rule != "read-timeout")?;
    if let (Some(noise), true) = (noise, target.calls.is_empty()) {
        return Some(noise.to_owned());
    }
    let tied = ties(run, within).count();
    let others = run.of_route(&target.route).count().saturating_sub(tied);
    let later = run.of_route(&target.route);
    let later = later.filter(|it| it.seq > target.seq && Some(it.arrived) >= target.delivered);
    let is_untied_later = later.count() > tied;
    match (expected.iter().min(), expected.iter().max()) {
        (Some(least), Some(most)) if least != most => Some("the healthy runs differ".to_owned()),
        (_, Some(most)) if others > *most => {
            let more = others - most;
            let s = if more == 1 { "" } else { "s" };
            Some(format!(
                "{more} more request{s} of this route than in a healthy run"
            ))
        }
        (Some(least), _) if others < *least && is_untied_later => Some(
            "fewer requests of this route than in a healthy run, and one of them may be an attempt"
                .to_owned(),
        ),
        (None, _) if is_untied_later => {
            Some("a later request of this route may be an attempt".to_owned())
        }
        _ => None,
    }
}

/// Judges whether a credential stood in a URL of any run.
#[must_use]
pub fn judge_credentials(runs: &[ProxyRun]) -> Judged {
    let seen = || runs.iter().flat_map(|run| &run.requests);
    let with = |is: Option<bool>| seen().filter(move |it| it.credential_in_url == is);
    let routes = |of: &mut dyn Iterator<Item = &ProxyRequest>| {
        let mut routes: Vec<_> = of.map(|it| it.route.clone()).collect();
        routes.sort_unstable();
        routes.dedup();
        routes.join(", ")
    };
    let (verdict, found) = if with(Some(true)).next().is_some() {
        (Verdict::Broken, Some(routes(&mut with(Some(true)))))
    } else if with(Some(false)).next().is_none() {
        let why = "no request had a credential of 16 characters or more";
        (Verdict::NotExercised, Some(why.to_owned()))
    } else if runs.iter().any(|run| run.dropped > 0) {
        let why = "not every request was recorded";
        (Verdict::CannotTell, Some(why.to_owned()))
    } else {
        (Verdict::Kept, None)
    };
    let mut named = seen().filter(|it| it.names_a_secret).peekable();
    let named = named.peek().is_some().then(|| routes(&mut named));
    let named = named.map(|routes| format!("a parameter has the name of a secret: {routes}"));
    let found = [found, named]
        .into_iter()
        .flatten()
        .reduce(|one, other| format!("{one}; {other}"));
    Judged {
        rule: "no-url-credentials",
        verdict,
        found,
        requests: Vec::new(),
        is_suspected: false,
    }
}
