//! `lab load`: asks a running `lab serve` to run many scenarios, and summarises the runs.

use std::{ops::RangeInclusive, time::Duration};

use clap::Args;
use http::{Method, StatusCode, header::CONTENT_TYPE};
use indicatif::ProgressBar;
use reqwest::Response;
use serde_json::json;
use tokio::time::timeout;

use super::{
    Exit, OrExit,
    number::{self, NumberError},
    running_lab::{RunningLab, RunningLabError, default_page, page},
    terminal,
};
use crate::{
    load::DEFAULT_RATE, load::DEFAULT_SECONDS, load::MEDIA_TYPE, load::RATES, load::SECONDS,
};
use evidence::{load::Load, load::Progress};
use runner::{
    Settings, scenario, scenario::CATALOGUE, scenario::NothingMatches, scenario::Scenario,
};

/// How long a load may send nothing. The server sends its progress every second.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

/// The maximum length of a line of progress, in bytes.
const LONGEST_LINE: usize = 64 * 1024;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[arg(long, value_name = "N", help = within("The seconds during which runs start", SECONDS), default_value_t = DEFAULT_SECONDS, value_parser = seconds, allow_hyphen_values = true)]
    seconds: u64,

    #[arg(long, value_name = "R", help = within("The number of runs to start in a second", RATES), default_value_t = DEFAULT_RATE, value_parser = rate, allow_hyphen_values = true)]
    rate: u64,

    /// Only the scenarios whose name contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// The seed of the choice of scenarios and of each run [default: random]
    #[arg(long, value_name = "N", value_parser = number::any, allow_hyphen_values = true)]
    seed: Option<u64>,

    /// The address of the web UI, as `lab serve` prints it
    #[arg(long, value_name = "URL", default_value_t = default_page(), value_parser = page)]
    page: String,

    /// Use ASCII only
    #[arg(long)]
    ascii: bool,
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
    /// The requested load, if the filter matches a scenario.
    pub(super) fn load(&self) -> Result<Load, NothingMatches> {
        let filter = self.filter.clone().unwrap_or_default();
        scenario::matching(&filter)?;
        Ok(Load {
            seconds: self.seconds,
            rate: self.rate,
            seed: self.seed.unwrap_or_else(Settings::random_seed),
            filter,
        })
    }
}

/// Why a load did not run, or not completely.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    #[error(transparent)]
    Lab(#[from] RunningLabError),
    #[error("a load is already running at {0}; wait for its end, or stop it where it was started")]
    AlreadyRunning(String),
    #[error("`lab serve` at {0} stopped during the load; the runs completed before that are above")]
    Interrupted(String),
    #[error(
        "{0} of {1} runs were refused, because too many runs were going on; ask for a lower --rate"
    )]
    RunsRefused(u64, u64),
    #[error("{0} of {1} runs could not be completed")]
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

pub(super) fn load(arguments: &Arguments) -> Result<Exit, Exit> {
    terminal::runtime()?.block_on(run(arguments))
}

async fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let load = arguments.load().or_exit(Exit::Usage)?;

    let running = RunningLoad::start(&arguments.page, &load).await;
    let mut running = running.or_exit(Exit::Environment)?;
    let first = running.next().await.ok().flatten();
    let first = first.ok_or_else(|| RunningLabError::NotTheWebUi(arguments.page.clone()));
    let mut progress = first.or_exit(Exit::Environment)?;
    // Signals must be handled once the line below is printed. Before it there is nothing
    // to summarise, and a signal ends the program as usual.
    let mut signals = terminal::signals()?;
    terminal::note(&format!(
        "{} runs in {} s at {}; Ctrl+C stops them",
        progress.length, load.seconds, arguments.page
    ));
    let bar = terminal::progress(progress.length);
    let end = loop {
        show(&bar, &progress);
        if progress.finished {
            break End::Finished;
        }
        tokio::select! {
            next = running.next() => match next {
                Ok(Some(next)) => progress = next,
                Ok(None) | Err(_) => break End::Interrupted,
            },
            () = signals.next() => break End::Stopped,
        }
    };
    bar.finish_and_clear();
    // The server stops the load when its connection closes.
    drop(running);
    progress.tally.cut();

    let options = terminal::options(arguments.ascii);
    let course: Vec<_> = CATALOGUE.iter().map(Scenario::name).collect();
    terminal::print(&render::load(&load, &progress, &course, &options))?;
    judge(end, &progress, &arguments.page).or_exit(Exit::Environment)
}

fn show(bar: &ProgressBar, progress: &Progress) {
    let tally = &progress.tally;
    bar.set_position(tally.asked - tally.going_on.min(tally.asked));
    let refused = match tally.refused {
        0 => String::new(),
        refused => format!(", {refused} refused"),
    };
    bar.set_message(format!("{} going on{refused}", tally.going_on));
}

