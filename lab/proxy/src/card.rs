//! The card of a command: its routes, and the verdicts on how it took each fault.

use std::time::Duration;

use judge::{KnownFailures, known_failures::JudgedCard, rules::Verdict};
use serde::Serialize;
use wire::duration;

use super::{
    CommandEnd, Injected, ProxyFault, ProxyRequest, ProxyRun, Setup,
    record::RunKind,
    verdict::{CaseRuns, Judged, is_marked, judge, pause, rules::Declared, unfit},
};

/// The version of the card as JSON.
const CARD_VERSION: u32 = 2;

/// The card of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProxyCard {
    /// The version of this format.
    pub(crate) schema_version: u32,
    /// The command; empty if there was none.
    pub(crate) command: Vec<String>,
    /// The origin of the upstream.
    pub(crate) upstream: String,
    /// The routes of the healthy runs.
    pub(crate) routes: Vec<RouteRow>,
    /// How each healthy run ended.
    pub(crate) healthy: Vec<CommandEnd>,
    /// The cases in the order of the plan.
    pub(crate) cases: Vec<CaseCard>,
    /// Requests that were refused, or may have passed the proxy by.
    pub(crate) warnings: Vec<String>,
}

/// A route of the healthy runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct RouteRow {
    /// Its method and its path as a template.
    pub(crate) route: String,
    /// Its requests in the first healthy run.
    pub(crate) requests: usize,
    /// Why an equal request of it ties nothing; none if it does. Marks tie on any route.
    pub(crate) unfit: Option<String>,
    /// Whether its requests carry a value that names a call.
    pub(crate) is_marked: bool,
    /// Whether its requests carry an idempotency key.
    pub(crate) has_key: bool,
    /// Whether its requests in one run differ in their targets or bodies.
    #[serde(skip)]
    pub(crate) differ: bool,
}

/// A route and a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CaseCard {
    /// The route.
    pub(crate) route: String,
    /// The fault.
    pub(crate) fault: ProxyFault,
    /// The event of the fault, in a phrase.
    pub(crate) event: String,
    /// The runs in their order.
    pub(crate) runs: Vec<RunRow>,
    /// How the command ended in the first run that shows the verdict; none if there was no command.
    pub(crate) end: Option<CommandEnd>,
    /// The verdicts on its rules.
    pub(crate) rules: Vec<Judged>,
    /// The requests of the route from the one that met the fault on, in the first run that
    /// shows the verdict.
    pub(crate) requests: Vec<WireRow>,
}

/// A run of a case as a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct RunRow {
    /// The wait that its Retry-After asked for, in milliseconds; none if it had none.
    pub(crate) asked_ms: Option<u64>,
    /// How long after the failure the request came again, in milliseconds; none if it did not.
    pub(crate) pause_ms: Option<u64>,
    /// How the command ended; none if there was no command.
    pub(crate) end: Option<CommandEnd>,
}

/// A request as a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct WireRow {
    /// Its number in the run.
    pub(crate) seq: u64,
    /// When it arrived, since the one that met the fault, in milliseconds.
    pub(crate) after_ms: u64,
    /// The status that the client got.
    pub(crate) status: Option<u16>,
    /// The status of the upstream.
    pub(crate) upstream: Option<u16>,
    /// Which attempt it is, in the words of a client library.
    pub(crate) attempt: Option<u64>,
}

/// All that was recorded of a command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording {
    /// The command; empty if there was none.
    pub(crate) command: Vec<String>,
    /// The origin of the upstream.
    pub(crate) upstream: String,
    /// The user's choices for the responses of faults.
    pub(crate) injected: Injected,
    /// The cases of the plan.
    pub(crate) plan: Vec<(String, ProxyFault)>,
    /// The runs.
    pub(crate) runs: Vec<ProxyRun>,
}

