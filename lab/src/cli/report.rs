//! `--report FILE` and `--junit FILE`: a file is written completely or not at all, and only a
//! report of the lab is replaced.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use super::{exit::Exit, terminal};

/// The most symbolic links that lead to a file, as in Linux.
const MOST_LINKS: usize = 40;

/// The option that names a report in HTML.
pub(crate) const OPTION: &str = "--report";

/// An option, and the file that it names.
pub(crate) type NamedFile<'a> = (&'static str, &'a Path);

/// Why a report is not written.
#[derive(Debug, thiserror::Error)]
enum ReportError {
    #[error("the report could not be written to {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
    #[error(
        "{} is not a report of the lab, so it is not replaced; move it, or name another file",
        .0.display()
    )]
    Foreign(PathBuf),
    #[error("{} and {} name the same file, {}", .0, .1, .2.display())]
    Same(&'static str, &'static str, PathBuf),
}

impl ReportError {
    /// Prints it on stderr.
    fn report(&self) -> Exit {
        let exit = match self {
            Self::Io(..) => Exit::Environment,
            Self::Foreign(_) | Self::Same(..) => Exit::Usage,
        };
        terminal::fail(self, exit)
    }
}

/// Writes a report to a file, and says so on stderr.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), Exit> {
    // The command line was right when it was checked, whatever has happened to the file since.
    put(file, text).map_err(|error| terminal::fail(&error, Exit::Environment))?;
    terminal::note(&format!("report written to {}", file.display()));
    Ok(())
}

/// Checks that reports can be written to these files, as far as this can be known beforehand,
/// and that neither another report nor one of these inputs is the same file. Existing content
/// stays as it is.
pub(crate) fn check<'a>(
    outputs: impl IntoIterator<Item = NamedFile<'a>>,
    inputs: &[NamedFile<'_>],
) -> Result<(), Exit> {
    let checked = || {
        let mut taken: Vec<_> = inputs
            .iter()
            // An input that does not exist is an error of its own.
            .filter_map(|(option, file)| Some((*option, resolved(file).ok()?)))
            .collect();
        for (option, file) in outputs {
            let failed = |error| ReportError::Io(file.to_owned(), error);
            let target = resolved(file).map_err(failed)?;
            if let Some((other, _)) = taken.iter().find(|(_, taken)| *taken == target) {
                return Err(ReportError::Same(other, option, file.to_owned()));
            }
            if let Target::File { path, .. } = replaceable(file)? {
                file_beside(&path)
                    .and_then(NamedTempFile::close)
                    .map_err(failed)?;
            }
            taken.push((option, target));
        }
        Ok(())
    };
    checked().map_err(|error: ReportError| error.report())
}

/// Where a report goes.
enum Target {
    /// An ordinary file, which may not exist yet, and otherwise keeps its permissions.
    File {
        path: PathBuf,
        permissions: Option<fs::Permissions>,
    },
    /// A pipe or a device. To look into it could block, or have an effect.
    Direct,
}

/// Where a report goes that is written to this file, unless the file holds something else.
fn replaceable(file: &Path) -> Result<Target, ReportError> {
    let failed = |error| ReportError::Io(file.to_owned(), error);
    let found = match fs::metadata(file) {
        Ok(found) if found.is_dir() => return Err(failed(io::ErrorKind::IsADirectory.into())),
        Ok(found) if !found.is_file() => return Ok(Target::Direct),
        Ok(found) => Some(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    if found.is_some() {
        let opened = File::options().read(true).write(true).open(file);
        let mut start = Vec::new();
        opened
            .and_then(|opened| {
                let most = render::LONGEST_REPORT_START as u64;
                opened.take(most).read_to_end(&mut start)
            })
            .map_err(failed)?;
        if !start.is_empty() && !render::is_report(&start) {
            return Err(ReportError::Foreign(file.to_owned()));
        }
    }
    Ok(Target::File {
        path: resolved(file).map_err(failed)?,
        permissions: found.map(|found| found.permissions()),
    })
}

/// Writes a second file beside the target and renames it: nobody reads half a report, and an old
/// report stays if the new one cannot be written.
fn put(file: &Path, text: &str) -> Result<(), ReportError> {
    let written = match replaceable(file)? {
        Target::Direct => fs::write(file, text),
        Target::File { path, permissions } => file_beside(&path).and_then(|mut part| {
            if let Some(permissions) = permissions {
                part.as_file().set_permissions(permissions)?;
            }
            part.as_file_mut().write_all(text.as_bytes())?;
            part.persist(&path)?;
            Ok(())
        }),
    };
    written.map_err(|error| ReportError::Io(file.to_owned(), error))
}

/// The path of a file without links, so that two paths of one file are equal. The file need not
/// exist yet.
fn resolved(file: &Path) -> io::Result<PathBuf> {
    let mut file = file.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&file) else {
            let name = file.file_name().ok_or(io::ErrorKind::IsADirectory)?;
            return Ok(fs::canonicalize(folder_of(&file))?.join(name));
        };
        file = folder_of(&file).join(target);
    }
    Err(io::Error::other("too many symbolic links"))
}

