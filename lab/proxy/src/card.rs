//! The card of a command: its routes, and the verdicts on how it took each fault.

use judge::{KnownFailures, known_failures::JudgedCard, rules::Verdict};
use serde::Serialize;
use wire::duration;

use super::{
    CommandEnd, ProxyFault, ProxyRequest, ProxyRun, Upstream,
    record::RunKind,
    verdict::{CaseRuns, Judged, is_marked, judge, rules::Declared, unfit},
};

/// The version of the card as JSON.
const CARD_VERSION: u32 = 1;

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
    /// How many runs there were.
    pub(crate) runs: usize,
    /// How the command ended in that run; none if there was no command.
    pub(crate) end: Option<CommandEnd>,
    /// The verdicts on its rules.
    pub(crate) rules: Vec<Judged>,
    /// The requests of the route from the one that met the fault on, in the first run that
    /// shows the verdict.
    pub(crate) requests: Vec<WireRow>,
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
        let cases = self.plan.iter().map(|(route, fault)| {
            let runs = || self.runs.iter().filter(|run| run.is_of(route, *fault));
            let rules = self.judge(route, *fault, declared);
            let wait = rules.iter().map(|judged| judged.shown_by).max();
            let shows = runs().find(|run| Some(run.lasts()) == wait);
            let first = shows.or_else(|| runs().next());
            CaseCard {
                route: route.clone(),
                fault: *fault,
                runs: runs().count(),
                end: first
                    .filter(|_| !self.command.is_empty())
                    .map(|run| run.end.clone()),
                rules,
                requests: first.map(rows).unwrap_or_default(),
            }
        });
        ProxyCard {
            schema_version: CARD_VERSION,
            command: self.command.clone(),
            upstream: self.upstream.clone(),
            routes: self.routes(),
            healthy: healthy.map(|run| run.end.clone()).collect(),
            cases: cases.collect(),
            warnings: self.warnings(),
        }
    }

    fn warnings(&self) -> Vec<String> {
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
}

/// The requests of the target's route, from the target on.
fn rows(run: &ProxyRun) -> Vec<WireRow> {
    let Some(target) = run.target() else {
        return Vec::new();
    };
    let requests = run
        .of_route(&target.route)
        .filter(|request| request.seq >= target.seq);
    let row = |request: &ProxyRequest| {
        let after = request.arrived.saturating_sub(target.arrived).as_millis();
        WireRow {
            seq: request.seq,
            after_ms: u64::try_from(after).unwrap_or(u64::MAX),
            status: request.status,
            upstream: request
                .upstream
                .as_ref()
                .and_then(|upstream| upstream.status),
            attempt: request.attempt,
        }
    };
    requests.map(row).collect()
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
        upstream: &Upstream,
        (route, fault): (String, ProxyFault),
        run: ProxyRun,
        declared: &Declared,
    ) -> Self {
        let recording = Recording {
            upstream: upstream.to_string(),
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
