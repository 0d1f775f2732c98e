//! `lab starter LANGUAGE`: writes a first client, which does the first task.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use wire::quoted;

use super::language::Language;
use crate::{
    cli::{exit::Exit, terminal},
    invocation,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The language to write the client in
    #[arg(value_enum)]
    language: Language,
    /// The file to write, or in Rust the folder, which must not exist yet; `-` stands for
    /// stdout [default: client.py, client.mjs, main.go or client]
    file: Option<PathBuf>,
}

/// The manifest of the starter in Rust.
const MANIFEST: &str = include_str!("../../../starters/rust/Cargo.toml");

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
    let file = file.unwrap_or_else(|| language.default_path().into());
    if file.as_os_str() == "-" {
        return terminal::print(language.starter()).map(|()| Exit::Passed);
    }
    let written = if language == Language::Rust {
        write_package(&file, language.starter())
    } else {
        write_new(&file, language.starter())
    };
    if let Err(error) = written {
        let error = match error.kind() {
            io::ErrorKind::AlreadyExists => NotWritten::Exists(file),
            _ => NotWritten::Failed(file, error),
        };
        return Err(terminal::fail(&error, Exit::Environment));
    }
    let mut commands = language.commands(&file);
    if let Some(client) = commands.last_mut() {
        *client = format!("{} grade -- {client}", invocation::lab());
    }
    let (file, next) = (quoted(&file.to_string_lossy()), commands.join(" && "));
    terminal::print(&format!("Wrote {file}. Next: {next}\n")).map(|()| Exit::Passed)
}

/// Writes a package of Cargo into a folder that does not exist yet. If that fails, the
/// incomplete folder is removed.
fn write_package(folder: &Path, main: &str) -> io::Result<()> {
    fs::create_dir(folder)?;
    let written = fs::create_dir(folder.join("src"))
        .and_then(|()| write_new(&folder.join("Cargo.toml"), MANIFEST))
        .and_then(|()| write_new(&folder.join("src/main.rs"), main));
    if written.is_err() {
        let _ = fs::remove_dir_all(folder);
    }
    written
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
