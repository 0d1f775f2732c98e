//! `lab list`: the catalogue, in the order of the course.

use super::{Exit, terminal};
use crate::scenario::CATALOGUE;

pub(super) fn list() -> Exit {
    let name = CATALOGUE.iter().map(|scenario| scenario.name.len()).max();
    let request = CATALOGUE
        .iter()
        .map(|scenario| scenario.request.len())
        .max();
    let (name, request) = (name.unwrap_or(0), request.unwrap_or(0));
    let lines = CATALOGUE.iter().map(|scenario| {
        format!(
            "{:name$}  {:request$}  {}\n",
            scenario.name, scenario.request, scenario.title
        )
    });
    let text: String = lines.collect();
    terminal::print(&text).map_or_else(|exit| exit, |()| Exit::Passed)
}
