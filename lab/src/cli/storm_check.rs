//! `lab storm --check`: validates the storm's model against published figures and
//! formulas.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use evidence::storm::check::Figures;
use host::Signals;
use runner::storm::check;
use tokio::sync::oneshot;

use super::{Exit, terminal};

/// Roughly how many times longer an unoptimised build takes.
const SLOW: &str = "This build is not optimised, and takes ten times as long as \
                    `cargo run --release -p lab -- storm --check`.";

pub(super) fn storm_check(seed: u64, json: bool, ascii: bool) -> Result<Exit, Exit> {
    let figures = simulate(seed)?;
    let text = match json {
        true => render::json(&figures),
        false => render::storm_figures(&figures, &terminal::options(ascii)),
    };
    terminal::print(&text)?;
    Ok(match figures.held() {
        _ if figures.cancelled => Exit::Cancelled,
        true => Exit::Passed,
        false => Exit::Failed,
    })
}

/// Simulates every check. Ctrl+C ends it early and prints the figures so far.
fn simulate(seed: u64) -> Result<Figures, Exit> {
    let runtime = terminal::runtime()?;
    let signals = runtime.block_on(async { Signals::listen() });
    let mut signals = signals.map_err(|error| terminal::fail(&error, Exit::Environment))?;
    let runs = check::runs();
    terminal::note(&format!(
        "{runs} runs; Ctrl+C ends it early with the figures so far"
    ));
    if cfg!(debug_assertions) {
        terminal::paragraph(SLOW);
    }
    let bar = terminal::progress(runs.into());
    let is_cancelled = AtomicBool::new(false);
    let on_run = || {
        bar.inc(1);
        match is_cancelled.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let figures = thread::scope(|scope| {
        let (end, ended) = oneshot::channel::<()>();
        let simulation = scope.spawn(|| {
            let _end = end;
            check::check(seed, &on_run)
        });
        runtime.block_on(async {
            tokio::select! {
                _ = ended => {}
                () = signals.next() => is_cancelled.store(true, Ordering::Relaxed),
            }
        });
        #[expect(
            clippy::expect_used,
            reason = "a panic of the simulation continues here"
        )]
        simulation.join().expect("a simulation ends")
    });
    bar.finish_and_clear();
    figures.map_err(|error| terminal::fail(&error, Exit::Environment))
}
