//! `lab grade --summary FILE…`: the cards of a class, counted or as a board.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use grade::{Learner, PrintedCard, Summary, all, html_board};
use tokio::time::{Instant, sleep};

use super::Arguments;
use crate::cli::{
    Exit, OrExit, report, terminal,
    text_file::{self, FileError},
};

/// How often a watched folder is read. It may be on another machine.
const LOOK: Duration = Duration::from_secs(1);

/// How often the board is written if no card changes, so that it says for how long.
const LONGEST: Duration = Duration::from_secs(30);

/// The most cards of a folder, and the largest card, in bytes.
const MOST: usize = 1_000;
const LARGEST: u64 = 32 * 1024 * 1024;

/// A file of a class, as it was when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Handed {
    file: PathBuf,
    length: u64,
    modified: Option<SystemTime>,
    /// Whether the command line names it, and not its folder.
    is_named: bool,
}

pub(super) fn summarize(arguments: &Arguments) -> Result<Exit, Exit> {
    let report = arguments.card.report();
    report.map_or(Ok(()), report::check)?;
    let handed = look(&arguments.summary).or_exit(Exit::Usage)?;
    if arguments.watch.is_some() {
        return terminal::runtime()?.block_on(watch(arguments, handed));
    }
    let learners = learners(&handed).or_exit(Exit::Usage)?;
    show(arguments, &learners)?;
    if let Some(file) = report {
        report::write(file, &html_board(&learners, arguments.hide_names))?;
    }
    Ok(Exit::Passed)
}

/// Shows the cards again whenever one changes, until Ctrl+C.
async fn watch(arguments: &Arguments, mut seen: Vec<Handed>) -> Result<Exit, Exit> {
    let mut signals = terminal::signals()?;
    let mut is_new = true;
    loop {
        let learners = learners(&seen).or_exit(Exit::Usage)?;
        if is_new {
            show(arguments, &learners)?;
        }
        if let Some(file) = arguments.card.report() {
            report::keep(file, &html_board(&learners, arguments.hide_names))?;
        }
        tokio::select! {
            () = signals.next() => return Ok(Exit::Passed),
            found = changed(&arguments.summary, &seen) => {
                is_new = found.is_some();
                seen = found.unwrap_or(seen);
            }
        }
    }
}

/// The files, once they differ from those seen before; none if they did not for a while.
async fn changed(named: &[PathBuf], seen: &[Handed]) -> Option<Vec<Handed>> {
    let start = Instant::now();
    while start.elapsed() < LONGEST {
        sleep(LOOK).await;
        // A share may be away for a moment.
        if let Ok(found) = look(named)
            && found != seen
        {
            return Some(found);
        }
    }
    None
}

/// Prints the counts, and which files of a folder are no cards.
fn show(arguments: &Arguments, learners: &[Learner]) -> Result<(), Exit> {
    for learner in learners {
        if let Err(why) = &learner.card {
            terminal::note(&format!(
                "{} cannot be read: {why}",
                learner.name.escape_debug()
            ));
        }
    }
    let cards = learners
        .iter()
        .filter_map(|learner| learner.card.as_ref().ok());
    let mut summary = Summary::of(cards);
    // The first card may lack tasks.
    let place = |name: &str| all().position(|task| task.words.name == name);
    summary
        .tasks
        .sort_by_key(|task| place(&task.task).unwrap_or(usize::MAX));
    if arguments.watch.is_some() && arguments.card.report().is_some() {
        terminal::note(&format!("{} cards; Ctrl+C ends", summary.cards));
        return Ok(());
    }
    terminal::print(&grade::summary(&summary))
}

/// The named files, and the cards of the named folders.
fn look(named: &[PathBuf]) -> Result<Vec<Handed>, FileError> {
    let mut handed = Vec::new();
    for path in named {
        let failed =
            |error: io::Error| FileError::new(format!("{} cannot be read", path.display()), error);
        let found = fs::metadata(path).map_err(failed)?;
        if !found.is_dir() {
            handed.extend(look_at(path, true));
            continue;
        }
        let files = fs::read_dir(path).map_err(failed)?;
        let files = files.filter_map(|file| Some(file.ok()?.path()));
        let is_card = |file: &PathBuf| file.extension() == Some(OsStr::new("json"));
        let mut files: Vec<_> = files.filter(is_card).collect();
        files.sort();
        handed.extend(files.iter().filter_map(|file| look_at(file, false)));
    }
    handed.truncate(MOST);
    Ok(handed)
}

/// A file of the folder; none if it is a pipe or a device, which could keep a reader waiting.
fn look_at(file: &Path, is_named: bool) -> Option<Handed> {
    let found = fs::metadata(file).ok()?;
    let is_wanted = found.is_file() || is_named;
    is_wanted.then(|| Handed {
        file: file.to_owned(),
        length: found.len(),
        modified: found.modified().ok(),
        is_named,
    })
}

/// The cards of these files. A file of a folder may be anything; one that was named has to be
/// a card.
fn learners(handed: &[Handed]) -> Result<Vec<Learner>, FileError> {
    let learners = handed.iter().map(|handed| {
        let card = match handed.length {
            ..=LARGEST => read(&handed.file),
            _ => Err(FileError::new(
                handed.file.display().to_string(),
                format!("it is larger than {} MiB", LARGEST / 1024 / 1024),
            )),
        };
        let card = match card {
            Err(error) if handed.is_named => return Err(error),
            card => card.map_err(|error| error.why()),
        };
        let name = handed.file.file_stem().unwrap_or_default();
        let unchanged = handed
            .modified
            .map(|time| time.elapsed().unwrap_or_default());
        Ok(Learner {
            name: name.to_string_lossy().into_owned(),
            card,
            unchanged,
        })
    });
    learners.collect()
}

/// Reads a card that was printed as JSON.
pub(super) fn read(file: &Path) -> Result<PrintedCard, FileError> {
    let card = PrintedCard::read(&text_file::read(file)?);
    card.map_err(|error| FileError::new(file.display().to_string(), error))
}
