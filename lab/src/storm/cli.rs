//! `lab storm`: many clients, one service, a short incident.

use std::{
    error::Error,
    panic::resume_unwind,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use clap::Args;
use storm::{
    Cut, Loads, Plan, PolicyOptions, STORIES, SettingsOptions, policy, simulate_in_parallel,
    simulate_loads, simulate_seeds, story,
};
use tokio::sync::oneshot;

use crate::cli::{
    exit::Exit,
    number::{self, NumberError},
    report,
    terminal::{self, OrExit},
};

/// The most seeds that one command simulates.
const MOST_SEEDS: u32 = 1_000;

/// The seeds of each cell of a table of loads, unless `--seeds` says otherwise.
const SEEDS_OF_A_LOAD: u32 = 10;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[arg(default_value = "spike", help = stories())]
    story: String,
    /// Simulate these policies instead of the story's, as their rows name them
    #[arg(long, value_name = "NAME", num_args = 1..)]
    policy: Vec<String>,
    /// The seed of arrivals, work and jitter [default: 1]
    #[arg(long, value_parser = number::any, allow_hyphen_values = true)]
    seed: Option<u64>,
    /// Simulate this many seeds, starting with --seed, and count how often each policy
    /// recovers [with --loads: 10]
    #[arg(long, value_name = "N", value_parser = seeds, allow_hyphen_values = true)]
    seeds: Option<u32>,
    /// Simulate each of these loads, in calls per second, and count how often each policy
    /// recovers: 40,60,80 or 40..100:10
    #[arg(long, value_name = "LIST", conflicts_with = "calls_per_second")]
    loads: Option<Loads>,
    /// Print the storm, or the counts of the seeds or of the loads, as JSON
    #[arg(long)]
    json: bool,
    /// Write the storm, or the table of the loads, as an HTML report
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Use ASCII only
    #[arg(long)]
    ascii: bool,
    #[command(
        flatten,
        next_help_heading = "The storm, in place of the story's settings"
    )]
    settings: SettingsOptions,
    #[command(flatten, next_help_heading = "Your own policy, added to the others")]
    own: PolicyOptions,
}

impl Arguments {
    /// The storm to simulate.
    pub(crate) fn plan(&self) -> Result<Plan, Box<dyn Error>> {
        let mut plan = Plan::of(story(&self.story)?);
        self.settings.apply(&mut plan.settings)?;
        if !self.policy.is_empty() {
            plan.policies.clear();
        }
        for name in &self.policy {
            let policy = policy(plan.story, name)?;
            if plan.policies.contains(&policy) {
                return Err(format!("--policy names '{}' twice", policy.word()).into());
            }
            plan.policies.push(policy);
        }
        if !self.own.is_empty() {
            plan.policies.push(self.own.policy()?);
        }
        plan.seed = self.seed.unwrap_or(plan.seed);
        plan.check()?;
        if let Some(loads) = &self.loads {
            plan.check_loads(loads, self.seeds.unwrap_or(SEEDS_OF_A_LOAD))?;
        } else if self.report.is_some() && self.seeds.is_some() {
            let error = "--report has no counts of seeds: remove --seeds, or add --loads";
            return Err(error.into());
        }
        Ok(plan)
    }
}

