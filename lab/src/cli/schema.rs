//! `lab schema`: what a run looks like as JSON, for whoever reads one by program.

use super::{Exit, terminal};

pub(super) fn schema() -> Exit {
    terminal::print(&render::run_schema()).map_or_else(|exit| exit, |()| Exit::Passed)
}
