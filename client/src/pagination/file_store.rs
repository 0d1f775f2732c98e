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
/// disk and renamed over the old one, so a kill between any two instructions leaves the
/// complete old or new checkpoint. A kill may also leave the temporary file, whose name
/// begins with `.tmp`. If the path is a symbolic link, the file that it points to is
/// replaced. The file is a JSON object with a version number, the [listing](ListingId),
/// the number of pages read and the cursor. On Unix, only its owner may read it.
///
/// Only one crawl at a time may use the file. A second one is detected when it saves: a
/// file that changed since this store last read or replaced it is left unchanged, and
/// the error is [`CheckpointError::Conflict`]. If two crawls save at the same instant,
/// both may succeed; the next save of the first one then reports the conflict.
pub struct FileCheckpoints {
    path: PathBuf,
    /// Held by the file operation, not by the future that waits for it: if the future
    /// is dropped, the save continues, and must end before the next one begins.
    turn: Arc<Mutex<()>>,
    known: Arc<std::sync::Mutex<Known>>,
    open_folder: OpenFolder,
}

/// The last content of the file that this store knows.
#[derive(Default, PartialEq, Eq)]
enum Known {
    /// This store has neither read nor replaced the file.
    #[default]
    Nothing,
    /// The file did not exist.
    Missing,
    /// The content that was last read or written.
    Content(Vec<u8>),
}

/// The content of the file. The version lets a program refuse an unknown format instead
/// of misreading it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u64,
    listing: String,
    pages: u32,
    /// The cursor; `null` when the crawl is done. `deserialize_with` makes it required:
    /// by default, serde reads a missing field as `null`.
    #[serde(deserialize_with = "Option::deserialize")]
    cursor: Option<String>,
}

const VERSION: u64 = 2;

impl FileCheckpoints {
    /// Keeps the checkpoint at `path`. Its folder must exist.
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
        // The errors of the parser would quote the content.
        let stored = serde_json::from_slice::<JsonObject>(text).unwrap_or_default();
        match stored.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            None => return Err(unreadable("it is not a JSON object with a `version`")),
            Some(1) => return Err(unreadable("its version 1 does not name its listing")),
            Some(_) => return Err(unreadable("its version is unknown")),
        }
        let stored: Stored = serde_json::from_value(Value::Object(stored))
            .map_err(|_| unreadable("it does not hold `listing`, `pages` and `cursor`"))?;
        let cursor = stored.cursor.map(Cursor::new).transpose();
        let cursor = cursor.map_err(|_| unreadable("its cursor is empty"))?;
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
        let flush = replace(&self.path, &text, self.open_folder).map_err(failed)?;
        self.remember(Known::Content(text));
        flush().map_err(|source| CheckpointError::NotFlushed {
            path: self.path.clone(),
            source,
        })
    }

    /// Whether the file differs from the content that this store knows.
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

    /// Runs file operations on a blocking thread, one after the other.
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
        listing: checkpoint.listing.as_str().to_owned(),
        pages: checkpoint.pages,
        cursor: match &checkpoint.position {
            Position::At(cursor) => Some(cursor.as_str().to_owned()),
            Position::Done => None,
        },
    };
    Ok(serde_json::to_vec(&stored)?)
}

/// Written by hand, because the known content contains a cursor.
impl fmt::Debug for FileCheckpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileCheckpoints")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// A clone is the store of another crawl: it waits for the file operations of the
/// original, but does not know the content that the original read or saved.
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

    fn flushing(error: io::ErrorKind) -> io::Result<Flush> {
        Ok(Box::new(move || Err(error.into())))
    }

    /// A folder that cannot be opened fails the save before anything is changed; a disk
    /// that does not confirm it has the new checkpoint in place; and a file system that
    /// cannot flush folders is good enough.
    #[tokio::test]
    async fn a_save_says_what_became_of_the_file() {
        for (open, outcome, stored) in [
            (
                (|_| Err(io::ErrorKind::PermissionDenied.into())) as OpenFolder,
                "failed",
                1,
            ),
            (|_| flushing(io::ErrorKind::Other), "not flushed", 2),
            (|_| flushing(io::ErrorKind::InvalidInput), "saved", 2),
            (|_| flushing(io::ErrorKind::Unsupported), "saved", 2),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut store = FileCheckpoints::new(folder.path().join("crawl"));
            store.save(&checkpoint(1)).await.expect("saved");
            store.open_folder = open;

            let became = match store.save(&checkpoint(2)).await {
                Ok(()) => "saved",
                Err(CheckpointError::Io { action: "save", .. }) => "failed",
                Err(CheckpointError::NotFlushed { .. }) => "not flushed",
                Err(other) => panic!("{other}"),
            };

            assert_eq!(became, outcome);
            let found = store.clone().load().await.expect("a file");
            assert_eq!(found, Some(checkpoint(stored)), "{outcome}");
            let files = fs::read_dir(folder.path()).expect("readable").count();
            assert_eq!(files, 1, "no temporary file is left: {outcome}");
            store.open_folder = open_folder;
            let again = store.save(&checkpoint(3)).await;
            again.expect("its own save is not a conflict");
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

    proptest! {
        #[test]
        fn a_written_checkpoint_is_read_back_and_a_truncated_one_is_refused(checkpoint in any_checkpoint(), cut: Index) {
            let store = FileCheckpoints::new("crawl");
            let text = written(&checkpoint).expect("JSON");

            prop_assert_eq!(store.parse(&text).expect("a checkpoint"), checkpoint);
            let cut = store.parse(&text[..cut.index(text.len())]);
            prop_assert!(matches!(cut, Err(CheckpointError::Unreadable { .. })), "{:?}", cut);
        }
    }
}
