//! A checkpoint in a file, replaced atomically.

use std::{
    fmt, fs, io,
    path::PathBuf,
    sync::{Arc, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Mutex;

use super::{
    checkpoint::{Checkpoint, CheckpointError, CheckpointStore, Position},
    cursor::Cursor,
    listing_id::ListingId,
    replace_file::{OpenFolder, open_folder, replace},
};
use crate::raw_object::JsonObject;

/// Keeps the checkpoint of one crawl in one file.
///
/// A new checkpoint is written to a temporary file in the same folder, flushed to the
/// disk and renamed over the old one, so a kill between any two instructions leaves one
/// of the two, whole. A kill may also leave the temporary file, whose name begins with
/// `.tmp`. Through a symbolic link it is the file behind it that is replaced. The file is a JSON object of a version number, the
/// [listing](ListingId), the number of pages read and the cursor, and on Unix
/// only its owner may read it.
///
/// One crawl at a time may use it. Another one is found out when it saves: a
/// file that changed since this store last read or replaced it is left alone,
/// and [`CheckpointError::Conflict`] says so. Two that save in the same instant
/// may both succeed; the one that is overtaken finds out with its next save.
pub struct FileCheckpoints {
    path: PathBuf,
    /// Held by the file work, not by the future that waits for it: a save that
    /// was dropped halfway goes on, and must be over before the next begins.
    turn: Arc<Mutex<()>>,
    known: Arc<std::sync::Mutex<Known>>,
    open_folder: OpenFolder,
}

/// What this store knows of the file.
#[derive(Default, PartialEq, Eq)]
enum Known {
    /// Nothing: it has neither read nor replaced it.
    #[default]
    Nothing,
    /// It was not there.
    Missing,
    /// What was read from it or written to it last.
    Content(Vec<u8>),
}

/// The content of the file. The version lets a later program refuse what it
/// does not know, rather than misread it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored<'a> {
    version: u64,
    listing: std::borrow::Cow<'a, str>,
    pages: u32,
    /// The cursor; `null` when the crawl is done. `deserialize_with` makes it
    /// required: left to itself, serde takes a missing field for `null`.
    #[serde(deserialize_with = "Option::deserialize")]
    cursor: Option<std::borrow::Cow<'a, str>>,
}

const VERSION: u64 = 2;

impl FileCheckpoints {
    /// Keeps the checkpoint at `path`, whose folder must exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            turn: Arc::default(),
            known: Arc::default(),
            open_folder,
        }
    }

    fn read(&self) -> Result<Option<Checkpoint>, CheckpointError> {
        let found = self.look().map_err(|source| self.failed("read", source))?;
        let checkpoint = match &found {
            Known::Content(text) => Some(self.parse(text)?),
            Known::Missing | Known::Nothing => None,
        };
        self.remember(found);
        Ok(checkpoint)
    }

    fn parse(&self, text: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let unreadable = |why| CheckpointError::Unreadable {
            path: self.path.clone(),
            why,
        };
        // The parser's own errors would quote what they found.
        let stored = serde_json::from_slice::<JsonObject>(text).unwrap_or_default();
        match stored.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            None => return Err(unreadable("it is no JSON object with a `version`")),
            Some(1) => return Err(unreadable("its version 1 does not name its listing")),
            Some(_) => return Err(unreadable("its version is unknown")),
        }
        let stored: Stored<'_> = serde_json::from_value(Value::Object(stored))
            .map_err(|_| unreadable("it does not hold `listing`, `pages` and `cursor`"))?;
        let cursor = stored.cursor.map(|cursor| Cursor::new(cursor.into_owned()));
        let cursor = cursor
            .transpose()
            .map_err(|_| unreadable("its cursor is empty"))?;
        Ok(Checkpoint {
            listing: ListingId::from_text(stored.listing),
            pages: stored.pages,
            position: Position::after(cursor),
        })
    }

    fn write(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let failed = |source| self.failed("save", source);
        let text = written(checkpoint).map_err(failed)?;
        if self.was_changed().map_err(failed)? {
            return Err(CheckpointError::Conflict {
                path: self.path.clone(),
            });
        }
        let replaced = replace(&self.path, &text, self.open_folder).map_err(failed)?;
        self.remember(Known::Content(text));
        replaced
            .flush()
            .map_err(|source| CheckpointError::NotFlushed {
                path: self.path.clone(),
                source,
            })
    }

    /// Whether the file is no longer what this store knows it to be.
    fn was_changed(&self) -> io::Result<bool> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(*known != Known::Nothing && *known != self.look()?)
    }

    fn look(&self) -> io::Result<Known> {
        match fs::read(&self.path) {
            Ok(text) => Ok(Known::Content(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Known::Missing),
            Err(error) => Err(error),
        }
    }

    fn remember(&self, found: Known) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    fn failed(&self, action: &'static str, source: io::Error) -> CheckpointError {
        CheckpointError::Io {
            action,
            path: self.path.clone(),
            source,
        }
    }

    /// Runs file work where it may block, one piece after the other.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, CheckpointError> + Send + 'static,
    ) -> Result<T, CheckpointError> {
        let this = Self {
            known: Arc::clone(&self.known),
            ..self.clone()
        };
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let work = move || {
            let done = work(&this);
            drop(turn);
            done
        };
        tokio::task::spawn_blocking(work)
            .await
            .unwrap_or_else(|error| Err(CheckpointError::Store(error.into())))
    }
}

