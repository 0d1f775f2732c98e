//! `lab grade --summary FILE…`: summarises the cards of a class.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use evidence::grade::{PrintedCard, PrintedCardError, Summary};
use runner::grade::all;

use super::{Exit, OrExit, terminal};

/// Why a file cannot be read as a card.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    #[error("{file} cannot be read")]
    Unreadable { file: String, source: io::Error },
    #[error("{file}")]
    NoCard {
        file: String,
        source: PrintedCardError,
    },
}

pub(super) fn summarize(files: &[PathBuf]) -> Result<Exit, Exit> {
    let cards: Result<Vec<_>, _> = files.iter().map(|file| read(file)).collect();
    let cards = cards.or_exit(Exit::Usage)?;
    let mut summary = Summary::of(&cards);
    // The first card may lack tasks.
    let place = |name: &str| all().position(|task| task.words.name == name);
    summary
        .tasks
        .sort_by_key(|task| place(&task.task).unwrap_or(usize::MAX));
    terminal::print(&render::summary(&summary)).map(|()| Exit::Passed)
}

/// Reads a card that was printed as JSON.
pub(super) fn read(file: &Path) -> Result<PrintedCard, FileError> {
    let name = || file.display().to_string();
    let text = fs::read_to_string(file).map_err(|source| FileError::Unreadable {
        file: name(),
        source,
    })?;
    PrintedCard::read(&text).map_err(|source| FileError::NoCard {
        file: name(),
        source,
    })
}
