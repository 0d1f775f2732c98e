//! The text files that arguments name.

use std::{error::Error, fs, path::Path};

/// A file that cannot be used, and the reason.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct FileError {
    what: String,
    source: Box<dyn Error>,
}

impl FileError {
    pub(crate) fn new(what: String, source: impl Into<Box<dyn Error>>) -> Self {
        let source = source.into();
        Self { what, source }
    }

    /// The reason alone.
    pub(crate) fn why(&self) -> String {
        self.source.to_string()
    }
}

/// The text of a file.
pub(crate) fn read(file: &Path) -> Result<String, FileError> {
    let text = fs::read_to_string(file);
    text.map_err(|error| FileError::new(format!("{} cannot be read", file.display()), error))
}