impl Recording {
    /// The routes of the healthy runs, in the order of their first requests.
    pub(crate) fn routes(&self) -> Vec<RouteRow> {
        let healthy = || self.runs.iter().filter(|run| run.kind == RunKind::Healthy);
        let mut routes: Vec<&str> = Vec::new();
        for request in healthy().flat_map(|run| &run.requests) {
            if !routes.contains(&&*request.route) {
                routes.push(&request.route);
            }
        }
        let rows = routes.into_iter().map(|route| {
            let first = healthy().next();
            let requests = || healthy().flat_map(|run| run.of_route(route));
            RouteRow {
                route: route.to_owned(),
                requests: first.map_or(0, |run| run.of_route(route).count()),
                unfit: unfit(&self.runs, route),
                is_marked: is_marked(&self.runs, route),
                has_key: requests().all(|request| request.idempotency_key.is_some()),
                differ: healthy().any(|run| run.asks_for_different_things(route)),
            }
        });
        rows.collect()
    }

    /// The verdicts on a case.
    pub(crate) fn judge(&self, route: &str, fault: ProxyFault, declared: &Declared) -> Vec<Judged> {
        let case = CaseRuns {
            runs: &self.runs,
            route,
            fault,
        };
        judge(case, declared)
    }

    /// The card.
    pub(crate) fn card(&self, declared: &Declared) -> ProxyCard {
        let healthy = self.runs.iter().filter(|run| run.kind == RunKind::Healthy);
        let cases = self.plan.iter();
        let cases: Vec<_> = cases
            .map(|(route, fault)| self.case(route, *fault, declared))
            .collect();
        ProxyCard {
            schema_version: CARD_VERSION,
            command: self.command.clone(),
            upstream: self.upstream.clone(),
            routes: self.routes(),
            healthy: healthy.map(|run| run.end.clone()).collect(),
            warnings: self.warnings(&cases),
            cases,
        }
    }

    fn case(&self, route: &str, fault: ProxyFault, declared: &Declared) -> CaseCard {
        let runs = || self.runs.iter().filter(|run| run.is_of(route, fault));
        let end = |run: &ProxyRun| (!self.command.is_empty()).then(|| run.end.clone());
        let row = |run: &ProxyRun| RunRow {
            asked_ms: (fault == ProxyFault::RetryAfter).then(|| millis(run.lasts())),
            pause_ms: pause(&self.runs, run).map(millis),
            end: end(run),
        };
        let rules = self.judge(route, fault, declared);
        let wait = rules.iter().map(|judged| judged.shown_by).max();
        let shows = runs().find(|run| Some(run.lasts()) == wait);
        let first = shows.or_else(|| runs().next());
        CaseCard {
            route: route.to_owned(),
            fault,
            event: self.injected.words(fault),
            runs: runs().map(row).collect(),
            end: first.and_then(end),
            rules,
            requests: first.map(rows).unwrap_or_default(),
        }
    }

    fn warnings(&self, cases: &[CaseCard]) -> Vec<String> {
        let mut warnings: Vec<_> = self
            .runs
            .iter()
            .flat_map(|run| run.refused.clone())
            .collect();
        if self.runs.iter().any(|run| run.names_upstream) {
            warnings.push(format!(
                "a response named {}: requests that follow it pass the proxy by",
                self.upstream
            ));
        }
        if self.has_unsearched_bodies() {
            warnings.push("--match does not read bodies with a Content-Encoding".to_owned());
        }
        warnings.extend(self.way_to_a_retry(cases));
        for row in self.routes().iter().filter(|row| row.differ) {
            if self.plan.iter().any(|(route, _)| *route == row.route) {
                warnings.push(format!(
                    "the requests of {} differ, and only the first one met each fault; --match TEXT \
                     chooses another",
                    row.route
                ));
            }
        }
        warnings.sort_unstable();
        warnings.dedup();
        warnings
    }

    /// Whether a body may hold the text of --match and was not searched.
    pub(crate) fn has_unsearched_bodies(&self) -> bool {
        let mut requests = self.runs.iter().flat_map(|run| &run.requests);
        requests.any(|request| request.is_unsearched)
    }

