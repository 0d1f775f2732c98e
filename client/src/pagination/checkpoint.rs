//! The progress of a crawl, and where it is stored.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use super::{cursor::Cursor, listing_id::ListingId};

/// The progress of the crawl of a listing. Without a checkpoint, a crawl starts at the
/// beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    listing: ListingId,
    pages: u32,
    position: Position,
}

/// The position at which a crawl continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// Every page before the page of this cursor was processed.
    At(Cursor),
    /// Every page was processed.
    Done,
}

impl Checkpoint {
    /// Creates a checkpoint from what a store has kept.
    #[must_use]
    pub const fn new(listing: ListingId, pages: u32, position: Position) -> Self {
        Self {
            listing,
            pages,
            position,
        }
    }

    /// The listing that is crawled. The cursor is valid only for this listing.
    #[must_use]
    pub const fn listing(&self) -> &ListingId {
        &self.listing
    }

    /// The number of pages that all runs read up to this checkpoint, repeated pages
    /// included. [`max_pages`](super::ListingLimits::max_pages) limits this number plus
    /// the pages of the current run.
    #[must_use]
    pub const fn pages(&self) -> u32 {
        self.pages
    }

    /// The position at which the crawl continues.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Fails if this is the checkpoint of another listing.
    pub(super) fn expect_listing(&self, expected: &ListingId) -> Result<(), CheckpointError> {
        if self.listing == *expected {
            return Ok(());
        }
        Err(CheckpointError::OtherListing {
            saved: self.listing.clone(),
            expected: expected.clone(),
        })
    }
}

/// Stores the progress of a crawl. One store holds the checkpoint of one crawl.
///
/// `save` must be atomic: at any time `load` finds either the old checkpoint or the new
/// one. A store that two crawls can use at the same time should refuse to replace a
/// checkpoint that changed since this crawl last loaded or saved it.
///
/// Write an implementation with the attribute of the crate `async-trait`:
///
/// ```
/// use std::sync::Mutex;
///
/// use reliable_api_client::{Checkpoint, CheckpointError, CheckpointStore};
///
/// #[derive(Default)]
/// struct Row(Mutex<Option<Checkpoint>>);
///
/// #[async_trait::async_trait]
/// impl CheckpointStore for Row {
///     async fn load(&self) -> Result<Option<Checkpoint>, CheckpointError> {
///         Ok(self.0.lock().unwrap().clone())
///     }
///
///     async fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
///         *self.0.lock().unwrap() = Some(checkpoint.clone());
///         Ok(())
///     }
/// }
/// ```
#[async_trait::async_trait]
pub trait CheckpointStore: Send + Sync {
    /// The last checkpoint saved; `None` if there was none.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if there is a checkpoint that cannot be read. Do not return
    /// `None` then: the crawl would start again from the beginning.
    async fn load(&self) -> Result<Option<Checkpoint>, CheckpointError>;

    /// Replaces the checkpoint.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if it could not be saved. The old one stays, unless the disk
    /// alone did not confirm the new one.
    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError>;
}

/// The reason why a checkpoint could not be loaded or saved. Neither `Debug` nor
/// `Display` contains a cursor.
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
        /// `read`, `replace`, `save` or `sync`. After `sync`, the new checkpoint is in
        /// place, but a power failure may bring the old one back.
        action: &'static str,
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The store holds the checkpoint of another listing. Its cursor is not valid for
    /// this listing, and if that crawl was complete, this one would end immediately
    /// without an error.
    #[error(
        "the checkpoint was saved for the listing {}, and this one is {}; \
         give each listing a file or store of its own, \
         or move this one away to start from the beginning",
        .saved.printable(), .expected.printable()
    )]
    OtherListing {
        /// The listing of the checkpoint.
        saved: ListingId,
        /// The listing that was to be crawled.
        expected: ListingId,
    },
    /// The file exists, but is not a checkpoint.
    #[error(
        "{} is not a checkpoint of this client ({why}); \
         move it away to start from the beginning, or name another file",
        .path.display()
    )]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The problem of the file.
        why: &'static str,
    },
    /// A store of the caller failed. Its error may contain anything, so it is available
    /// only as the source and is not printed.
    #[error("the checkpoint store failed; the crawl stays where it was")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl fmt::Debug for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CheckpointError({self}")?;
        if let Self::Io { source, .. } = self {
            write!(f, ": {source:?}")?;
        }
        f.write_str(")")
    }
}

/// A store in memory, which is lost when the process ends. Clones share one checkpoint.
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
