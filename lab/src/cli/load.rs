//! `lab load`: posts runs to a running `lab serve` at a rate, and counts what came back.
//!
//! Which scenario runs when is decided by the seed alone: scenarios are drawn by their
//! weight, with a surge of faults once a minute.

use std::{ops::RangeInclusive, time::Duration};

use clap::Args;
use futures_util::{StreamExt, stream::FuturesUnordered};
use http::Method;
use rand::{RngExt, SeedableRng, rngs::ChaCha12Rng, seq::IndexedRandom};
use scenario::{
    Settings,
    catalogue::{self, CATALOGUE, Scenario, Share},
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};
use wire::UnknownName;

use super::{
    exit::Exit,
    number::{self, NumberError},
    running_lab::{RunningLab, RunningLabError, default_page, page},
    terminal::{self, OrExit},
};
use crate::scenario::web::UnkeptRun;

/// How long a load may last, in seconds: enough for a class and its break.
const SECONDS: RangeInclusive<u64> = 1..=7_200;

/// Two thirds of the runs in a second that an unoptimised build can handle on two cores.
/// At higher rates most runs would be refused, and timeouts would say more about the
/// machine than about the client.
const RATES: RangeInclusive<u64> = 1..=50;

/// The time from one surge of faults to the next.
const PERIOD: Duration = Duration::from_secs(60);

/// The calm before each surge, so that a load shows both states and an alert that fires
/// can be seen to clear.
const CALM: Duration = Duration::from_secs(40);

/// The factor by which faults become more frequent in a surge.
const SURGE: u32 = 3;

/// How long a run may take. The longest of the course takes a few seconds.
const LONGEST_RUN: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[arg(long, value_name = "N", help = within("The seconds during which runs start", SECONDS), default_value_t = 60, value_parser = seconds, allow_hyphen_values = true)]
    seconds: u64,

    #[arg(long, value_name = "R", help = within("The number of runs to start in a second", RATES), default_value_t = 5, value_parser = rate, allow_hyphen_values = true)]
    rate: u64,

    /// The scenarios to run [default: the whole course]
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<String>,

    /// The seed of the choice of scenarios and of each run [default: random]
    #[arg(long, value_name = "N", value_parser = number::any, allow_hyphen_values = true)]
    seed: Option<u64>,

    /// The address of the web UI, as `lab serve` prints it
    #[arg(long, value_name = "URL", default_value_t = default_page(), value_parser = page)]
    page: String,
}

fn within(what: &str, range: RangeInclusive<u64>) -> String {
    format!("{what}, from {} to {}", range.start(), range.end())
}

fn seconds(text: &str) -> Result<u64, NumberError> {
    number::within(text, SECONDS)
}

fn rate(text: &str) -> Result<u64, NumberError> {
    number::within(text, RATES)
}

impl Arguments {
    /// The runs of the load, if all named scenarios are known.
    pub(crate) fn plan(&self) -> Result<Plan, UnknownName> {
        let seed = self.seed.unwrap_or_else(Settings::random_seed);
        let named = self.scenarios.iter().map(|name| catalogue::find(name));
        let named: Vec<_> = named.collect::<Result<_, _>>()?;
        Ok(Plan::new(self.seconds, self.rate, &named, seed))
    }
}

/// The runs of a load, in order and evenly spaced.
#[derive(Debug)]
pub(crate) struct Plan {
    scenarios: Vec<&'static Scenario>,
    seed: u64,
    rate: u64,
    next: u64,
    length: u64,
    random: ChaCha12Rng,
}

/// A planned run.
#[derive(Debug)]
pub(crate) struct Arrival {
    scenario: &'static Scenario,
    seed: u64,
}

impl Plan {
    /// Runs of these scenarios, or of the whole course if there is none.
    fn new(seconds: u64, rate: u64, scenarios: &[&'static Scenario], seed: u64) -> Self {
        Self {
            scenarios: if scenarios.is_empty() {
                CATALOGUE.iter().collect()
            } else {
                scenarios.to_vec()
            },
            seed,
            rate,
            next: 0,
            length: seconds * rate,
            random: ChaCha12Rng::seed_from_u64(seed),
        }
    }

    /// The time from the start of the load to the next run; none if there is no other.
    /// Whole seconds are counted separately, so that rounding errors don't add up.
    fn due(&self) -> Option<Duration> {
        if self.next == self.length {
            return None;
        }
        let rest = (self.next % self.rate) * 1_000_000_000 / self.rate;
        Some(Duration::from_secs(self.next / self.rate) + Duration::from_nanos(rest))
    }
}

impl Iterator for Plan {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let due = self.due()?;
        self.next += 1;
        let weight = |scenario: &&Scenario| weight(scenario.load, due);
        let drawn = self.scenarios.choose_weighted(&mut self.random, weight);
        Some(Arrival {
            scenario: drawn.ok().copied()?,
            seed: self.random.random(),
        })
    }
}

