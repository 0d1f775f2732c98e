//! `lab list`: the scenarios, the tasks, the rules or the stories, each in its own order.

use clap::{Args, ValueEnum};
use grade::TASKS;
use judge::rules::RULES;
use render::Sheet;
use scenario::catalogue::CATALOGUE;

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
    /// The scenarios, in the order of the course
    Scenarios,
    /// The tasks that a client is graded on, with their rules
    Tasks,
    /// The rules by which clients are judged
    Rules,
    /// The stories of the storm, with their policies
    Stories,
}

/// One line of a list of names.
struct Named {
    name: &'static str,
    title: &'static str,
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
    let names = CATALOGUE.iter().map(|scenario| Named {
        name: scenario.name(),
        title: scenario.words.title,
    });
    of_names(names, options)
}

fn of_rules(options: &render::Options) -> String {
    let names = RULES.iter().map(|rule| Named {
        name: rule.id,
        title: rule.text,
    });
    of_names(names, options)
}

fn of_names(names: impl Iterator<Item = Named>, options: &render::Options) -> String {
    let names: Vec<_> = names.collect();
    let width = names.iter().map(|named| named.name.len()).max();
    let width = width.unwrap_or_default();
    Sheet::filled(options, |sheet| {
        for Named { name, title } in &names {
            sheet.beside(&format!("{name:width$}  "), title);
        }
    })
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
