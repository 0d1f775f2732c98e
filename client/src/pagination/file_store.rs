//! A checkpoint in a file, replaced atomically.

use std::{
    fmt,
    fs::{self, File},
    io::{
        self,
        ErrorKind::{InvalidInput, NotFound, Unsupported},
        Write,
    },
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tempfile::NamedTempFile;
use tokio::sync::Mutex;

use super::{
    checkpoint::{Checkpoint, CheckpointError, CheckpointStore, Position},
    cursor::Cursor,
    listing_id::{ListingId, fingerprint},
};
use crate::raw_object::JsonObject;

/// Keeps the checkpoint of one crawl in one file.
///
/// A new checkpoint is written to a temporary file in the same folder, flushed to the
/// disk and renamed over the old one, so a kill between any two instructions leaves the
/// complete old or new checkpoint. The next `load` removes the temporary file that a kill
/// may leave. The file is a JSON object with a version number, the [listing](ListingId),
/// the number of pages read and the cursor. On Unix, only its owner may read it. A
/// symbolic link is replaced by a file.
///
/// `load` also finds out whether a checkpoint can be saved, so that a missing or a
/// read-only folder is an error before the crawl and not after its first page.
///
/// Only one crawl at a time may use the file. A second one is detected when it saves, by
/// the number of pages in the file: a file whose number changed since this store last
/// read or replaced it is left unchanged, and the error is
/// [`CheckpointError::Conflict`]. A commit whose future was dropped goes on in the
/// background, so a crawl that begins at once with a store of its own may meet this
/// conflict as well; it reads the page again. If two crawls save at the same instant, both may
/// succeed; the next save of the first one then reports the conflict. A file that is not
/// a checkpoint of this version is never replaced.
pub struct FileCheckpoints {
    path: PathBuf,
    /// Held by the file operation, not by the future that waits for it: if the future
    /// is dropped, the save continues, and must end before the next one begins.
    turn: Arc<Mutex<()>>,
    known: Arc<std::sync::Mutex<Known>>,
}

/// The number of pages in the file when this store last read or replaced it.
#[derive(Clone, Copy, Default)]
enum Known {
    /// This store has neither read nor replaced the file.
    #[default]
    Nothing,
    /// The number; `None` if there was no file.
    Pages(Option<u32>),
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

const VERSION: u64 = 3;

/// The end of the name of a temporary file.
const UNFINISHED: &str = ".tmp";

impl FileCheckpoints {
    /// Keeps the checkpoint at `path`. Its folder must exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            turn: Arc::default(),
            known: Arc::default(),
        }
    }

    fn read(&self) -> Result<Option<Checkpoint>, CheckpointError> {
        self.prepare()
            .map_err(|source| self.failed("replace", source))?;
        let found = self.look()?;
        self.remember(found.as_ref().map(Checkpoint::pages));
        Ok(found)
    }

    fn write(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let found = self.look()?.as_ref().map(Checkpoint::pages);
        if let Known::Pages(expected) = self.known()
            && expected != found
        {
            return Err(CheckpointError::Conflict {
                path: self.path.clone(),
            });
        }
        self.replace(checkpoint)
            .map_err(|source| self.failed("save", source))?;
        self.remember(Some(checkpoint.pages()));
        sync(self.folder()).map_err(|source| self.failed("sync", source))
    }

    /// The checkpoint in the file.
    fn look(&self) -> Result<Option<Checkpoint>, CheckpointError> {
        match fs::read(&self.path) {
            Ok(text) => self.parse(&text).map(Some),
            Err(error) if error.kind() == NotFound => Ok(None),
            Err(error) => Err(self.failed("read", error)),
        }
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
            Some(_) => return Err(unreadable("its version is unknown")),
        }
        let stored: Stored = serde_json::from_value(Value::Object(stored))
            .map_err(|_| unreadable("it does not hold `listing`, `pages` and `cursor`"))?;
        let cursor = stored.cursor.map(Cursor::new).transpose();
        let cursor = cursor.map_err(|_| unreadable("its cursor is empty"))?;
        let listing = ListingId::from_text(stored.listing);
        Ok(Checkpoint::new(
            listing,
            stored.pages,
            Position::after(cursor),
        ))
    }

    fn replace(&self, checkpoint: &Checkpoint) -> io::Result<()> {
        let mut new = self.new_file()?;
        new.write_all(&written(checkpoint)?)?;
        new.as_file().sync_all()?;
        new.persist(&self.path)?;
        Ok(())
    }

    /// A temporary file beside the checkpoint, which only its owner may read. It is removed
    /// when it is dropped.
    fn new_file(&self) -> io::Result<NamedTempFile> {
        tempfile::Builder::new()
            .prefix(&self.unfinished_prefix())
            .suffix(UNFINISHED)
            .tempfile_in(self.folder())
    }

    /// The beginning of the names of temporary files. It tells those of this checkpoint
    /// from those of its neighbours, and fits behind a name of any length.
    fn unfinished_prefix(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        format!(".checkpoint-{:016x}-", fingerprint(name.as_encoded_bytes()))
    }

    /// Removes what a kill left behind, and finds out whether a file can be made.
    fn prepare(&self) -> io::Result<()> {
        let prefix = self.unfinished_prefix();
        for entry in fs::read_dir(self.folder())? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(&prefix) && name.ends_with(UNFINISHED) {
                fs::remove_file(entry.path())?;
            }
        }
        self.new_file().map(drop)
    }

    /// The folder of the file; for a bare name, the current folder.
    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    fn known(&self) -> Known {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, pages: Option<u32>) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Known::Pages(pages);
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
        listing: checkpoint.listing().as_str().to_owned(),
        pages: checkpoint.pages(),
        cursor: match checkpoint.position() {
            Position::At(cursor) => Some(cursor.as_str().to_owned()),
            Position::Done => None,
        },
    };
    Ok(serde_json::to_vec(&stored)?)
}

