//! `lab grade` without a command: cases that stay open until Ctrl+C.

use grade::{Card, OpenCases, Task};
use host::Signals;
use render::Options;

use crate::cli::{Exit, OrExit, terminal};

/// Serves the cases of these tasks until Ctrl+C, and returns the card.
pub(super) async fn serve(
    tasks: &[&'static Task],
    seed: u64,
    options: &Options,
    signals: &mut Signals,
) -> Result<Card, Exit> {
    let cases = OpenCases::start(tasks.iter().copied(), seed).or_exit(Exit::Environment)?;
    let open = tasks.iter().map(|task| {
        let of_it = cases
            .cases()
            .filter(|case| case.task.words.name == task.words.name);
        let of_it: Vec<_> = of_it.collect();
        grade::text::Open {
            task: task.words.name,
            token: of_it.first().and_then(|case| case.token),
            cases: of_it.iter().map(|case| (case.name, case.url)).collect(),
        }
    });
    let open: Vec<_> = open.collect();
    // On stderr, so that stdout has only the card.
    terminal::note(&grade::text::open(&open, options));
    signals.next().await;
    cases.check().or_exit(Exit::Environment)?;
    let tasks = cases.stop().await.or_exit(Exit::Environment)?;
    Ok(Card {
        tasks,
        ..Card::new(Vec::new(), seed, wire::GENERATOR)
    })
}