/// The weight of a scenario at a time after the start.
fn weight(share: Share, at: Duration) -> u32 {
    let is_surge = Duration::from_secs(at.as_secs() % PERIOD.as_secs()) >= CALM;
    if is_surge && share.surges {
        share.weight * SURGE
    } else {
        share.weight
    }
}

/// Why a load did not run, or not completely.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    #[error("`lab serve` at {0} stopped during the load; the runs completed before that are above")]
    Interrupted(String),
    #[error("{0} of {1} runs could not be completed; a lower --rate may help")]
    RunsFailed(u64, u64),
}

/// How a load ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Finished,
    /// Stopped by Ctrl+C.
    Stopped,
    Interrupted,
}

/// How a run ended.
enum Ended {
    Completed(UnkeptRun),
    /// It could not be completed, for a reason that says nothing about the client.
    Failed(String),
    /// The server is gone.
    Interrupted,
}

pub(crate) fn load(arguments: &Arguments) -> Result<Exit, Exit> {
    terminal::runtime()?.block_on(run(arguments))
}

async fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let mut plan = arguments.plan().or_exit(Exit::Usage)?;
    let lab = RunningLab::at(&arguments.page).or_exit(Exit::Environment)?;
    let runs: Result<Vec<Value>, _> = lab.ask(Method::GET, "/api/runs", None).await;
    let runs = runs.map_err(|error| match error {
        RunningLabError::Problem { .. } => lab.is_another(),
        error => error,
    });
    runs.or_exit(Exit::Environment)?;
    // Signals must be handled once the line below is printed. Before it there is nothing
    // to summarise, and a signal ends the program as usual.
    let mut signals = terminal::signals()?;
    terminal::note(&format!(
        "{} runs in {} s; watch them at {}/metrics-view; Ctrl+C stops them",
        plan.length,
        arguments.seconds,
        arguments.page.trim_end_matches('/')
    ));
    let lab = lab.with_patience(LONGEST_RUN);
    let bar = terminal::progress(plan.length);
    let mut tally = Tally::default();
    let mut running = FuturesUnordered::new();
    let start = Instant::now();
    let end = loop {
        bar.set_position(tally.ended());
        bar.set_message(format!("{} going on", running.len()));
        let due = plan.due();
        if due.is_none() && running.is_empty() {
            break End::Finished;
        }
        tokio::select! {
            () = sleep_until(start + due.unwrap_or_default()), if due.is_some() => {
                tally.asked += 1;
                running.extend(plan.next().map(|arrival| run_scenario(&lab, arrival)));
            }
            Some((arrival, ended)) = running.next() => {
                if !tally.count(&arrival, ended) {
                    break End::Interrupted;
                }
            }
            () = signals.next() => break End::Stopped,
        }
    };
    bar.finish_and_clear();
    // The server ends a run when its connection closes.
    drop(running);

    terminal::print(&tally.summary(&plan))?;
    judge(end, &tally, &arguments.page).or_exit(Exit::Environment)
}

/// Asks for one run, in real time, because graphs of skipped waits would mislead.
async fn run_scenario(lab: &RunningLab, arrival: Arrival) -> (Arrival, Ended) {
    let request = json!({
        "scenario": arrival.scenario.name(), "seed": arrival.seed, "kept": false,
    });
    let ended = match lab.ask(Method::POST, "/api/runs", Some(&request)).await {
        Ok(run) => Ended::Completed(run),
        Err(RunningLabError::Refused(_) | RunningLabError::NotTheWebUi(_)) => Ended::Interrupted,
        Err(error) => Ended::Failed(error.to_string()),
    };
    (arrival, ended)
}

/// The exit code of a load, or why it has none.
fn judge(end: End, tally: &Tally, page: &str) -> Result<Exit, LoadError> {
    if end == End::Interrupted {
        return Err(LoadError::Interrupted(page.to_owned()));
    }
    if tally.missed > 0 {
        return Ok(Exit::Failed);
    }
    if tally.failed > 0 {
        return Err(LoadError::RunsFailed(tally.failed, tally.asked));
    }
    Ok(Exit::Passed)
}

/// The results of the runs that were due.
#[derive(Debug, Default)]
struct Tally {
    asked: u64,
    completed: u64,
    /// Of these, the runs that did not end as expected.
    missed: u64,
    failed: u64,
    /// The first run that failed or was not as expected; the others are only counted.
    first_problem: Option<String>,
}

