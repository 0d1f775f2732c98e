//! `lab grade --summary FILE…`: the cards of a class, counted or as a board.

use std::{
    ffi::OsStr,
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use grade::{Learner, PrintedCard, Summary, all, html_board};
use tokio::time::{Instant, sleep};
use wire::counted;

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

/// The files of a class, as they were when they were looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    files: Vec<Handed>,
    /// How many more there were than are read.
    left_out: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Handed {
    file: PathBuf,
    length: u64,
    modified: Option<SystemTime>,
    /// Whether anything else is an error. A file of a folder may be anything, and a file that
    /// is watched may be half written.
    must_be_a_card: bool,
}

pub(super) fn summarize(arguments: &Arguments) -> Result<Exit, Exit> {
    let report = arguments.card.report();
    report.map_or(Ok(()), report::check)?;
    let is_watched = arguments.watch.is_some();
    let found = look(&arguments.summary, is_watched).or_exit(Exit::Usage)?;
    if is_watched {
        return terminal::runtime()?.block_on(watch(arguments, found));
    }
    let learners = learners(&found.files).or_exit(Exit::Usage)?;
    show(arguments, &learners, found.left_out)?;
    if let Some(file) = report {
        report::write(file, &board(arguments, &learners, found.left_out))?;
    }
    Ok(Exit::Passed)
}

fn board(arguments: &Arguments, learners: &[Learner], left_out: usize) -> String {
    html_board(learners, left_out, arguments.hide_names)
}

/// Shows the cards again whenever one changes, until Ctrl+C.
async fn watch(arguments: &Arguments, mut seen: Found) -> Result<Exit, Exit> {
    let mut signals = terminal::signals()?;
    let mut is_new = true;
    loop {
        let learners = learners(&seen.files).or_exit(Exit::Usage)?;
        if is_new {
            show(arguments, &learners, seen.left_out)?;
        }
        if let Some(file) = arguments.card.report() {
            report::keep(file, &board(arguments, &learners, seen.left_out))?;
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
async fn changed(named: &[PathBuf], seen: &Found) -> Option<Found> {
    let start = Instant::now();
    while start.elapsed() < LONGEST {
        sleep(LOOK).await;
        // A share may be away for a moment.
        if let Ok(found) = look(named, true)
            && found != *seen
        {
            return Some(found);
        }
    }
    None
}

/// Prints the counts, and which files are no cards or are not read.
fn show(arguments: &Arguments, learners: &[Learner], left_out: usize) -> Result<(), Exit> {
    for learner in learners {
        if let Err(why) = &learner.card {
            terminal::note(&format!(
                "{} cannot be read: {why}",
                learner.name.escape_debug()
            ));
        }
    }
    if left_out > 0 {
        let all = learners.len() + left_out;
        terminal::note(&format!(
            "{all} files are too many: the first {MOST} of them are read"
        ));
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
        let cards = counted(summary.cards as u64, "card");
        terminal::note(&format!("{cards}; Ctrl+C ends"));
        return Ok(());
    }
    terminal::print(&grade::summary(&summary))
}

/// The named files, and the cards of the named folders.
fn look(named: &[PathBuf], is_watched: bool) -> Result<Found, FileError> {
    let mut files = Vec::new();
    for path in named {
        let failed =
            |error: io::Error| FileError::new(format!("{} cannot be read", path.display()), error);
        let found = fs::metadata(path).map_err(failed)?;
        if found.is_dir() {
            files.extend(cards_in(path).map_err(failed)?);
        } else if found.is_file() || !is_watched {
            files.push(Handed::new(path, &found, !is_watched));
        } else {
            let why = "it is a pipe or a device, and can be read only once";
            return Err(FileError::new(
                format!("{} cannot be watched", path.display()),
                why,
            ));
        }
    }
    let left_out = files.len().saturating_sub(MOST);
    files.truncate(MOST);
    Ok(Found { files, left_out })
}

/// The files of a folder that may be cards. Pipes and devices are not: they could keep a
/// reader waiting.
fn cards_in(folder: &Path) -> io::Result<Vec<Handed>> {
    let files = fs::read_dir(folder)?.filter_map(|file| Some(file.ok()?.path()));
    let has_ending = |file: &PathBuf| file.extension() == Some(OsStr::new("json"));
    let mut files: Vec<_> = files.filter(has_ending).collect();
    files.sort();
    let cards = files.iter().filter_map(|file| {
        let found = fs::metadata(file).ok()?;
        found.is_file().then(|| Handed::new(file, &found, false))
    });
    Ok(cards.collect())
}

impl Handed {
    fn new(file: &Path, found: &Metadata, must_be_a_card: bool) -> Self {
        Self {
            file: file.to_owned(),
            length: found.len(),
            modified: found.modified().ok(),
            must_be_a_card,
        }
    }

    fn card(&self) -> Result<PrintedCard, FileError> {
        if self.length > LARGEST {
            return Err(FileError::new(
                self.file.display().to_string(),
                format!("it is larger than {} MiB", LARGEST / 1024 / 1024),
            ));
        }
        read(&self.file)
    }
}

/// The cards of these files.
fn learners(files: &[Handed]) -> Result<Vec<Learner>, FileError> {
    let learners = files.iter().map(|handed| {
        let card = match handed.card() {
            Err(error) if handed.must_be_a_card => return Err(error),
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

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;

    /// A card without tasks, as it is printed.
    fn printed() -> String {
        let card = grade::Card::new(Vec::new(), 1, "");
        serde_json::to_string(&card).expect("JSON")
    }

    fn read_by_name(found: &Found) -> Vec<(String, bool)> {
        let learners = learners(&found.files).expect("no file must be a card");
        let learners = learners.into_iter();
        learners
            .map(|learner| (learner.name, learner.card.is_ok()))
            .collect()
    }

    #[test]
    fn a_folder_has_the_cards_among_its_files() {
        let folder = tempdir().expect("a folder");
        let card = printed();
        for (name, text) in [
            ("berta.json", &*card),
            ("anna.json", &*card),
            ("notes.json", "[]"),
            ("readme.md", "no card"),
        ] {
            fs::write(folder.path().join(name), text).expect("written");
        }
        fs::create_dir(folder.path().join("old.json")).expect("a folder");
        #[cfg(unix)]
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("endless.json"))
            .expect("a link");

        for is_watched in [false, true] {
            let found = look(&[folder.path().to_owned()], is_watched).expect("a folder");

            let expected = [("anna", true), ("berta", true), ("notes", false)];
            let expected = expected.map(|(name, is_card)| (name.to_owned(), is_card));
            assert_eq!(read_by_name(&found), expected);
            assert_eq!(found.left_out, 0);
        }
    }

    /// A file that is written while it is read is read again once it has more bytes.
    #[test]
    fn a_named_file_may_be_half_written_only_while_it_is_watched() {
        let folder = tempdir().expect("a folder");
        let named = [folder.path().join("anna.json")];
        let card = printed();
        fs::write(&named[0], &card[..card.len() / 2]).expect("written");
        let once = look(&named, false).expect("a file");
        let half = look(&named, true).expect("a file");

        assert!(learners(&once.files).is_err());
        assert_eq!(read_by_name(&half), [("anna".to_owned(), false)]);

        fs::write(&named[0], card).expect("written");
        let whole = look(&named, true).expect("a file");

        assert_ne!(whole, half);
        assert_eq!(read_by_name(&whole), [("anna".to_owned(), true)]);
    }

    #[test]
    fn files_beyond_the_most_are_counted() {
        let folder = tempdir().expect("a folder");
        for number in 0..MOST + 2 {
            fs::write(folder.path().join(format!("{number}.json")), "").expect("written");
        }

        let found = look(&[folder.path().to_owned()], false).expect("a folder");

        assert_eq!((found.files.len(), found.left_out), (MOST, 2));
    }
}