/// The content of the file that holds a checkpoint.
fn written(checkpoint: &Checkpoint) -> io::Result<Vec<u8>> {
    let stored = Stored {
        version: VERSION,
        listing: checkpoint.listing.as_str().into(),
        pages: checkpoint.pages,
        cursor: match &checkpoint.position {
            Position::At(cursor) => Some(cursor.as_str().into()),
            Position::Done => None,
        },
    };
    Ok(serde_json::to_vec(&stored)?)
}

/// Written by hand: what is known of the file holds a cursor.
impl fmt::Debug for FileCheckpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileCheckpoints")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// A clone is the store of another crawl: it waits for the file work of this one,
/// and does not know what this one has read or saved.
impl Clone for FileCheckpoints {
    fn clone(&self) -> Self {
        Self {
            path: self.path.clone(),
            turn: Arc::clone(&self.turn),
            known: Arc::default(),
            open_folder: self.open_folder,
        }
    }
}

#[async_trait::async_trait]
impl CheckpointStore for FileCheckpoints {
    async fn load(&self) -> Result<Option<Checkpoint>, CheckpointError> {
        self.blocking(Self::read).await
    }

    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let checkpoint = checkpoint.clone();
        self.blocking(move |this| this.write(&checkpoint)).await
    }
}

#[cfg(test)]
mod tests {
    use proptest::{option, prelude::*, sample::Index};

    use super::*;
    use crate::pagination::replace_file::Flush;

    fn checkpoint(pages: u32) -> Checkpoint {
        Checkpoint {
            listing: ListingId::from_text("/items@0"),
            pages,
            position: Position::Done,
        }
    }

    /// A store in a folder of its own that holds checkpoint 1, and from then on
    /// opens that folder in this way.
    async fn store(open_folder: OpenFolder) -> (FileCheckpoints, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = FileCheckpoints::new(folder.path().join("crawl"));
        store.save(&checkpoint(1)).await.expect("saved");
        store.open_folder = open_folder;
        (store, folder)
    }

