//! The program that a terminal named, which the web UI grades. No request can name one.

use std::{error::Error, path::Path};

use grade::GradeError;
use process::ClientCommand;

use crate::grade::saves::Saves;

/// A program to grade, and when.
#[derive(Clone, Debug)]
pub struct GradedProgram {
    pub(super) command: ClientCommand,
    /// Its files; each save of one of them starts a card.
    pub(super) saves: Saves,
    /// The seed of all its cards.
    pub(super) seed: u64,
    /// Tells the terminal why the program could not be run: the page names no program.
    pub(super) on_error: fn(&GradeError),
}

impl GradedProgram {
    /// A program that is graded at once and again at each save of these files, or, without a
    /// file, when somebody asks for it on the page.
    ///
    /// # Errors
    ///
    /// If one of the files cannot be read.
    pub fn new<'a>(
        command: ClientCommand,
        files: impl IntoIterator<Item = &'a Path>,
        seed: u64,
        on_error: fn(&GradeError),
    ) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            command,
            saves: Saves::of(files)?,
            seed,
            on_error,
        })
    }
}