impl Tally {
    /// Counts a run that has ended, and returns whether the server is still there.
    fn count(&mut self, arrival: &Arrival, ended: Ended) -> bool {
        let name = arrival.scenario.name();
        match ended {
            Ended::Interrupted => return false,
            Ended::Failed(why) => {
                self.failed += 1;
                let problem = format!("{name} could not be completed: {why}");
                self.first_problem.get_or_insert(problem);
            }
            Ended::Completed(run) => {
                self.completed += 1;
                if !run.missed.is_empty() {
                    self.missed += 1;
                    let missed = run.missed.join("; ");
                    let problem = format!("{name} with seed {}: {missed}", arrival.seed);
                    self.first_problem.get_or_insert(problem);
                }
            }
        }
        true
    }

    fn ended(&self) -> u64 {
        self.completed + self.failed
    }

    fn summary(&self, plan: &Plan) -> String {
        let Self {
            asked, completed, ..
        } = self;
        let held = completed - self.missed;
        let mut text =
            format!("runs  {asked} asked for, {completed} completed, {held} as expected\n");
        for (number, what) in [
            (self.failed, "could not be completed"),
            (self.asked - self.ended(), "stopped before the end"),
        ] {
            if number > 0 {
                text += &format!("      {number} {what}\n");
            }
        }
        text += &format!("seed  {}\n", plan.seed);
        if let Some(problem) = &self.first_problem {
            text += &format!("\n{}\n", problem.escape_debug());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    fn plan(seconds: u64, rate: u64, seed: u64) -> Plan {
        Plan::new(seconds, rate, &[], seed)
    }

    /// The runs, each with its time, its scenario and its seed.
    fn runs(mut plan: Plan) -> Vec<(Duration, &'static str, u64)> {
        let mut runs = Vec::new();
        while let Some(due) = plan.due() {
            let arrival = plan.next().expect("a run");
            runs.push((due, arrival.scenario.name(), arrival.seed));
        }
        runs
    }

    #[test]
    fn runs_start_evenly_within_the_duration() {
        let times: Vec<_> = runs(plan(2, 3, 7))
            .iter()
            .map(|(at, ..)| at.as_millis())
            .collect();

        assert_eq!(times, [0, 333, 666, 1000, 1333, 1666]);
    }

    /// The calls of each scenario in one run of the reference client, and their requests. No
    /// request comes early, which an alert watches as well.
    async fn costs() -> HashMap<&'static str, [u64; 2]> {
        let mut costs = HashMap::new();
        for scenario in CATALOGUE {
            let settings = Settings::in_virtual_time(&scenario::Reliable, 7);
            let run = scenario::run(scenario, &settings).await.expect("a run");
            assert!(run.passed(), "{}: {:?}", scenario.name(), run.verdict);
            let counted = ["client_calls_total", "client_attempts_total"];
            let counted = counted.map(|name| run.counters.total(name));
            costs.insert(scenario.name(), counted);
        }
        costs
    }

    /// How many evaluations in a row find more than two requests for each call, over the five
    /// minutes before each. Prometheus evaluates its rules when it scrapes.
    fn longest_alert(runs: &[(Duration, &str, u64)], costs: &HashMap<&str, [u64; 2]>) -> usize {
        const SCRAPES_IN_FIVE_MINUTES: usize = 60;
        let (mut samples, mut sum) = (Vec::new(), [0, 0]);
        let mut runs = runs.iter().peekable();
        for second in (0..=600).step_by(5) {
            while let Some((_, name, _)) = runs.next_if(|(at, ..)| at.as_secs() < second) {
                let [calls, requests] = costs[name];
                sum = [sum[0] + calls, sum[1] + requests];
            }
            samples.push(sum);
        }
        let (mut longest, mut present) = (0, 0);
        for (number, [calls, requests]) in samples.iter().enumerate() {
            let first = samples[(number + 1).saturating_sub(SCRAPES_IN_FIVE_MINUTES)];
            let is_above = requests - first[1] > 2 * (calls - first[0]);
            present = if is_above { present + 1 } else { 0 };
            longest = longest.max(present);
        }
        longest
    }

    /// A rule with `for: 30s` fires at the seventh evaluation.
    #[tokio::test]
    async fn no_alert_fires_in_a_load_of_the_whole_course() {
        let costs = costs().await;
        for seed in 0..20 {
            for rate in [1, 2, 5] {
                let longest = longest_alert(&runs(plan(600, rate, seed)), &costs);
                assert!(
                    longest < 7,
                    "{longest} with seed {seed}, {rate} runs a second"
                );
            }
        }
        let flaky = [catalogue::find("flaky").expect("known")];
        let repeats = runs(Plan::new(600, 1, &flaky, 7));
        assert!(longest_alert(&repeats, &costs) >= 7, "an alert can fire");
    }

    #[test]
    fn the_longest_load_stays_on_schedule() {
        let (seconds, rate) = (*SECONDS.end(), *RATES.end());
        let mut plan = plan(seconds, rate, 7);
        plan.next = plan.length - 1;

        let last = plan.due().expect("the last run");

        let interval = Duration::from_secs(1) / u32::try_from(rate).expect("small");
        assert_eq!(last, Duration::from_secs(seconds) - interval);
    }

    #[test]
    fn one_seed_always_gives_the_same_load_and_each_run_a_seed_of_its_own() {
        let once = runs(plan(5, 20, 7));

        assert_eq!(once, runs(plan(5, 20, 7)));
        assert_ne!(once, runs(plan(5, 20, 8)));
        let seeds: HashSet<_> = once.iter().map(|run| run.2).collect();
        assert_eq!(seeds.len(), 100);
    }

    /// The share of healthy scenarios at a time.
    fn healthy(at_ms: u64) -> f64 {
        let at = Duration::from_millis(at_ms);
        let sum = |surges: &[bool]| -> u32 {
            let shares = CATALOGUE.iter().map(|scenario| scenario.load);
            let shares = shares.filter(|share| surges.contains(&share.surges));
            shares.map(|share| weight(share, at)).sum()
        };
        f64::from(sum(&[false])) / f64::from(sum(&[false, true]))
    }

    #[test]
    fn most_traffic_is_healthy_until_faults_surge() {
        for calm in [0, 39_999, 60_000] {
            assert!(healthy(calm) > 0.55, "{calm}");
        }
        let surge = healthy(40_000);
        assert!((0.25..0.45).contains(&surge), "{surge}");
    }

    #[test]
    fn a_draw_is_about_as_likely_as_its_weight() {
        let total: u32 = CATALOGUE.iter().map(|scenario| scenario.load.weight).sum();
        let mut plan = plan(1, u64::from(total) * 100, 7);

        let mut draws = HashMap::new();
        for arrival in plan.by_ref() {
            *draws.entry(arrival.scenario.name()).or_insert(0_u32) += 1;
        }

        for scenario in CATALOGUE {
            let expected = scenario.load.weight * 100;
            let drawn = draws[scenario.name()];
            let is_near = drawn.abs_diff(expected) < expected / 2;
            assert!(is_near, "{scenario:?}: {drawn}");
        }
    }

    #[test]
    fn only_the_named_scenarios_run() {
        let names = ["flaky", "items"];
        let named = names.map(|name| catalogue::find(name).expect("known"));

        let runs = runs(Plan::new(10, 20, &named, 7));

        let found: HashSet<_> = runs.iter().map(|(_, name, _)| *name).collect();
        assert_eq!(found, HashSet::from(names));
    }

    fn tally(completed: u64, failed: u64, missed: u64) -> Tally {
        Tally {
            asked: completed + failed,
            failed,
            completed,
            missed,
            first_problem: Some("items with seed 3: \u{1b}[2J".to_owned()),
        }
    }

    #[test]
    fn the_exit_code_says_whether_all_was_run_and_as_expected() {
        for (end, tally, expected) in [
            (End::Finished, tally(9, 0, 0), Ok(Exit::Passed)),
            (End::Stopped, tally(9, 0, 0), Ok(Exit::Passed)),
            (End::Stopped, tally(9, 0, 1), Ok(Exit::Failed)),
            (End::Finished, tally(9, 1, 1), Ok(Exit::Failed)),
            (
                End::Interrupted,
                tally(9, 0, 1),
                Err("stopped during the load"),
            ),
            (
                End::Finished,
                tally(8, 2, 0),
                Err("2 of 10 runs could not be"),
            ),
        ] {
            let judged = judge(end, &tally, "there").map_err(|error| error.to_string());

            match (&judged, expected) {
                (Err(error), Err(words)) => assert!(error.contains(words), "{error}"),
                _ => assert_eq!(judged.as_ref().ok(), expected.as_ref().ok(), "{end:?}"),
            }
        }
    }

    #[test]
    fn the_summary_counts_completed_and_missing_runs() {
        let mut tally = tally(14, 3, 1);
        tally.asked += 1;

        let summary = tally.summary(&plan(2, 9, 7));

        insta::assert_snapshot!(summary, @r"
        runs  18 asked for, 14 completed, 13 as expected
              3 could not be completed
              1 stopped before the end
        seed  7

        items with seed 3: \u{1b}[2J
        ");
    }
}
