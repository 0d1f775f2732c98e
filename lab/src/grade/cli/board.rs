//! `lab grade --summary FOLDER`: the cards of a class, counted, and as a board.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use grade::{Board, Learner, PrintedCard, Task};
use tokio::time::sleep;

use crate::cli::{
    exit::Exit,
    report,
    terminal::{self, OrExit},
    text_file::{self, FileError},
};

/// How often a watched folder is read. It may be on another machine.
const LOOK: Duration = Duration::from_secs(1);

/// The largest card, in bytes.
const LARGEST: u64 = 32 * 1024 * 1024;

/// The most files of a folder that are read.
const MOST: usize = 1_000;

/// The folder of a class, and the places to show its cards.
pub(super) struct Class<'a> {
    pub(super) folder: &'a Path,
    /// The columns of the board; empty for all.
    pub(super) tasks: Vec<&'static Task>,
    pub(super) report: Option<&'a Path>,
    pub(super) is_watched: bool,
}

/// Files, each with its length and when it was modified.
type Files = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

impl Class<'_> {
    /// Shows the cards; if they are watched, again whenever one changes, until Ctrl+C.
    pub(super) fn show(&self) -> Result<Exit, Exit> {
        report::check(self.report.map(|file| (report::OPTION, file)), &[])?;
        let mut shown = self.files().or_exit(Exit::Usage)?;
        self.write(&shown)?;
        if !self.is_watched {
            return Ok(Exit::Passed);
        }
        terminal::runtime()?.block_on(async {
            let mut signals = terminal::signals()?;
            loop {
                tokio::select! {
                    () = signals.next() => return Ok(Exit::Passed),
                    () = sleep(LOOK) => {}
                }
                // A share may be away for a moment.
                if let Ok(found) = self.files()
                    && found != shown
                {
                    self.write(&found)?;
                    shown = found;
                }
            }
        })
    }

    fn write(&self, files: &Files) -> Result<(), Exit> {
        if files.len() > MOST {
            terminal::note(&format!("only the first {MOST} cards are read"));
        }
        let learners = files
            .iter()
            .take(MOST)
            .map(|(file, (length, _))| learner(file, *length));
        let board = Board::new(learners.collect(), &self.tasks);
        for (name, why) in board.unreadable() {
            terminal::note(&format!("{} cannot be read: {why}", name.escape_debug()));
        }
        terminal::print(&board.text())?;
        match self.report {
            Some(file) => report::write(file, &board.html()),
            None => Ok(()),
        }
    }

    /// The files of the folder that may be cards. Pipes and devices are not: they could keep a
    /// reader waiting.
    fn files(&self) -> Result<Files, FileError> {
        let failed = |error: io::Error| {
            FileError::new(format!("{} cannot be read", self.folder.display()), error)
        };
        let entries = fs::read_dir(self.folder).map_err(failed)?;
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let cards = files.filter(|file| file.extension() == Some(OsStr::new("json")));
        let found = cards.filter_map(|file| {
            let found = fs::metadata(&file).ok().filter(fs::Metadata::is_file)?;
            Some((file, (found.len(), found.modified().ok())))
        });
        Ok(found.collect())
    }
}

/// The learner who has the name of a file. The card may be anything, and half written.
fn learner(file: &Path, length: u64) -> Learner {
    let name = file.file_stem().unwrap_or_default();
    Learner {
        name: name.to_string_lossy().into_owned(),
        card: card(file, length),
    }
}

fn card(file: &Path, length: u64) -> Result<PrintedCard, String> {
    if length > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST / 1024 / 1024));
    }
    let text = text_file::read(file).map_err(|error| error.why())?;
    PrintedCard::read(&text).map_err(|error| error.to_string())
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

    fn class(folder: &Path) -> Class<'_> {
        Class {
            folder,
            tasks: Vec::new(),
            report: None,
            is_watched: false,
        }
    }

    /// The learners of these files, each with whether the card can be read.
    fn read_by_name(files: &Files) -> Vec<(String, bool)> {
        let learners = files
            .iter()
            .map(|(file, (length, _))| learner(file, *length));
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

        let found = class(folder.path()).files().expect("a folder");

        let expected = [("anna", true), ("berta", true), ("notes", false)];
        let expected = expected.map(|(name, is_card)| (name.to_owned(), is_card));
        assert_eq!(read_by_name(&found), expected);
    }

    /// A file that is written while it is read is read again once it has more bytes.
    #[test]
    fn a_half_written_file_is_read_again() {
        let folder = tempdir().expect("a folder");
        let file = folder.path().join("anna.json");
        let card = printed();
        fs::write(&file, &card[..card.len() / 2]).expect("written");
        let half = class(folder.path()).files().expect("a folder");
        let of_half = read_by_name(&half);

        fs::write(&file, card).expect("written");
        let whole = class(folder.path()).files().expect("a folder");

        assert_eq!(of_half, [("anna".to_owned(), false)]);
        assert_ne!(whole, half);
        assert_eq!(read_by_name(&whole), [("anna".to_owned(), true)]);
    }
}
