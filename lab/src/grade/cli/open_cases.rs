//! `lab grade` without a command: cases that stay open until Ctrl+C.

use grade::{Card, OpenCases, TASKS, Task};
use host::Signals;
use render::Options;
use scenario::Settings;

use super::{Arguments, demands::Demands};
use crate::cli::{
    exit::Exit,
    terminal::{self, OrExit},
};

/// Serves the cases until Ctrl+C, and then judges the requests.
pub(super) fn open(arguments: &Arguments) -> Result<Exit, Exit> {
    let named = arguments.named_tasks().or_exit(Exit::Usage);
    let named = named.inspect_err(|_| {
        if arguments.task.len() > 1 {
            terminal::note("The command that runs a client goes after `--`.");
        }
    })?;
    let tasks = if named.is_empty() {
        TASKS.to_vec()
    } else {
        named
    };
    let demands = Demands::new(arguments)?;
    let seed = arguments.run.seed.unwrap_or_else(Settings::random_seed);
    let options = arguments.card.terminal();
    let mut card = terminal::runtime()?.block_on(async {
        let mut signals = terminal::signals()?;
        serve(&tasks, seed, &options, &mut signals).await
    })?;
    card.judge_only(&demands.only);
    demands.write_files(&card)?;
    demands.print(&card)?;
    Ok(demands.exit(&card))
}

/// Serves the cases of these tasks until Ctrl+C, and returns the card.
async fn serve(
    tasks: &[&'static Task],
    seed: u64,
    options: &Options,
    signals: &mut Signals,
) -> Result<Card, Exit> {
    let cases = OpenCases::start(tasks.iter().copied(), seed).or_exit(Exit::Environment)?;
    // On stderr, so that stdout has only the card.
    terminal::note(&grade::text::open(&cases, options));
    signals.next().await;
    cases.check().or_exit(Exit::Environment)?;
    let tasks = cases.stop().await.or_exit(Exit::Environment)?;
    Ok(Card {
        tasks,
        ..Card::new(Vec::new(), seed, wire::GENERATOR)
    })
}