    /// The responses that may show a retry, if some call was not sent again after the one of
    /// `retry-after`: a client may retry a 429 alone, or read its API's own error.
    fn way_to_a_retry(&self, cases: &[CaseCard]) -> Option<String> {
        let fault = ProxyFault::RetryAfter;
        let of_fault = cases.iter().filter(|case| case.fault == fault);
        let mut rules = of_fault.flat_map(|case| &case.rules);
        let is_skipped = rules.any(|judged| judged.verdict == Verdict::Skipped);
        let status = self.injected.status.is_none();
        let status = status.then_some("--fault-status 429");
        let body = self.injected.body.is_none();
        let body = body.then_some("--fault-body with an error as your API writes it");
        let options: Vec<_> = status.into_iter().chain(body).collect();
        (is_skipped && !options.is_empty()).then(|| {
            format!(
                "a call was not sent again after {}; {} may show whether its client ever retries",
                self.injected.words(fault),
                options.join(", or "),
            )
        })
    }
}

/// The requests of the target's route, from the target on.
fn rows(run: &ProxyRun) -> Vec<WireRow> {
    let Some(target) = run.target() else {
        return Vec::new();
    };
    let requests = run
        .of_route(&target.route)
        .filter(|request| request.seq >= target.seq);
    let row = |request: &ProxyRequest| WireRow {
        seq: request.seq,
        after_ms: millis(request.arrived.saturating_sub(target.arrived)),
        status: request.status,
        upstream: request
            .upstream
            .as_ref()
            .and_then(|upstream| upstream.status),
        attempt: request.attempt,
    };
    requests.map(row).collect()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl CommandEnd {
    /// How it ended, in words.
    #[must_use]
    pub fn words(&self) -> String {
        let took = duration(self.took);
        match (self.exit, self.signal) {
            (Some(code), _) => format!("{took}, exit {code}"),
            (None, Some(signal)) => format!("{took}, signal {signal}"),
            (None, None) => format!("ended by the lab after {took}"),
        }
    }
}

impl ProxyCard {
    /// The card of one run, in which requests without a command met a fault.
    #[must_use]
    pub fn of_run(
        setup: &Setup,
        (route, fault): (String, ProxyFault),
        run: ProxyRun,
        declared: &Declared,
    ) -> Self {
        let recording = Recording {
            upstream: setup.upstream.to_string(),
            injected: setup.injected.clone(),
            plan: vec![(route, fault)],
            runs: vec![run],
            ..Recording::default()
        };
        recording.card(declared)
    }

    /// Every verdict with its case.
    pub(crate) fn verdicts(&self) -> impl Iterator<Item = (&CaseCard, &Judged)> {
        let cases = self.cases.iter();
        cases.flat_map(|case| case.rules.iter().map(move |judged| (case, judged)))
    }

    /// The number of rules with this verdict, counted in each case.
    pub(crate) fn count(&self, verdict: Verdict) -> usize {
        self.verdicts()
            .filter(|(_, judged)| judged.verdict == verdict)
            .count()
    }
}

impl CaseCard {
    /// Whether there is a verdict on one of its rules. Those that were not exercised stand together
    /// on a card.
    pub(crate) fn is_exercised(&self) -> bool {
        let mut rules = self.rules.iter();
        rules.any(|judged| judged.verdict != Verdict::NotExercised)
    }
}

impl Judged {
    /// Whether it is broken in this case, as it is known to be.
    pub(crate) fn is_known_to_fail(&self, case: &CaseCard, known: &KnownFailures) -> bool {
        self.verdict == Verdict::Broken && known.cover(Some(&case.route), self.rule)
    }
}

impl JudgedCard for ProxyCard {
    fn all_verdicts(&self) -> impl Iterator<Item = (Option<&str>, &str, Verdict)> {
        let verdicts = self.verdicts();
        verdicts.map(|(case, judged)| (Some(&*case.route), judged.rule, judged.verdict))
    }
}
