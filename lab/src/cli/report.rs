//! `--report FILE` and `--junit FILE`: writes a report completely or not at all.

use std::{
    fs::{self, File, Metadata},
    io::{self, Write},
    path::Path,
    sync::mpsc,
    thread,
    time::Duration,
};

use tempfile::{Builder, NamedTempFile};

use super::{Exit, terminal};

/// How long a pipe may wait for its reader.
const OPENING: Duration = Duration::from_secs(10);

/// How long the reader of a pipe may take.
const WRITING: Duration = Duration::from_secs(60);

/// Writes a report to a file, and says so on stderr.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), Exit> {
    keep(file, text)?;
    terminal::note(&format!("report written to {}", file.display()));
    Ok(())
}

/// Writes a report that is kept up to date.
pub(crate) fn keep(file: &Path, text: &str) -> Result<(), Exit> {
    put(file, text).map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted => Exit::Cancelled,
        _ => failed(file, &error),
    })
}

/// Checks that a report can be written to a file, as far as this can be known beforehand.
/// Existing content stays as it is.
pub(crate) fn check(file: &Path) -> Result<(), Exit> {
    let checked = match fs::metadata(file) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // Opening a pipe or a device could block, and a test write could have an effect.
        Ok(found) if !found.is_file() => Ok(()),
        Ok(_) => File::options().write(true).open(file).map(drop),
        Err(_) => file_beside(file).and_then(NamedTempFile::close),
    };
    checked.map_err(|error| failed(file, &error))
}

fn failed(file: &Path, error: &io::Error) -> Exit {
    let file = file.display();
    let error = format!("the report could not be written to {file}: {error}");
    terminal::fail(error, Exit::Environment)
}

/// Writes to the target of this path, whether or not it exists.
fn put(file: &Path, text: &str) -> io::Result<()> {
    match fs::metadata(file) {
        Ok(found) if found.is_file() => {
            // A symbolic link stays a link, and a read-only file is not replaced.
            let file = fs::canonicalize(file)?;
            File::options().write(true).open(&file)?;
            replace(&file, text, Some(&found))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_symlink() => {
            replace(file, text, None)
        }
        // A pipe, a device, a folder or a broken link: the system writes it or returns an
        // error.
        _ => stream(file, text, OPENING, is_cancelled),
    }
}

/// How far the writing of a stream has come.
enum Streamed {
    Opened,
    Written(io::Result<()>),
    /// By Ctrl+C.
    Cancelled,
}

/// Waits for Ctrl+C. False if no signal can be received.
fn is_cancelled() -> bool {
    let Ok(runtime) = terminal::runtime() else {
        return false;
    };
    runtime.block_on(async {
        let Ok(mut signals) = terminal::signals() else {
            return false;
        };
        signals.next().await;
        true
    })
}

/// Writes a file that may keep the writer waiting, as a pipe does without a reader. It has to
/// be opened within this time, and written within [`WRITING`]. If `is_cancelled` returns true
/// before, the error is `Interrupted`.
fn stream(
    file: &Path,
    text: &str,
    opening: Duration,
    is_cancelled: impl FnOnce() -> bool + Send + 'static,
) -> io::Result<()> {
    let (progress, streamed) = mpsc::channel();
    let (path, text, cancelled) = (file.to_owned(), text.to_owned(), progress.clone());
    // No system call ends an opening that waits, so a thread of its own waits, until the
    // end of the process if need be.
    thread::Builder::new().spawn(move || {
        let written = File::create(path).and_then(|mut file| {
            drop(progress.send(Streamed::Opened));
            file.write_all(text.as_bytes())
        });
        drop(progress.send(Streamed::Written(written)));
    })?;
    // A runtime is running in the caller's thread, or none is.
    thread::Builder::new().spawn(move || {
        if is_cancelled() {
            drop(cancelled.send(Streamed::Cancelled));
        }
    })?;
    let mut patience = opening;
    loop {
        match streamed.recv_timeout(patience) {
            Ok(Streamed::Opened) => patience = WRITING,
            Ok(Streamed::Written(written)) => return written,
            Ok(Streamed::Cancelled) => return Err(io::ErrorKind::Interrupted.into()),
            Err(_) => {
                let words = format!("nobody has read it for {} s", patience.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, words));
            }
        }
    }
}

/// Writes a second file and renames it: nobody reads half a report, and an old report
/// stays if the new one cannot be written. Dropped before that, the second file is removed.
fn replace(file: &Path, text: &str, old: Option<&Metadata>) -> io::Result<()> {
    let mut part = file_beside(file)?;
    part.write_all(text.as_bytes())?;
    if let Some(old) = old {
        if !can_stand_for(&part.as_file().metadata()?, old) {
            return fs::write(file, text);
        }
        part.as_file().set_permissions(old.permissions())?;
    }
    part.persist(file)?;
    Ok(())
}

/// A new file in the same folder. Nobody can guess its name, so that nobody can put a file or a
/// link in its place. The name does not contain that of the report, which could be too long.
fn file_beside(file: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".lab-report-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}

/// Whether a new file may replace an old one without changing anything but the content:
/// no other hard link, and the same owner.
#[cfg(unix)]
fn can_stand_for(new: &Metadata, old: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    old.nlink() == 1 && (new.uid(), new.gid()) == (old.uid(), old.gid())
}

#[cfg(not(unix))]
fn can_stand_for(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use tempfile::{TempDir, tempdir};

    use super::*;

    const SOON: Duration = Duration::from_millis(20);

    /// A pipe, in a folder that lasts as long as this.
    fn pipe() -> (TempDir, std::path::PathBuf) {
        let folder = tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo runs").success());
        (folder, pipe)
    }

    #[test]
    fn a_pipe_that_nobody_reads_is_given_up() {
        let (_folder, pipe) = pipe();

        let unread = stream(&pipe, "text", SOON, || false).expect_err("nobody reads");
        let cancelled = stream(&pipe, "text", WRITING, || true).expect_err("cancelled");

        assert_eq!(unread.kind(), io::ErrorKind::TimedOut);
        assert_eq!(cancelled.kind(), io::ErrorKind::Interrupted);
    }

    #[test]
    fn a_pipe_with_a_reader_gets_all_of_it() {
        let (_folder, pipe) = pipe();
        // More than a pipe holds.
        let text = "text".repeat(100_000);
        let path = pipe.clone();
        let read = thread::spawn(move || fs::read_to_string(path).expect("a text"));

        stream(&pipe, &text, WRITING, || false).expect("it is read");

        assert_eq!(read.join().expect("it ends"), text);
    }
}
