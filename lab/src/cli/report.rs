//! `--report FILE` and `--junit FILE`: an ordinary file is written completely or not at all.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use tempfile::{Builder, NamedTempFile};

use super::{exit::Exit, terminal};

/// Writes a report to a file, and says so on stderr.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), Exit> {
    put(file, text).map_err(|error| failed(file, &error))?;
    terminal::note(&format!("report written to {}", file.display()));
    Ok(())
}

/// Checks that a report can be written to a file, as far as this can be known beforehand.
/// Existing content stays as it is.
pub(crate) fn check(file: &Path) -> Result<(), Exit> {
    let checked = match fs::metadata(file) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // Opening a pipe or a device could block, and a test write could have an effect.
        Ok(found) if !found.is_file() => Ok(()),
        Ok(_) => {
            let opened = File::options().write(true).open(file);
            opened.and_then(|_| file_beside(file)?.close())
        }
        Err(_) => file_beside(file).and_then(NamedTempFile::close),
    };
    checked.map_err(|error| failed(file, &error))
}

fn failed(file: &Path, error: &io::Error) -> Exit {
    let file = file.display();
    let error = format!("the report could not be written to {file}: {error}");
    terminal::fail(error, Exit::Environment)
}

/// Writes a second file and renames it: nobody reads half a report, and an old report stays if
/// the new one cannot be written. A link, a pipe or a device is written directly.
fn put(file: &Path, text: &str) -> io::Result<()> {
    if fs::symlink_metadata(file).is_ok_and(|found| !found.is_file()) {
        return fs::write(file, text);
    }
    let mut part = file_beside(file)?;
    part.write_all(text.as_bytes())?;
    part.persist(file)?;
    Ok(())
}

/// A new file in the same folder, with the mode of an ordinary file.
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

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use tempfile::tempdir;

    use super::*;

    #[test]
    fn a_report_is_an_ordinary_file_with_nothing_beside_it() {
        let folder = tempdir().expect("a folder");
        let ordinary = folder.path().join("ordinary");
        fs::write(&ordinary, "a file").expect("a file");
        // As long as the system allows.
        let file = folder.path().join("x".repeat(255));
        let mode = |file: &Path| fs::metadata(file).expect("a file").permissions().mode();

        for text in ["a report", "a new report"] {
            put(&file, text).expect("written");

            assert_eq!(fs::read_to_string(&file).expect("a report"), text);
            assert_eq!(mode(&file), mode(&ordinary));
        }
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
    }

    #[test]
    fn a_folder_is_no_place_for_a_report() {
        let folder = tempdir().expect("a folder");

        assert_eq!(check(folder.path()), Err(Exit::Environment));
        assert_eq!(check(&folder.path().join("report")), Ok(()));
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
    }

    #[test]
    fn a_report_is_written_through_a_symbolic_link() {
        let folder = tempdir().expect("a folder");
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        symlink(&file, &link).expect("a link");

        for text in ["a report", "a new report"] {
            put(&link, text).expect("written");

            assert_eq!(fs::read_to_string(&file).expect("a report"), text);
            assert!(link.is_symlink());
        }
    }
}