    fn flushing(error: io::ErrorKind) -> io::Result<Flush> {
        Ok(Box::new(move || Err(error.into())))
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_opened_fails_the_save_before_anything_is_changed() {
        let (store, folder) = store(|_| Err(io::ErrorKind::PermissionDenied.into())).await;

        let error = store.save(&checkpoint(2)).await.expect_err("forbidden");

        assert!(
            matches!(error, CheckpointError::Io { action: "save", .. }),
            "{error}"
        );
        assert_eq!(store.load().await.expect("a file"), Some(checkpoint(1)));
        let files = fs::read_dir(folder.path()).expect("readable");
        assert_eq!(files.count(), 1, "nothing is left beside it");
    }

    #[tokio::test]
    async fn a_save_that_the_disk_does_not_confirm_says_that_the_new_one_is_in_place() {
        let (mut store, _folder) = store(|_| flushing(io::ErrorKind::Other)).await;

        let error = store.save(&checkpoint(2)).await.expect_err("not flushed");

        assert!(
            matches!(error, CheckpointError::NotFlushed { .. }),
            "{error}"
        );
        store.open_folder = open_folder;
        store
            .save(&checkpoint(3))
            .await
            .expect("what it saved itself is no conflict");
        assert_eq!(store.load().await.expect("a file"), Some(checkpoint(3)));
    }

    #[tokio::test]
    async fn a_file_system_that_cannot_flush_folders_is_good_enough() {
        for open_folder in [
            (|_| flushing(io::ErrorKind::InvalidInput)) as OpenFolder,
            |_| flushing(io::ErrorKind::Unsupported),
        ] {
            let (store, _folder) = store(open_folder).await;

            let saved = store.save(&checkpoint(2)).await;

            saved.expect("saved");
            assert_eq!(store.load().await.expect("a file"), Some(checkpoint(2)));
        }
    }

    fn any_checkpoint() -> impl Strategy<Value = Checkpoint> {
        let cursor = option::of("(?s).{1,20}");
        (".{0,20}", any::<u32>(), cursor).prop_map(|(listing, pages, cursor)| Checkpoint {
            listing: ListingId::from_text(listing),
            pages,
            position: Position::after(cursor.map(|it| Cursor::new(it).expect("not empty"))),
        })
    }

    fn parse(text: &[u8]) -> Result<Checkpoint, CheckpointError> {
        FileCheckpoints::new("crawl").parse(text)
    }

    fn is_unreadable(error: &CheckpointError) -> bool {
        matches!(error, CheckpointError::Unreadable { .. })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_and_no_part_of_it(checkpoint in any_checkpoint(), cut: Index) {
            let text = written(&checkpoint).expect("JSON");

            prop_assert_eq!(parse(&text).expect("a checkpoint"), checkpoint);
            let cut = parse(&text[..cut.index(text.len())]);
            prop_assert!(cut.is_err_and(|error| is_unreadable(&error)));
        }

        /// Some of these are a checkpoint: that one is written as it was read, in the one
        /// way in which this store writes. What is wrong with the others is said without
        /// a word of what they hold.
        #[test]
        fn any_file_holds_a_checkpoint_or_is_refused_without_a_quotation(
            version in "(2|1|3|-2|2\\.0|null|\"2\")?",
            listing in "(\"/s3cret\"|null|7)?",
            pages in "(0|7|4294967295|4294967296|-1|1e2|\"s3cret\")?",
            cursor in "(null|\"s3cret\"|\"\"|\"\\\\ud800\"|\\[\"s3cret\"\\])?",
            more in "(,\"s3cret\":1|,\"pages\":1|\\}|\u{feff})?",
        ) {
            let text = format!(
                r#"{{"version":{version},"listing":{listing},"pages":{pages},"cursor":{cursor}{more}}}"#
            );

            match parse(text.as_bytes()) {
                Ok(checkpoint) => {
                    let again = written(&checkpoint).expect("JSON");
                    prop_assert_eq!(parse(&again).expect("a checkpoint"), checkpoint);
                    prop_assert!(more.is_empty() || more.contains("pages"), "{}", text);
                }
                Err(error) => {
                    prop_assert!(is_unreadable(&error));
                    let said = format!("{error} {error:?}");
                    prop_assert!(!said.contains("s3cret"), "{}", said);
                }
            }
        }

        #[test]
        fn any_bytes_are_refused_without_a_panic(text: Vec<u8>) {
            prop_assert!(parse(&text).is_err());
        }
    }
}
