//! `lab load`: asks a running `lab serve` to play many runs, and sums them up.

use std::{ops::RangeInclusive, time::Duration};

use clap::Args;
use http::{StatusCode, header::CONTENT_TYPE};
use indicatif::ProgressBar;
use reqwest::{Response, Url};
use serde_json::json;
use server::Signals;
use tokio::time::timeout;

use super::{
    Exit,
    number::{self, NumberError},
    terminal,
};
use crate::{
    http_client, load::DEFAULT_RATE, load::DEFAULT_SECONDS, load::MEDIA_TYPE, load::RATES,
    load::SECONDS, web::DEFAULT_PAGE_PORT,
};
use evidence::{load::Load, load::Progress};
use runner::{
    Settings, scenario, scenario::CATALOGUE, scenario::NothingMatches, scenario::Scenario,
};

/// How long an answer may be in coming.
const ANSWER: Duration = Duration::from_secs(5);

/// How long a load may be silent. The server says something every second.
const SILENCE: Duration = Duration::from_secs(15);

/// The longest line that is a load's progress.
const LONGEST_LINE: usize = 64 * 1024;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[arg(long, value_name = "N", help = within("For how many seconds runs are started", SECONDS), default_value_t = DEFAULT_SECONDS, value_parser = seconds, allow_hyphen_values = true)]
    seconds: u64,

    #[arg(long, value_name = "R", help = within("How many runs are started in a second", RATES), default_value_t = DEFAULT_RATE, value_parser = rate, allow_hyphen_values = true)]
    rate: u64,

    /// Only the scenarios whose name contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// What the choice of scenarios, and each run, is drawn from; random if
    /// left out
    #[arg(long, value_name = "N", value_parser = number::any, allow_hyphen_values = true)]
    seed: Option<u64>,

    /// The address of the page, as `lab serve` prints it
    #[arg(long, value_name = "URL", default_value_t = default_page(), value_parser = page)]
    page: String,

    /// Set the summary with nothing but ASCII
    #[arg(long)]
    ascii: bool,
}

fn default_page() -> String {
    format!("http://127.0.0.1:{DEFAULT_PAGE_PORT}")
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

/// The origin of the page. The lab answers to no other name than loopback's, so
/// none is asked.
fn page(text: &str) -> Result<String, String> {
    let url = Url::parse(text).ok().filter(|url| {
        let loopback = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let anonymous = url.username().is_empty() && url.password().is_none();
        url.scheme() == "http" && loopback && bare && anonymous
    });
    url.map(|url| url.origin().ascii_serialization())
        .ok_or_else(|| {
            let example = default_page();
            format!("it must be the page's address as `lab serve` prints it, such as {example}")
        })
}

impl Arguments {
    /// What is asked for, if the filter leaves something to play.
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

/// Why there is no load, or not all of it.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    #[error("nobody listens at {0}; type: lab serve")]
    Nobody(String),
    #[error("{0} does not answer; stop what listens there, and type: lab serve")]
    Silent(String),
    #[error(
        "what answers at {0} is not the page of this `lab serve`; give the address that it \
         printed as --page"
    )]
    Stranger(String),
    #[error("a load goes on at {0} already; wait for its end, or stop it where it was started")]
    Occupied(String),
    #[error("`lab serve` at {0} stopped in the middle; what was played until then is above")]
    BrokenOff(String),
    #[error("{0} of {1} runs were refused, since too many went on; ask for a lower --rate")]
    Refused(u64, u64),
    #[error("{0} of {1} runs could not be played to the end")]
    Failed(u64, u64),
    #[error("the HTTP client could not be set up")]
    Client(#[from] reqwest::Error),
}

/// How the telling of a load ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Finished,
    /// By the person.
    Stopped,
    BrokenOff,
}

pub(super) fn load(arguments: &Arguments) -> Exit {
    let loaded = terminal::runtime().and_then(|runtime| runtime.block_on(run(arguments)));
    loaded.unwrap_or_else(|exit| exit)
}

async fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let fail = |error: LoadError| terminal::fail(&error, Exit::Environment);
    let load = arguments
        .load()
        .map_err(|error| terminal::fail(&error, Exit::Usage))?;

    let mut telling = Telling::begin(&arguments.page, &load, ANSWER)
        .await
        .map_err(fail)?;
    let first = telling.next().await.ok().flatten();
    let mut progress = first.ok_or_else(|| fail(LoadError::Stranger(arguments.page.clone())))?;
    // Whoever reads the line below may rely on the signals being handled. Until
    // then there is nothing to sum up, and they end the program as they do any.
    let mut signals =
        Signals::listen().map_err(|error| terminal::fail(&error, Exit::Environment))?;
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
            next = telling.next() => match next {
                Ok(Some(next)) => progress = next,
                Ok(None) | Err(_) => break End::BrokenOff,
            },
            () = signals.next() => break End::Stopped,
        }
    };
    bar.finish_and_clear();
    // Nobody reads on, and so the server stops what goes on.
    drop(telling);
    progress.tally.cut();

    let options = terminal::options(arguments.ascii);
    let course: Vec<_> = CATALOGUE.iter().map(Scenario::name).collect();
    terminal::print(&render::load(&load, &progress, &course, &options))?;
    Ok(match judge(end, &progress, &arguments.page) {
        Ok(exit) => exit,
        Err(error) => fail(error),
    })
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

/// What a load says about the client, or why it says too little.
fn judge(end: End, progress: &Progress, page: &str) -> Result<Exit, LoadError> {
    let tally = &progress.tally;
    if end == End::BrokenOff {
        return Err(LoadError::BrokenOff(page.to_owned()));
    }
    if tally.missed() > 0 {
        return Ok(Exit::Failed);
    }
    // What goes on when the last ones have had their time hangs.
    let hung = match end {
        End::Finished => tally.cut,
        End::Stopped | End::BrokenOff => 0,
    };
    match (tally.refused, tally.failed + hung) {
        (0, 0) => Ok(Exit::Passed),
        (0, failed) => Err(LoadError::Failed(failed, tally.asked)),
        (refused, _) => Err(LoadError::Refused(refused, tally.asked)),
    }
}

/// A load that goes on at the server, for as long as this lives.
struct Telling {
    response: Response,
    /// The line that has begun.
    line: Vec<u8>,
}

impl Telling {
    /// Asks for a load, and waits so long for an answer.
    async fn begin(page: &str, load: &Load, patience: Duration) -> Result<Self, LoadError> {
        let http = http_client::plain_builder().build()?;
        let body = json!({
            "seconds": load.seconds, "rate": load.rate, "seed": load.seed, "filter": load.filter,
        });
        let request = http
            .post(format!("{page}/api/loads"))
            .header(CONTENT_TYPE, "application/json")
            // As a browser says it of what the person typed (Fetch Metadata).
            .header("sec-fetch-site", "none")
            .body(body.to_string());
        let response = match timeout(patience, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_connect() => {
                return Err(LoadError::Nobody(page.to_owned()));
            }
            // It listens, and does not speak HTTP.
            Ok(Err(_)) => return Err(LoadError::Stranger(page.to_owned())),
            Err(_) => return Err(LoadError::Silent(page.to_owned())),
        };
        if response.status() == StatusCode::CONFLICT {
            return Err(LoadError::Occupied(page.to_owned()));
        }
        let media_type = response.headers().get(CONTENT_TYPE);
        if response.status() != StatusCode::OK
            || media_type.is_none_or(|media_type| media_type != MEDIA_TYPE)
        {
            return Err(LoadError::Stranger(page.to_owned()));
        }
        Ok(Self {
            response,
            line: Vec::new(),
        })
    }

    /// The next line; none at the end of the answer, after [`SILENCE`], or if it
    /// is no progress.
    async fn next(&mut self) -> reqwest::Result<Option<Progress>> {
        loop {
            if let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.line.drain(..=end).collect();
                return Ok(serde_json::from_slice(&line).ok());
            }
            let chunk = heard(async || self.response.chunk().await).await;
            match chunk.transpose()?.flatten() {
                Some(chunk) if self.line.len() < LONGEST_LINE => self.line.extend(chunk),
                Some(_) | None => return Ok(None),
            }
        }
    }
}

