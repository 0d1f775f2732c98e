//! `lab grade --summary FILE…`: summarises the cards of a class.

use std::path::{Path, PathBuf};

use grade::{PrintedCard, Summary, all};

use crate::cli::{
    Exit, OrExit, terminal,
    text_file::{self, FileError},
};

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
    let card = PrintedCard::read(&text_file::read(file)?);
    card.map_err(|error| FileError::new(file.display().to_string(), error))
}
