//! `lab list`: the catalogue, in the order of the course.

use scenario::catalogue::CATALOGUE;

use crate::cli::{Exit, terminal};

pub(crate) fn list() -> Result<Exit, Exit> {
    let widest = CATALOGUE.iter().map(|it| it.name().len()).max();
    let widest = widest.unwrap_or(0);
    let lines = CATALOGUE
        .iter()
        .map(|it| format!("{:widest$}  {}\n", it.name(), it.words.title));
    let text: String = lines.collect();
    terminal::print(&text).map(|()| Exit::Passed)
}
