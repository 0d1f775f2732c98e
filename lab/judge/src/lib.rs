//! The judge: what the record of the wire says about a client.
//!
//! It reads the [wire record](wire::WireRecord) and how a client's process ended. It knows no
//! task and no scenario. [`Ties`] say which requests belong to one call, [`rules`] judge
//! them, and [`known_failures`] name the verdicts that are expected to be bad.
//!
//! A product that keeps another record of the requests has ties and functions of its own, and
//! the texts of its rules, its verdicts and its known failures are those of this crate.

// No input may end the program: each impossible case states its reason.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

pub mod known_failures;
mod names;
pub mod rules;
mod ties;
mod words;

pub use known_failures::KnownFailures;
pub use names::Names;
pub use ties::{Reason, Ties, Wait};

pub use words::{in_words, is_good};
