//! Pagination: pages, items, and crawls that can be resumed.
//!
//! A listing is read with a cursor that the client returns unchanged and never
//! interprets. [`walk`] implements the contract; [`pages`] and [`items`] read it,
//! [`crawl`] adds checkpoints.

mod checkpoint;
mod crawl;
mod cursor;
mod cursor_history;
mod file_store;
mod items;
mod limits;
mod listing;
mod listing_id;
mod page;
mod page_query;
mod pages;
mod walk;

pub use checkpoint::{Checkpoint, CheckpointError, CheckpointStore, MemoryCheckpoints, Position};
pub use crawl::{Crawl, CrawlError, CrawlStart, FinishedCrawl, UncommittedPage};
pub use cursor::{Cursor, EmptyCursor};
pub use file_store::FileCheckpoints;
pub use items::Items;
pub use limits::ListingLimits;
pub use listing::Listing;
pub use listing_id::ListingId;
pub use page::Page;
pub(crate) use page_query::PageQuery;
pub use pages::Pages;