/// What this comes to, unless it takes longer than [`SILENCE`]. It is asked again
/// half-way, since a program that was suspended finds its time over before it
/// finds what has come meanwhile.
async fn heard<T>(mut ask: impl AsyncFnMut() -> T) -> Option<T> {
    for _ in 0..2 {
        if let Ok(answer) = timeout(SILENCE / 2, ask()).await {
            return Some(answer);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_of_a_page_on_loopback_is_one() {
        for (text, expected) in [
            ("http://127.0.0.1:8766", "http://127.0.0.1:8766"),
            ("http://127.0.0.1:8766/", "http://127.0.0.1:8766"),
            ("http://localhost:9", "http://localhost:9"),
            ("http://[::1]:9", "http://[::1]:9"),
        ] {
            assert_eq!(page(text).as_deref(), Ok(expected));
        }
        for text in [
            "",
            "127.0.0.1:8766",
            "localhost:8766",
            "https://127.0.0.1:8766",
            "http://evil.example:8766",
            "http://127.0.0.1.evil.example",
            "http://127.0.0.1@evil.example",
            "http://me:secret@127.0.0.1:8766",
            "http://127.0.0.1:8766/runs/abcdefgh",
            "http://127.0.0.1:8766?x",
            "http://127.0.0.1:8766#x",
            "http://127.0.0.1:99999",
        ] {
            assert!(page(text).is_err(), "{text}");
        }
    }

    fn progress(played: u64, refused: u64, failed: u64, missed: u64) -> Progress {
        let mut progress = Progress::default();
        progress.tally.asked = played + refused + failed;
        progress.tally.played = played;
        progress.tally.refused = refused;
        progress.tally.failed = failed;
        let row = progress.tally.scenarios.entry("items".to_owned());
        row.or_default().missed = missed;
        progress
    }

    #[test]
    fn the_exit_code_says_whether_all_was_played_and_as_expected() {
        let judged = |end, progress| judge(end, &progress, "there").map_err(|e| e.to_string());

        assert_eq!(
            judged(End::Finished, progress(9, 0, 0, 0)),
            Ok(Exit::Passed)
        );
        assert_eq!(judged(End::Stopped, progress(9, 0, 0, 0)), Ok(Exit::Passed));
        assert_eq!(
            judged(End::Finished, progress(9, 1, 0, 1)),
            Ok(Exit::Failed)
        );
        assert_eq!(judged(End::Stopped, progress(9, 0, 0, 1)), Ok(Exit::Failed));
        let mut hung = progress(9, 0, 0, 0);
        hung.tally.asked += 1;
        hung.tally.cut = 1;
        assert_eq!(judged(End::Stopped, hung.clone()), Ok(Exit::Passed));
        for (end, progress, words) in [
            (End::Finished, hung, "1 of 10 runs could not be"),
            (
                End::BrokenOff,
                progress(9, 0, 0, 1),
                "stopped in the middle",
            ),
            (
                End::Finished,
                progress(8, 2, 0, 0),
                "2 of 10 runs were refused",
            ),
            (
                End::Finished,
                progress(9, 0, 1, 0),
                "1 of 10 runs could not be",
            ),
        ] {
            let error = judged(end, progress).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_suspended_program_looks_again_before_it_calls_the_server_silent() {
        let mut asked = 0;

        let resumed = heard(async || {
            asked += 1;
            if asked == 1 {
                std::future::pending::<()>().await;
            }
        });
        let resumed = resumed.await;
        let silent = heard(async || std::future::pending::<()>().await).await;

        assert_eq!((resumed, silent), (Some(()), None));
    }

    async fn refused(page: &str) -> String {
        let load = Load {
            seconds: 1,
            rate: 1,
            seed: 7,
            filter: String::new(),
        };
        let patience = Duration::from_millis(100);
        let begun = Telling::begin(page, &load, patience).await;
        begun.err().map(|error| error.to_string()).expect("no load")
    }

    #[tokio::test]
    async fn what_does_not_answer_is_told_from_what_is_not_there() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let page = format!("http://{}", silent.local_addr().expect("an address"));

        let waited = refused(&page).await;
        drop(silent);
        let gone = refused(&page).await;

        assert_eq!(
            waited,
            format!("{page} does not answer; stop what listens there, and type: lab serve")
        );
        assert_eq!(gone, format!("nobody listens at {page}; type: lab serve"));
    }
}
