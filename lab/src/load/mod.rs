//! A load: many runs in one process, so that its counters have a course worth
//! drawing.
//!
//! Here stands what a load is, as values: which scenario is run when, and
//! what came of it all. Nothing here waits, runs or prints; the
//! [dashboard](crate::web) runs, the command line shows.

mod mix;
mod plan;

use std::ops::RangeInclusive;

pub(crate) use plan::{Arrival, Plan};

/// How long a load may last, in seconds: a class and the break in it.
pub(crate) const SECONDS: RangeInclusive<u64> = 1..=7_200;

/// How long a load lasts by default: as long as it takes until
/// a rate over a minute means something.
pub(crate) const DEFAULT_SECONDS: u64 = 60;

/// How many runs a load may start in a second: as many as a build without
/// optimisation keeps up with on two cores, with a third to spare. Beyond that
/// most would be refused, and what times out would say more about the machine
/// than about the client.
pub(crate) const RATES: RangeInclusive<u64> = 1..=50;

/// How many runs a second a load starts by default: enough for
/// every panel to move, and little for a laptop.
pub(crate) const DEFAULT_RATE: u64 = 5;

/// The media type of the progress of a load: one JSON value a line.
pub(crate) const MEDIA_TYPE: &str = "application/x-ndjson";
