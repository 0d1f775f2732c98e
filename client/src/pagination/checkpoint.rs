//! How far a crawl came, and where that is remembered.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use super::cursor::Cursor;

/// How far a crawl came. No checkpoint at all means the beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checkpoint {
    /// Every page before this cursor's was processed.
    At(Cursor),
    /// Every page was processed.
    Done,
}

/// Where a crawl remembers how far it came.
///
/// `save` must be atomic: whatever happens, `load` finds the old checkpoint or
/// the new one, and never neither.
#[async_trait::async_trait]
pub trait CheckpointStore: Send + Sync {
    /// The last checkpoint saved; `None` if there was none.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if there is something that cannot be read. It must
    /// not pass for "none": the crawl would start again from the beginning.
    async fn load(&self) -> Result<Option<Checkpoint>, CheckpointError>;

    /// Replaces the checkpoint.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if it could not be saved; the old one stays.
    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError>;
}

/// Why a checkpoint could not be loaded or saved. Neither its `Debug` nor its
/// `Display` holds a cursor.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file could not be read or written.
    #[error(
        "cannot {action} the checkpoint {}; check that its folder exists, \
         and that it is a file which this program may read and replace",
        .path.display()
    )]
    Io {
        /// `read` or `save`.
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file is there and holds something else.
    #[error(
        "{} is not a checkpoint of this client ({why}); \
         move it away to start from the beginning, or name another file",
        .path.display()
    )]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A store of the caller's failed. What it says is up to the store, so it
    /// is given as the source and printed nowhere else.
    #[error("the checkpoint store failed; the crawl stays where it was")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl fmt::Debug for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io {
                action,
                path,
                source,
            } => f
                .debug_struct("Io")
                .field("action", action)
                .field("path", path)
                .field("source", source)
                .finish(),
            Self::Unreadable { path, why } => f
                .debug_struct("Unreadable")
                .field("path", path)
                .field("why", why)
                .finish(),
            Self::Store(_) => f.write_str("Store(…)"),
        }
    }
}

/// A store that forgets when the process ends. Clones share one checkpoint.
#[derive(Debug, Clone, Default)]
pub struct MemoryCheckpoints(Arc<Mutex<Option<Checkpoint>>>);

#[async_trait::async_trait]
impl CheckpointStore for MemoryCheckpoints {
    async fn load(&self) -> Result<Option<Checkpoint>, CheckpointError> {
        Ok(self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone())
    }

    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(checkpoint.clone());
        Ok(())
    }
}