pub(crate) fn storm(arguments: &Arguments) -> Result<Exit, Exit> {
    let options = terminal::options(arguments.ascii);
    let json = arguments.json;
    let plan = arguments.plan().or_exit(Exit::Usage)?;
    let reports = arguments.report.iter();
    report::check(reports.map(|file| (report::OPTION, &**file)), &[])?;
    let (text, is_cut) = match (&arguments.loads, arguments.seeds) {
        (Some(loads), seeds) => {
            let (loads, seeds) = (loads.clone(), seeds.unwrap_or(SEEDS_OF_A_LOAD));
            let simulated = until_ctrl_c(move |is_over| {
                let runs = plan.check_loads(&loads, seeds)?;
                terminal::note(&format!("{runs} runs; Ctrl+C ends early"));
                let bar = terminal::progress(runs.into());
                simulate_loads(&plan, &loads, seeds, is_over, &|| bar.inc(1))
            })?;
            let table = simulated.or_exit(Exit::Usage)?;
            if let Some(file) = &arguments.report {
                report::write(file, &storm::html_loads(&table))?;
            }
            let text = if json {
                render::json(&table)
            } else {
                storm::storm_loads(&table, &options)
            };
            let (simulated, all) = table.runs();
            (text, simulated < all)
        }
        (None, None) => {
            let storm = until_ctrl_c(move |is_over| simulate_in_parallel(&plan, is_over))?;
            let storm = storm.or_exit(Exit::Usage)?;
            if let Some(file) = &arguments.report {
                report::write(file, &storm::html_storm(&storm))?;
            }
            let text = if json {
                render::json(&storm)
            } else {
                storm::storm(&storm, &options)
            };
            let mut runs = storm.policies.iter();
            (text, runs.any(|run| run.cut == Some(Cut::Cancelled)))
        }
        (None, Some(seeds)) => {
            let simulated = until_ctrl_c(move |is_over| {
                terminal::note(&format!("{seeds} seeds; Ctrl+C ends early"));
                let bar = terminal::progress(seeds.into());
                simulate_seeds(&plan, seeds, is_over, &|| bar.inc(1))
            })?;
            let (storm, tally) = simulated.or_exit(Exit::Usage)?;
            let simulated = tally.seeds + tally.cut_short;
            let text = if json {
                render::json(&tally)
            } else {
                storm::storm_tally(&storm, &tally, &options)
            };
            (text, simulated < seeds as usize)
        }
    };
    terminal::print(&text)?;
    Ok(if is_cut {
        Exit::Cancelled
    } else {
        Exit::Passed
    })
}

/// Runs `work`, and tells it to end on Ctrl+C.
fn until_ctrl_c<T: Send + 'static>(
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> Result<T, Exit> {
    terminal::runtime()?.block_on(async {
        let mut signals = terminal::signals()?;
        let ends = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&ends);
        let (done, mut outcome) = oneshot::channel();
        let thread = thread::Builder::new().spawn(move || drop(done.send(work(&stop))));
        let thread = thread.map_err(|error| format!("no thread for the simulation: {error}"));
        let thread = thread.or_exit(Exit::Environment)?;
        let outcome = tokio::select! {
            outcome = &mut outcome => outcome,
            () = signals.next() => {
                ends.store(true, Ordering::Relaxed);
                outcome.await
            }
        };
        // Without an outcome the thread has panicked, and the panic goes on here.
        outcome.map_err(|_| match thread.join() {
            Err(panic) => resume_unwind(panic),
            Ok(()) => Exit::Environment,
        })
    })
}

fn stories() -> String {
    let names: Vec<_> = STORIES.iter().map(|story| story.name).collect();
    format!("The story: {}", names.join(", "))
}

fn seeds(text: &str) -> Result<u32, NumberError> {
    number::within(text, 1..=MOST_SEEDS.into())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn plan(command: &str) -> Plan {
        let command = Command::try_parse_from(command.split(' '));
        let command = command.unwrap_or_else(|error| panic!("{error}"));
        command.arguments.plan().expect("a plan")
    }

    #[test]
    fn the_command_of_a_plan_makes_the_same_plan() {
        for command in [
            "storm spike",
            "storm herd --seed 7",
            "storm spike --policy 3-jitter jitter --calls-per-second 40.5",
            "storm budgets --attempts 3",
            "storm deadlines --workers 20 --queue 5 --incident refusal --incident-lasts 2.5 \
             --refused 0.3 --length 90 --attempts 5 --backoff constant --base 0.3 --budget 20 \
             --concurrency 8 --deadline 4.5 --spread 1.5",
            "storm spike --spike 2",
        ] {
            let plan = plan(command);

            assert_eq!(plan.command(), command);
            let again = self::plan(&plan.command());
            assert_eq!((again.settings, again.seed), (plan.settings, plan.seed));
            assert_eq!(again.policies, plan.policies, "{command}");
            assert_eq!(again.story, plan.story);
        }
    }
}
