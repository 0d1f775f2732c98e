//! Saves of the files of a client.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use tokio::time::sleep;

/// How often the files are checked.
const LOOK: Duration = Duration::from_millis(200);

/// When a file was saved, and its length.
type Save = (SystemTime, u64);

/// Tells when one of some files is saved.
#[derive(Clone, Debug)]
pub(crate) struct Saves {
    /// Each file with the save that was seen last.
    files: Vec<(PathBuf, Save)>,
}

/// A file that cannot be read cannot be watched.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read, so it cannot be watched", .0.display())]
pub(crate) struct UnreadableFile(PathBuf);

impl Saves {
    /// Saves of these files from now on.
    pub(crate) fn of<'a>(
        files: impl IntoIterator<Item = &'a Path>,
    ) -> Result<Self, UnreadableFile> {
        let seen = files.into_iter().map(|file| {
            let seen = saved(file).ok_or_else(|| UnreadableFile(file.to_owned()))?;
            Ok((file.to_owned(), seen))
        });
        Ok(Self {
            files: seen.collect::<Result<_, _>>()?,
        })
    }

    /// Whether no file is watched.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Waits until a file differs from what was seen last. An editor may remove it for a moment.
    /// Without a file it waits for ever.
    pub(crate) async fn next(&mut self) {
        loop {
            sleep(LOOK).await;
            let mut is_saved = false;
            for (file, seen) in &mut self.files {
                if let Some(save) = saved(file).filter(|save| save != seen) {
                    *seen = save;
                    is_saved = true;
                }
            }
            if is_saved {
                return;
            }
        }
    }
}

/// The newest save of a file; none if it does not exist.
fn saved(file: &Path) -> Option<Save> {
    let found = fs::metadata(file).ok()?;
    Some((found.modified().ok()?, found.len()))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tempfile::tempdir;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_save_of_any_file_is_told_once() {
        let folder = tempdir().expect("a folder");
        let files = ["client.py", "waits.py"].map(|name| folder.path().join(name));
        for file in &files {
            fs::write(file, "1").expect("written");
        }
        let mut saves = Saves::of(files.iter().map(PathBuf::as_path)).expect("they exist");

        for file in &files {
            fs::write(file, "22").expect("written");
            saves.next().await;
            // An editor that writes a new file in the place of the old one.
            fs::remove_file(file).expect("removed");
            assert!(saves.next().now_or_never().is_none());
            fs::write(file, "333").expect("written");
            saves.next().await;
        }

        assert!(saves.next().now_or_never().is_none());
    }

    #[test]
    fn a_file_that_is_absent_cannot_be_watched() {
        let folder = tempdir().expect("a folder");
        let absent = folder.path().join("absent.py");

        let error = Saves::of([&*absent]).expect_err("absent").to_string();

        assert!(error.ends_with("absent.py cannot be read, so it cannot be watched"));
    }
}
