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
    Cut, Plan, PolicyOptions, STORIES, SettingsOptions, policy, simulate_in_parallel,
    simulate_seeds, story,
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
    /// recovers
    #[arg(long, value_name = "N", value_parser = seeds, allow_hyphen_values = true)]
    seeds: Option<u32>,
    /// Print the storm or the results of the seeds as JSON
    #[arg(long)]
    json: bool,
    /// Write the storm as an HTML report
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
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
        Ok(plan)
    }
}

pub(crate) fn storm(arguments: &Arguments) -> Result<Exit, Exit> {
    let options = terminal::options(arguments.ascii);
    let json = arguments.json;
    let plan = arguments.plan().or_exit(Exit::Usage)?;
    let reports = arguments.report.iter();
    report::check(reports.map(|file| (report::OPTION, &**file)), &[])?;
    let (text, is_cut) = match arguments.seeds {
        None => {
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
        Some(seeds) => {
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
