//! `lab schema`: what a run looks like as JSON, for whoever reads one by program.

use super::{Exit, terminal};
use render::RUN_SCHEMA;

pub(super) fn schema() -> Exit {
    terminal::print(RUN_SCHEMA).map_or_else(|exit| exit, |()| Exit::Passed)
}
