//! `lab list`: the catalogue, in the order of the course.

use super::{Exit, terminal};
use runner::scenario::CATALOGUE;

pub(super) fn list() -> Exit {
    let widest = CATALOGUE
        .iter()
        .map(|scenario| scenario.words.name.len())
        .max();
    let widest = widest.unwrap_or(0);
    let lines = CATALOGUE.iter().map(|scenario| {
        format!(
            "{:widest$}  {}\n",
            scenario.words.name, scenario.words.title
        )
    });
    let text: String = lines.collect();
    terminal::print(&text).map_or_else(|exit| exit, |()| Exit::Passed)
}
