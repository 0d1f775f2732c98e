//! How far a crawl came, and where that is remembered.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use super::{cursor::Cursor, listing_id::ListingId};

/// How far the crawl of a listing came. No checkpoint at all means the beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The listing that is crawled: to another one the cursor means nothing.
    pub listing: ListingId,
    /// Pages read by the runs that came to this checkpoint, each as often as it was in
    /// its run: what [`max_pages`](super::ListingLimits::max_pages) bounds, with those
    /// that a run reads since.
    pub pages: u32,
    /// Where the crawl goes on.
    pub position: Position,
}

/// Where a crawl goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// Every page before this cursor's was processed.
    At(Cursor),
    /// Every page was processed.
    Done,
}

impl Checkpoint {
    /// Fails if this is the checkpoint of another listing.
    pub(super) fn expect_listing(&self, expected: &ListingId) -> Result<(), CheckpointError> {
        if self.listing == *expected {
            return Ok(());
        }
        let same_endpoint = self.listing.template() == expected.template();
        Err(CheckpointError::OtherListing {
            differs: if same_endpoint {
                "base URL"
            } else {
                "endpoint"
            },
        })
    }
}

/// Where a crawl remembers how far it came. One store holds the checkpoint of one
/// crawl.
///
/// `save` must be atomic: at any time `load` finds either the old checkpoint or
/// the new one. A store that two crawls can use at once should refuse to replace
/// a checkpoint that changed since this crawl last loaded or saved it, as
/// [`FileCheckpoints`](super::FileCheckpoints) does. (A store that has done neither
/// has nothing to compare with: [`FileCheckpoints`](super::FileCheckpoints) saves then.)
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
    /// [`CheckpointError::NotFlushed`] is the one exception: the new one is in
    /// place, and only a loss of power can bring the old one back.
    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError>;
}

/// Why a checkpoint could not be loaded or saved. Neither its `Debug` nor its
/// `Display` holds a cursor.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file could not be read or written.
    #[error(
        "cannot {action} the checkpoint {}; check that its folder exists and may be read, \
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
    /// The file was replaced, and the disk did not confirm it.
    #[error(
        "the checkpoint {} was saved, and the disk did not confirm it: \
         a loss of power may bring the one before it back; check the disk",
        .path.display()
    )]
    NotFlushed {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file is not what this crawl last read or saved. It was left as it is.
    #[error(
        "the checkpoint {} was changed or removed since this crawl last read or saved it, \
         and was left as it is; let one crawl at a time use it, \
         and begin again to go on from there",
        .path.display()
    )]
    Conflict {
        /// Which file.
        path: PathBuf,
    },
    /// The store holds the checkpoint of another listing. Its cursor would mean
    /// something else here, or nothing; and if that crawl was done, this one
    /// would end at once without a word.
    ///
    /// Where a service has only moved to another base URL, a program may load
    /// the checkpoint, give it [`Listing::id`](super::Listing::id) as its
    /// listing, and save it.
    #[error(
        "the checkpoint was saved for a listing with another {differs}; \
         give each listing a file or store of its own, \
         or move this one away to start from the beginning"
    )]
    OtherListing {
        /// `endpoint` or `base URL`.
        differs: &'static str,
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
            Self::NotFlushed { path, source } => f
                .debug_struct("NotFlushed")
                .field("path", path)
                .field("source", source)
                .finish(),
            Self::Conflict { path } => f.debug_struct("Conflict").field("path", path).finish(),
            Self::OtherListing { differs } => f
                .debug_struct("OtherListing")
                .field("differs", differs)
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
