//! A load: many runs in one process, so that its counters change enough to be worth
//! drawing.
//!
//! This module defines a load as values: which scenario runs when, and the results. It
//! doesn't wait, run or print: [`crate::web`] runs loads, and the command line prints
//! them.

mod plan;

use std::ops::RangeInclusive;

pub(crate) use plan::{Arrival, Plan};

/// How long a load may last, in seconds: enough for a class and its break.
pub(crate) const SECONDS: RangeInclusive<u64> = 1..=7_200;

/// How long a load lasts by default: long enough for a rate over a minute to be
/// meaningful.
pub(crate) const DEFAULT_SECONDS: u64 = 60;

/// The most runs that a load may start in a second: two thirds of what an unoptimised
/// build can run on two cores. At higher rates most runs would be refused, and timeouts
/// would say more about the machine than about the client.
pub(crate) const RATES: RangeInclusive<u64> = 1..=50;

/// How many runs a load starts in a second by default: enough for every panel to move,
/// and few for a laptop.
pub(crate) const DEFAULT_RATE: u64 = 5;

/// The media type of a load's progress: one JSON value per line.
pub(crate) const MEDIA_TYPE: &str = "application/x-ndjson";
