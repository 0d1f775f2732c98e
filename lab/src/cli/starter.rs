//! `lab starter LANGUAGE`: a client to begin with, which does the first task.

use std::{
    fs::File,
    io::{self, Write},
    path::PathBuf,
};

use clap::{Args, ValueEnum};
use runner::grade::quoted;

use super::{Exit, terminal};
use crate::invocation;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The language to write the client in
    #[arg(value_enum)]
    language: Language,
    /// The file to write, which must not be there yet; `-` stands for stdout
    /// [default: client.py, client.mjs or main.go]
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Python 3.8 and later, its standard library alone
    Python,
    /// Node 18 and later, without a package
    #[value(alias = "js")]
    Javascript,
    /// Go 1.18 and later, its standard library alone
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
            Self::Python => include_str!("../../starters/client.py"),
            Self::Javascript => include_str!("../../starters/client.mjs"),
            Self::Go => include_str!("../../starters/main.go"),
        }
    }

    /// What runs it: as the installers of each system have it.
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
    #[error("{} is there already, and no file is ever replaced", .0.display())]
    IsThere(PathBuf),
    #[error("{} could not be written", .0.display())]
    Failed(PathBuf, #[source] io::Error),
}

pub(super) fn starter(arguments: &Arguments) -> Result<Exit, Exit> {
    let language = arguments.language;
    let file = arguments.file.clone();
    let file = file.unwrap_or_else(|| language.file().into());
    if file.as_os_str() == "-" {
        return terminal::print(language.text()).map(|()| Exit::Passed);
    }
    let written =
        File::create_new(&file).and_then(|mut open| open.write_all(language.text().as_bytes()));
    if let Err(error) = written {
        let error = match error.kind() {
            io::ErrorKind::AlreadyExists => NotWritten::IsThere(file),
            _ => NotWritten::Failed(file, error),
        };
        return Err(terminal::fail(&error, Exit::Environment));
    }
    let (file, lab) = (quoted(&file.to_string_lossy()), invocation::lab());
    let next = format!("{lab} grade -- {} {file}", language.runs_with());
    terminal::print(&format!("Wrote {file}. Next: {next}\n")).map(|()| Exit::Passed)
}
