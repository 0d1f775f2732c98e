//! `lab list`: the scenarios, the tasks, the rules or the stories, each in its own order.

use clap::{Args, ValueEnum};
use grade::TASKS;
use judge::rules::RULES;
use render::Sheet;
use scenario::catalogue::{CATALOGUE, Chapter, Scenario};

use super::{exit::Exit, terminal};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to list
    #[arg(value_enum, default_value_t = Listed::Scenarios)]
    listed: Listed,
    /// Use ASCII only
    #[arg(long)]
    ascii: bool,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Listed {
    /// The scenarios, by the chapters of the course
    Scenarios,
    /// The tasks that a client is graded on, with their rules
    Tasks,
    /// The rules by which clients are judged
    Rules,
    /// The stories of the storm, with their policies
    Stories,
}

/// Lists the scenarios for a command that names none.
pub(crate) fn scenarios() -> Result<Exit, Exit> {
    let text = of_scenarios(&terminal::options(false));
    terminal::print(&text).map(|()| Exit::Passed)
}

pub(crate) fn list(arguments: &Arguments) -> Result<Exit, Exit> {
    let text = listed(arguments.listed, &terminal::options(arguments.ascii));
    terminal::print(&text).map(|()| Exit::Passed)
}

fn listed(listed: Listed, options: &render::Options) -> String {
    match listed {
        Listed::Scenarios => of_scenarios(options),
        Listed::Tasks => grade::text::tasks(TASKS, options),
        Listed::Rules => of_rules(options),
        Listed::Stories => storm::storm_list(options),
    }
}

fn of_scenarios(options: &render::Options) -> String {
    let width = widest(CATALOGUE.iter().map(Scenario::name));
    Sheet::filled(options, |sheet| {
        for chapter in Chapter::ALL {
            sheet.title(chapter.title());
            for scenario in chapter.scenarios() {
                let name = format!("  {:width$}  ", scenario.name());
                sheet.beside(&name, scenario.words.title);
            }
        }
    })
}

fn of_rules(options: &render::Options) -> String {
    let width = widest(RULES.iter().map(|rule| rule.id));
    Sheet::filled(options, |sheet| {
        for rule in RULES {
            sheet.beside(&format!("{:width$}  ", rule.id), rule.text);
        }
    })
}

fn widest(names: impl Iterator<Item = &'static str>) -> usize {
    names.map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_fits_80_columns() {
        for listed in Listed::value_variants() {
            let text = self::listed(*listed, &render::Options::default());

            for line in text.lines() {
                assert!(line.chars().count() <= 80, "{line}");
            }
        }
    }
}