fn folder_of(file: &Path) -> &Path {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// A new file in the same folder, with the mode of an ordinary file.
fn file_beside(file: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".lab-report-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The whole error would name the new file, which the user never sees.
    let created = builder.tempfile_in(folder_of(file));
    created.map_err(|error| error.kind().into())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use render::junit;
    use tempfile::tempdir;

    use super::*;

    fn mode(file: &Path) -> u32 {
        fs::metadata(file).expect("a file").permissions().mode() & 0o777
    }

    /// Reports in each form.
    fn reports() -> [String; 2] {
        let page = render::page::document("A card", maud::html! { p { "text" } });
        [page, junit::report("a client", &[])]
    }

    #[test]
    fn a_report_is_an_ordinary_file_with_nothing_beside_it() {
        let folder = tempdir().expect("a folder");
        let ordinary = folder.path().join("ordinary");
        fs::write(&ordinary, "a file").expect("a file");
        // As long as the system allows.
        let file = folder.path().join("x".repeat(255));

        for text in reports() {
            put(&file, &text).expect("written");

            assert_eq!(fs::read_to_string(&file).expect("a report"), text);
            assert_eq!(mode(&file), mode(&ordinary));
        }
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
    }

    #[test]
    fn a_folder_is_no_place_for_a_report() {
        let folder = tempdir().expect("a folder");
        let check = |file: &Path| check([(OPTION, file)], &[]);

        assert_eq!(check(folder.path()), Err(Exit::Environment));
        assert_eq!(check(&folder.path().join("report")), Ok(()));
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
    }

    #[test]
    fn a_report_that_is_replaced_keeps_its_links_and_its_mode() {
        let folder = tempdir().expect("a folder");
        let elsewhere = tempdir().expect("a folder");
        let link = folder.path().join("link");
        symlink("second", &link).expect("a link");
        let file = elsewhere.path().join("file");
        symlink(&file, folder.path().join("second")).expect("a link");

        for text in reports() {
            put(&link, &text).expect("written");

            assert_eq!(fs::read_to_string(&file).expect("a report"), text);
            fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("its owner");
        }
        put(&link, &reports()[0]).expect("written");

        assert_eq!(mode(&file), 0o640);
        assert!(link.is_symlink() && folder.path().join("second").is_symlink());
        assert_eq!(fs::read_dir(&elsewhere).expect("a folder").count(), 1);
    }

    #[test]
    fn only_an_empty_file_and_a_report_are_replaced() {
        let folder = tempdir().expect("a folder");
        let file = folder.path().join("file");
        let [page, xml] = reports();
        for (content, expected) in [
            ("", Ok(())),
            (&*page, Ok(())),
            (&*xml, Ok(())),
            ("print()\n", Err(Exit::Usage)),
            ("\n", Err(Exit::Usage)),
            ("<!DOCTYPE html><html>", Err(Exit::Usage)),
            (&*format!("\n{page}"), Err(Exit::Usage)),
            (&page[..20], Err(Exit::Usage)),
        ] {
            for through in ["file", "link"] {
                fs::write(&file, content).expect("written");
                let link = folder.path().join("link");
                let _ = fs::remove_file(&link);
                symlink(&file, &link).expect("a link");
                let named = folder.path().join(through);

                let checked = check([(OPTION, &*named)], &[]);
                // The content may be new since it was checked.
                let written = write(&named, &page);

                // After the run it is no error of the command line.
                let at_the_end = expected.map_err(|_| Exit::Environment);
                assert_eq!(
                    [checked, written],
                    [expected, at_the_end],
                    "{through}: {content}"
                );
                let kept = if expected.is_ok() { &page } else { content };
                assert_eq!(fs::read_to_string(&file).expect("a file"), kept);
            }
        }
    }

    #[test]
    fn two_outputs_and_an_input_and_an_output_need_paths_of_their_own() {
        let folder = tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("sub")).expect("a folder");
        fs::write(path("empty"), "").expect("written");
        symlink("new", path("link")).expect("a link");
        symlink("sub", path("folder")).expect("a link");
        symlink("round", path("round")).expect("a link");
        for (one, other, expected) in [
            ("new", "other", Ok(())),
            ("new", "new", Err(Exit::Usage)),
            ("new", "./sub/../new", Err(Exit::Usage)),
            // Neither exists yet.
            ("link", "new", Err(Exit::Usage)),
            ("folder/x", "sub/x", Err(Exit::Usage)),
            ("empty", "sub/../empty", Err(Exit::Usage)),
            ("/dev/null", "/dev/null", Err(Exit::Usage)),
            ("new", "round", Err(Exit::Environment)),
        ] {
            let [one, other] = [path(one), path(other)];
            let outputs = [("--junit", &*one), ("--report", &*other)];

            let two_outputs = check(outputs, &[]);
            let with_input = check([outputs[1]], &[("--known-failing", &one)]);

            assert_eq!(
                [two_outputs, with_input],
                [expected; 2],
                "{one:?} {other:?}"
            );
        }
    }

    #[test]
    fn an_error_names_no_other_file_than_that_of_the_user() {
        let file = Path::new("/proc/report");

        let error = put(file, "").expect_err("no file can be created there");

        let causes = [
            error.to_string(),
            format!("{:?}", std::error::Error::source(&error)),
        ];
        assert!(!causes.concat().contains(".part"), "{causes:?}");
        assert!(causes[0].ends_with(" /proc/report"), "{causes:?}");
    }
}
