//! A checkpoint in a file, replaced atomically.

use std::{
    fs::{self, File},
    io::{
        self,
        ErrorKind::{InvalidInput, NotFound, Unsupported},
        Write,
    },
    path::{self, Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::{
    checkpoint::{Checkpoint, CheckpointError, CheckpointStore, Position},
    cursor::Cursor,
    listing_id::ListingId,
};
use crate::raw_object::JsonObject;

/// Keeps the checkpoint of one crawl in one file.
///
/// A new checkpoint is written to a temporary file in the same folder, flushed to the
/// disk and renamed over the old one, so a kill between any two instructions leaves the
/// complete old or new checkpoint. Such a kill may also leave the temporary file, whose name
/// begins with `.checkpoint-`; nothing here deletes it, since it might be another crawl's
/// running save. The file is a JSON object with a version number, the [listing](ListingId),
/// the number of pages read and the cursor. On Unix, only its owner may read it. A
/// symbolic link is replaced by a file.
///
/// `load` also finds out whether a checkpoint can be saved, so that a missing or a
/// read-only folder, and a path that does not end in a name, is an error before the crawl
/// and not after its first page.
///
/// Only one crawl at a time may use the file: of two, the last save counts. A file that is not
/// a checkpoint of this version is never replaced. The file is read and written on the thread of
/// the caller, which waits for the disk.
#[derive(Clone, Debug)]
pub struct FileCheckpoints {
    path: PathBuf,
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

impl FileCheckpoints {
    /// Keeps the checkpoint at `path`. Its folder must exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
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
        let path = self.path.as_os_str().as_encoded_bytes();
        let mut parts = path.rsplit(|byte| path::is_separator(char::from(*byte)));
        // A `Path` hides a separator or a dot at its end, and a file cannot replace it.
        if matches!(parts.next(), Some(b"" | b"." | b"..")) {
            let why = "the path does not end in the name of a file";
            return Err(io::Error::new(InvalidInput, why));
        }
        tempfile::Builder::new()
            .prefix(".checkpoint-")
            .tempfile_in(self.folder())
    }

    /// The folder of the file; for a bare name, the current folder.
    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    fn failed(&self, action: &'static str, source: io::Error) -> CheckpointError {
        CheckpointError::Io {
            action,
            path: self.path.clone(),
            source,
        }
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

#[async_trait::async_trait]
impl CheckpointStore for FileCheckpoints {
    async fn load(&self) -> Result<Option<Checkpoint>, CheckpointError> {
        let can_be_made = self.new_file().map(drop);
        can_be_made.map_err(|source| self.failed("replace", source))?;
        self.look()
    }

    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        // A file that is not a checkpoint of this version is an error, and is kept.
        self.look()?;
        self.replace(checkpoint)
            .map_err(|source| self.failed("save", source))?;
        sync(self.folder()).map_err(|source| self.failed("sync", source))
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
