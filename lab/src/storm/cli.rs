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

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use storm::{
    Cut, Parameter, ParameterError, Parameters, Plan, Settings, Setup, StormPolicy, Values, policy,
    simulate_in_parallel, simulate_seeds, story,
};
use tokio::sync::oneshot;

use crate::cli::{
    Exit, OrExit,
    number::{self, NumberError},
    report, terminal,
};

/// The most seeds that one command simulates.
const MOST_SEEDS: u32 = 1_000;

/// The name of a policy that is set up on the command line.
const YOURS: &str = "yours";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The story, as `lab list stories` names it
    #[arg(default_value = "spike")]
    story: String,
    /// Simulate these policies instead of the story's
    #[arg(long, value_name = "NAME", num_args = 1..)]
    policy: Vec<String>,
    /// The seed of arrivals, work and jitter [default: 1]
    #[arg(long, value_parser = number::any, allow_hyphen_values = true)]
    seed: Option<u64>,
    /// Simulate this many seeds, starting with --seed, and count how often the service
    /// was down at the end
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
    #[command(flatten, next_help_heading = "The storm")]
    settings: ParameterOptions<Settings>,
    #[command(flatten, next_help_heading = "Your own policy, added to the others")]
    setup: ParameterOptions<Setup>,
}

impl Arguments {
    /// The storm to simulate.
    pub(crate) fn plan(&self) -> Result<Plan, Box<dyn Error>> {
        let mut plan = Plan::of(story(&self.story)?);
        self.settings.apply(&mut plan.settings)?;
        plan.settings.check()?;
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
        if !self.setup.0.is_empty() {
            let mut setup = Setup::DEFAULT;
            self.setup.apply(&mut setup)?;
            self.setup
                .refuse_without_effect(|name| setup.without_effect(name, &plan.settings))?;
            plan.policies.push(StormPolicy::new(YOURS, setup));
        }
        self.settings
            .refuse_without_effect(|name| plan.settings.without_effect(name, &plan.policies))?;
        plan.seed = self.seed.unwrap_or(plan.seed);
        Ok(plan)
    }
}

/// The settings of a table that are given on the command line, with one option for each.
#[derive(Debug)]
struct ParameterOptions<T: 'static>(Vec<(&'static Parameter<T>, String)>);

impl<T: Parameters> ParameterOptions<T> {
    fn apply(&self, to: &mut T) -> Result<(), String> {
        self.0
            .iter()
            .try_for_each(|(Parameter { name, .. }, text)| {
                let set = to.set_text(name, text);
                set.map_err(|error| match error {
                    ParameterError::Refused { rule, got, .. } => {
                        format!("--{} must be {rule}, got {got}", option(name))
                    }
                    ParameterError::Unknown { .. } => error.to_string(),
                })
            })
    }

    /// Refuses an option that changes nothing.
    fn refuse_without_effect(
        &self,
        reason: impl Fn(&str) -> Option<&'static str>,
    ) -> Result<(), String> {
        self.0.iter().try_for_each(|(parameter, _)| {
            let name = parameter.name;
            match reason(name) {
                Some(reason) => Err(format!("--{} has no effect: {reason}", option(name))),
                None => Ok(()),
            }
        })
    }
}

/// The option of a setting: its name without the unit.
fn option(name: &str) -> String {
    name.trim_end_matches("_seconds").replace('_', "-")
}

impl<T: Parameters> Args for ParameterOptions<T> {
    fn augment_args(command: Command) -> Command {
        let arguments = T::options().map(|parameter| {
            let name = match parameter.values {
                Values::OneOf(_) => "WORD",
                Values::Whole { .. } => "N",
                Values::Number { .. } if parameter.unit() == "s" => "SECONDS",
                Values::Number { .. } => "X",
            };
            let values = match parameter.values {
                Values::OneOf(words) => words.join(", "),
                Values::Whole { least, most } => format!("{least} to {most}"),
                Values::Number { least, most } => format!("{least} to {most}"),
            };
            let default = parameter.value(&T::default());
            Arg::new(parameter.name)
                .long(option(parameter.name))
                .value_name(name)
                .allow_negative_numbers(true)
                .help(format!("{} [{values}; default: {default}]", parameter.what))
                .hide_short_help(true)
        });
        command.args(arguments)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Parameters> FromArgMatches for ParameterOptions<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = T::options().filter_map(|parameter| {
            let text = matches.get_one::<String>(parameter.name)?;
            Some((parameter, text.clone()))
        });
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(crate) fn storm(arguments: &Arguments) -> Result<Exit, Exit> {
    let options = terminal::options(arguments.ascii);
    let json = arguments.json;
    let plan = arguments.plan().or_exit(Exit::Usage)?;
    arguments
        .report
        .iter()
        .try_for_each(|file| report::check(file))?;
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
            let simulated = tally.seeds.len() as u64 + u64::from(tally.cut_short);
            let text = if json {
                render::json(&tally)
            } else {
                storm::storm_tally(&storm, &tally, &options)
            };
            (text, simulated < seeds.into())
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

fn seeds(text: &str) -> Result<u32, NumberError> {
    number::within(text, 1..=MOST_SEEDS.into())
}
