//! `lab grade --summary FILE…`: summarises the cards of a class.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use grade::{PrintedCard, Summary, all};

use super::{Exit, OrExit, terminal};

/// What cannot be used of a file, and why.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(super) struct FileError {
    what: String,
    source: Box<dyn Error>,
}

impl FileError {
    pub(super) fn new(what: String, source: impl Into<Box<dyn Error>>) -> Self {
        let source = source.into();
        Self { what, source }
    }
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
    terminal::print(&grade::summary(&summary)).map(|()| Exit::Passed)
}

/// Reads a card that was printed as JSON.
pub(super) fn read(file: &Path) -> Result<PrintedCard, FileError> {
    let card = PrintedCard::read(&read_text(file)?);
    card.map_err(|error| FileError::new(file.display().to_string(), error))
}

/// The text of a file.
pub(super) fn read_text(file: &Path) -> Result<String, FileError> {
    let text = fs::read_to_string(file);
    text.map_err(|error| FileError::new(format!("{} cannot be read", file.display()), error))
}