/// Waits until the changes in a folder are on the disk. Windows and some file systems
/// cannot do that.
fn sync(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        Err(error) if matches!(error.kind(), InvalidInput | Unsupported) => Ok(()),
        synced => synced,
    }
}

impl fmt::Debug for FileCheckpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileCheckpoints")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// A clone is the store of another crawl: it waits for the file operations of the
/// original, but does not know what the original read or saved.
impl Clone for FileCheckpoints {
    fn clone(&self) -> Self {
        Self {
            path: self.path.clone(),
            turn: Arc::clone(&self.turn),
            known: Arc::default(),
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

    #[test]
    fn a_bare_file_name_is_in_the_current_folder() {
        for (path, folder) in [("crawl", "."), ("a/crawl", "a"), ("/crawl", "/")] {
            assert_eq!(FileCheckpoints::new(path).folder(), Path::new(folder));
        }
    }

    /// The next load removes the files that a kill leaves behind, and no file of a
    /// neighbour.
    #[tokio::test]
    async fn what_a_killed_save_left_is_removed_by_the_next_load() {
        let folder = tempfile::tempdir().expect("a folder");
        // The last is the longest that a file system allows.
        let names = ["crawl", "crawl.tmp", &"n".repeat(255)];
        let stores = names.map(|name| FileCheckpoints::new(folder.path().join(name)));
        for store in &stores {
            let unfinished = store.new_file().expect("a file");
            unfinished.keep().expect("kept");
        }

        for (loaded, store) in stores.iter().enumerate() {
            store.load().await.expect("no checkpoint yet");

            let left = fs::read_dir(folder.path()).expect("readable").count();
            assert_eq!(left, names.len() - loaded - 1, "{store:?}");
        }
    }

    fn any_checkpoint() -> impl Strategy<Value = Checkpoint> {
        let cursor = option::of("(?s).{1,20}");
        (".{0,20}", any::<u32>(), cursor).prop_map(|(listing, pages, cursor)| {
            let cursor = cursor.map(|cursor| Cursor::new(cursor).expect("not empty"));
            Checkpoint::new(
                ListingId::from_text(listing),
                pages,
                Position::after(cursor),
            )
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
