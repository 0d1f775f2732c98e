//! `--report FILE` and `--junit FILE`: writes a report, whole or not at all.

use std::{
    fs::{self, File, Metadata},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
};

use super::{Exit, terminal};

/// Writes a report to a file, and says so on stderr.
pub(super) fn write(file: &Path, text: &str) -> Result<(), Exit> {
    put(file, text).map_err(|error| failed(file, &error))?;
    terminal::note(&format!("report written to {}", file.display()));
    Ok(())
}

/// Whether a report can be written to a file, as far as that is known beforehand. What
/// stands there stays as it is.
pub(super) fn check(file: &Path) -> Result<(), Exit> {
    let checked = match fs::metadata(file) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // A pipe or a device may wait for somebody, or take whatever is written.
        Ok(found) if !found.is_file() => Ok(()),
        Ok(_) => File::options().write(true).open(file).map(drop),
        Err(_) => {
            let part = part_beside(file);
            let made = File::create_new(&part).map(drop);
            made.and_then(|()| fs::remove_file(&part))
        }
    };
    checked.map_err(|error| failed(file, &error))
}

fn failed(file: &Path, error: &io::Error) -> Exit {
    let file = file.display();
    let error = format!("the report could not be written to {file}: {error}");
    terminal::fail(&*Box::from(error), Exit::Environment)
}

/// Writes to where the name leads, whatever stands there.
fn put(file: &Path, text: &str) -> io::Result<()> {
    match fs::metadata(file) {
        Ok(found) if found.is_file() => {
            // A link stays one, and what may not be written to is not replaced.
            let file = fs::canonicalize(file)?;
            File::options().write(true).open(&file)?;
            replace(&file, text, Some(&found))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_symlink() => {
            replace(file, text, None)
        }
        // A pipe, a device, a folder, a link that leads to nothing: the system
        // writes or says why not.
        _ => fs::write(file, text),
    }
}

/// Writes beside the file and then takes its place: nobody ever reads half a
/// report, and an old one stays if this one cannot be written.
fn replace(file: &Path, text: &str, old: Option<&Metadata>) -> io::Result<()> {
    let part = part_beside(file);
    let written = write_beside(&part, file, text, old);
    if written.is_err() {
        // If it was never made there is nothing to remove.
        let _ = fs::remove_file(&part);
    }
    written
}

/// A name of its own: the file's with an ending could be too long.
fn part_beside(file: &Path) -> PathBuf {
    file.with_file_name(format!(".lab-report-{}.part", process::id()))
}

fn write_beside(part: &Path, file: &Path, text: &str, old: Option<&Metadata>) -> io::Result<()> {
    let mut open = File::create_new(part)?;
    open.write_all(text.as_bytes())?;
    if let Some(old) = old {
        if !can_stand_for(&open.metadata()?, old) {
            fs::write(file, text)?;
            return fs::remove_file(part);
        }
        open.set_permissions(old.permissions())?;
    }
    fs::rename(part, file)
}

/// Whether nothing but the content of an old file changes if a new one takes its
/// place: no other name that leads to it, and no other owner.
#[cfg(unix)]
fn can_stand_for(new: &Metadata, old: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    old.nlink() == 1 && (new.uid(), new.gid()) == (old.uid(), old.gid())
}

#[cfg(not(unix))]
fn can_stand_for(_: &Metadata, _: &Metadata) -> bool {
    true
}
