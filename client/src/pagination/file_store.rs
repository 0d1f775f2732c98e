//! A checkpoint in a file, replaced atomically.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::{
    checkpoint::{Checkpoint, CheckpointError, CheckpointStore},
    cursor::Cursor,
};

/// Keeps the checkpoint of one crawl in one file.
///
/// A new checkpoint is written beside the old one, flushed to the disk and
/// renamed over it, so a kill between any two instructions leaves one of the
/// two, whole. The file holds a version number and the cursor, nothing else, and
/// on Unix only its owner may read it. One crawl at a time may use it.
#[derive(Debug, Clone)]
pub struct FileCheckpoints {
    path: PathBuf,
    /// Held by the file work, not by the future that waits for it: a save that
    /// was dropped halfway goes on, and must be over before the next begins.
    turn: Arc<Mutex<()>>,
}

/// The content of the file. The version lets a later program refuse what it
/// does not know, rather than misread it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored<'a> {
    version: u32,
    /// The cursor; `null` when the crawl is done. `deserialize_with` makes it
    /// required: left to itself, serde takes a missing field for `null`.
    #[serde(deserialize_with = "Option::deserialize")]
    cursor: Option<std::borrow::Cow<'a, str>>,
}

const VERSION: u32 = 1;

impl FileCheckpoints {
    /// Keeps the checkpoint at `path`, whose folder must exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            turn: Arc::default(),
        }
    }

    fn read(&self) -> Result<Option<Checkpoint>, CheckpointError> {
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(self.failed("read", source)),
        };
        let unreadable = |why| CheckpointError::Unreadable {
            path: self.path.clone(),
            why,
        };
        // The parser's own error would quote what it found.
        let stored: Stored<'_> = serde_json::from_slice(&text)
            .map_err(|_| unreadable("it is no JSON object with `version` and `cursor`"))?;
        if stored.version != VERSION {
            return Err(unreadable("its version is unknown"));
        }
        let cursor = stored.cursor.map(|cursor| Cursor::new(cursor.into_owned()));
        match cursor.transpose() {
            Ok(cursor) => Ok(Some(cursor.map_or(Checkpoint::Done, Checkpoint::At))),
            Err(_) => Err(unreadable("its cursor is empty")),
        }
    }

    fn write(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let stored = Stored {
            version: VERSION,
            cursor: match checkpoint {
                Checkpoint::At(cursor) => Some(cursor.as_str().into()),
                Checkpoint::Done => None,
            },
        };
        let text = serde_json::to_vec(&stored).expect("two plain fields are JSON");
        replace(&self.path, &text).map_err(|source| self.failed("save", source))
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
        let this = self.clone();
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

/// Replaces the content of `path` in one step.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // One fixed name: what a kill leaves behind is removed by the next save,
    // where a random name would pile up.
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);

    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }

    // A new file, for only a new file gets the mode asked for, and only a new
    // file is certain not to be a link to somewhere else.
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&new)?;
    file.write_all(content)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&new, path)?;

    // The rename itself is in the folder, which has to reach the disk as well.
    // Windows has no such thing as a folder that can be opened and flushed.
    if cfg!(unix) {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