/// The exit code of a load, or why it has none.
fn judge(end: End, progress: &Progress, page: &str) -> Result<Exit, LoadError> {
    let tally = &progress.tally;
    if end == End::Interrupted {
        return Err(LoadError::Interrupted(page.to_owned()));
    }
    if tally.missed() > 0 {
        return Ok(Exit::Failed);
    }
    // A run that is still going on at the end of a load hangs.
    let hung = match end {
        End::Finished => tally.cut,
        End::Stopped | End::Interrupted => 0,
    };
    match (tally.refused, tally.failed.saturating_add(hung)) {
        (0, 0) => Ok(Exit::Passed),
        (0, failed) => Err(LoadError::RunsFailed(failed, tally.asked)),
        (refused, _) => Err(LoadError::RunsRefused(refused, tally.asked)),
    }
}

/// A load on the server, which stops it when this is dropped.
struct RunningLoad {
    response: Response,
    /// The beginning of the next line.
    line: Vec<u8>,
}

impl RunningLoad {
    async fn start(page: &str, load: &Load) -> Result<Self, LoadError> {
        let body = json!({
            "seconds": load.seconds, "rate": load.rate, "seed": load.seed, "filter": load.filter,
        });
        let lab = RunningLab::at(page)?;
        let response = lab.send(Method::POST, "/api/loads", Some(&body)).await?;
        if response.status() == StatusCode::CONFLICT {
            return Err(LoadError::AlreadyRunning(page.to_owned()));
        }
        let media_type = response.headers().get(CONTENT_TYPE);
        if response.status() != StatusCode::OK
            || media_type.is_none_or(|media_type| media_type != MEDIA_TYPE)
        {
            return Err(lab.is_another().into());
        }
        Ok(Self {
            response,
            line: Vec::new(),
        })
    }

    /// The next progress; none at the end of the response, after [`IDLE_TIMEOUT`], or for
    /// an invalid line.
    async fn next(&mut self) -> reqwest::Result<Option<Progress>> {
        loop {
            if let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.line.drain(..=end).collect();
                return Ok(serde_json::from_slice(&line).ok());
            }
            let chunk = in_time(async || self.response.chunk().await).await;
            match chunk.transpose()?.flatten() {
                Some(chunk) if self.line.len() < LONGEST_LINE => self.line.extend(chunk),
                Some(_) | None => return Ok(None),
            }
        }
    }
}

/// The result, unless it takes longer than [`IDLE_TIMEOUT`]. The attempt is repeated at
/// half-time: after the program was suspended, the timer fires before the bytes that
/// arrived meanwhile are read.
async fn in_time<T>(mut attempt: impl AsyncFnMut() -> T) -> Option<T> {
    for _ in 0..2 {
        if let Ok(result) = timeout(IDLE_TIMEOUT / 2, attempt()).await {
            return Some(result);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(completed: u64, refused: u64, failed: u64, missed: u64) -> Progress {
        let mut progress = Progress::default();
        progress.tally.asked = completed + refused + failed;
        progress.tally.completed = completed;
        progress.tally.refused = refused;
        progress.tally.failed = failed;
        let row = progress.tally.scenarios.entry("items".to_owned());
        row.or_default().missed = missed;
        progress
    }

    #[test]
    fn the_exit_code_says_whether_all_was_run_and_as_expected() {
        let mut hung = progress(9, 0, 0, 0);
        hung.tally.asked += 1;
        hung.tally.cut = 1;
        let all = progress(9, 0, 0, 0);
        let missed = progress(9, 0, 0, 1);
        for (end, progress, expected) in [
            (End::Finished, &all, Ok(Exit::Passed)),
            (End::Stopped, &all, Ok(Exit::Passed)),
            (End::Stopped, &hung, Ok(Exit::Passed)),
            (End::Finished, &progress(9, 1, 0, 1), Ok(Exit::Failed)),
            (End::Stopped, &missed, Ok(Exit::Failed)),
            (End::Finished, &hung, Err("1 of 10 runs could not be")),
            (End::Interrupted, &missed, Err("stopped during the load")),
            (
                End::Finished,
                &progress(8, 2, 0, 0),
                Err("2 of 10 runs were refused"),
            ),
            (
                End::Finished,
                &progress(9, 0, 1, 0),
                Err("1 of 10 runs could not be"),
            ),
        ] {
            let judged = judge(end, progress, "there").map_err(|error| error.to_string());

            match (&judged, expected) {
                (Err(error), Err(words)) => assert!(error.contains(words), "{error}"),
                _ => assert_eq!(judged.as_ref().ok(), expected.as_ref().ok(), "{end:?}"),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_suspended_program_reads_again_before_it_times_out() {
        let mut asked = 0;

        let resumed = in_time(async || {
            asked += 1;
            if asked == 1 {
                std::future::pending::<()>().await;
            }
        });
        let resumed = resumed.await;
        let silent = in_time(async || std::future::pending::<()>().await).await;

        assert_eq!((resumed, silent), (Some(()), None));
    }
}
