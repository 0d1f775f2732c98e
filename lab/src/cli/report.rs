//! `--report FILE`: writes a page, whole or not at all.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    path::Path,
    process,
};

use super::{Exit, terminal};

/// Writes a page to a file, and says so on stderr.
pub(super) fn write(file: &Path, page: &str) -> Result<(), Exit> {
    match replace(file, page) {
        Ok(()) => {
            terminal::note(&format!("report written to {}", file.display()));
            Ok(())
        }
        Err(error) => {
            let error = format!(
                "the report could not be written to {}: {error}",
                file.display()
            );
            Err(terminal::fail(&*Box::from(error), Exit::Environment))
        }
    }
}

/// Writes beside the file and then takes its place: nobody ever finds half a
/// page, and an old one stays if this one cannot be written. What is there and
/// no plain file, such as a pipe or a link, is written to where it leads.
fn replace(file: &Path, page: &str) -> io::Result<()> {
    if fs::symlink_metadata(file).is_ok_and(|found| !found.is_file()) {
        return fs::write(file, page);
    }
    let name = file.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let mut part = OsString::from(".");
    part.push(name);
    part.push(format!(".{}.part", process::id()));
    let part = file.with_file_name(part);
    let written = File::create_new(&part)
        .and_then(|mut open| open.write_all(page.as_bytes()))
        .and_then(|()| fs::rename(&part, file));
    if written.is_err() {
        // If it was never made there is nothing to remove.
        let _ = fs::remove_file(&part);
    }
    written
}
