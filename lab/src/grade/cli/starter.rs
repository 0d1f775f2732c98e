//! `lab starter LANGUAGE`: writes a first client, which does the first task.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use wire::quoted;

use crate::{
    cli::{Exit, terminal},
    invocation,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The language to write the client in
    #[arg(value_enum)]
    language: Language,
    /// The file to write, which must not exist yet; `-` stands for stdout [default:
    /// client.py, client.mjs or main.go]
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Python 3.8 or later, with only its standard library
    Python,
    /// Node 18 or later, without packages
    #[value(alias = "js")]
    Javascript,
    /// Go 1.18 or later, with only its standard library
    Go,
}

impl Language {
    fn file(self) -> &'static str {
        match self {
            Self::Python => "client.py",
            Self::Javascript => "client.mjs",
            Self::Go => "main.go",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Python => include_str!("../../../starters/client.py"),
            Self::Javascript => include_str!("../../../starters/client.mjs"),
            Self::Go => include_str!("../../../starters/main.go"),
        }
    }

    /// The command that runs the file, as each system's installer names it.
    fn runs_with(self) -> &'static str {
        match self {
            Self::Python if cfg!(windows) => "python",
            Self::Python => "python3",
            Self::Javascript => "node",
            Self::Go => "go run",
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum NotWritten {
    #[error("{} already exists, and existing files are never replaced", .0.display())]
    Exists(PathBuf),
    #[error("{} could not be written", .0.display())]
    Failed(PathBuf, #[source] io::Error),
}

pub(crate) fn starter(arguments: &Arguments) -> Result<Exit, Exit> {
    let language = arguments.language;
    let file = arguments.file.clone();
    let file = file.unwrap_or_else(|| language.file().into());
    if file.as_os_str() == "-" {
        return terminal::print(language.text()).map(|()| Exit::Passed);
    }
    if let Err(error) = write_new(&file, language.text()) {
        let error = match error.kind() {
            io::ErrorKind::AlreadyExists => NotWritten::Exists(file),
            _ => NotWritten::Failed(file, error),
        };
        return Err(terminal::fail(&error, Exit::Environment));
    }
    let (file, lab) = (quoted(&file.to_string_lossy()), invocation::lab());
    let next = format!("{lab} grade -- {} {file}", language.runs_with());
    terminal::print(&format!("Wrote {file}. Next: {next}\n")).map(|()| Exit::Passed)
}

/// Writes a file that does not exist yet. If that fails, the incomplete file is removed,
/// so that the next attempt can create it.
fn write_new(file: &Path, text: &str) -> io::Result<()> {
    let mut open = File::create_new(file)?;
    let written = open.write_all(text.as_bytes());
    if written.is_err() {
        drop(open);
        let _ = fs::remove_file(file);
    }
    written
}
