//! `lab list`: the scenarios, the tasks, the rules or the stories, each in its own order.

use clap::{Args, ValueEnum};
use grade::{PRACTICE, TASKS, Task};
use judge::rules::{self, RULES};
use render::Sheet;
use scenario::catalogue::CATALOGUE;
use storm::STORIES;

use super::{Exit, OrExit, terminal};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to list
    #[arg(value_enum, default_value_t = Listed::Scenarios)]
    listed: Listed,
    /// Only those whose name contains this
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    filter: String,
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

/// Nothing on the list has a name with this text.
#[derive(Debug, thiserror::Error)]
#[error("no name on the list contains '{0}'")]
struct NothingMatches(String);

/// One line of a list of names.
struct Named {
    name: &'static str,
    title: &'static str,
}

/// Lists the scenarios for a command that names none.
pub(crate) fn scenarios() -> Result<Exit, Exit> {
    let text = of_scenarios(|_| true, &terminal::options(false));
    terminal::print(&text).map(|()| Exit::Passed)
}

pub(crate) fn list(arguments: &Arguments) -> Result<Exit, Exit> {
    let options = terminal::options(arguments.ascii);
    let is_wanted = |name: &str| name.contains(&arguments.filter);
    let text = match arguments.listed {
        Listed::Scenarios => of_scenarios(is_wanted, &options),
        Listed::Tasks => of_tasks(is_wanted, &options),
        Listed::Rules => of_rules(is_wanted, &options),
        Listed::Stories => of_stories(is_wanted, &options),
    };
    if text.is_empty() {
        return Err(NothingMatches(arguments.filter.clone())).or_exit(Exit::Usage);
    }
    terminal::print(&text).map(|()| Exit::Passed)
}

fn of_scenarios(is_wanted: impl Fn(&str) -> bool, options: &render::Options) -> String {
    let names = CATALOGUE.iter().map(|scenario| Named {
        name: scenario.name(),
        title: scenario.words.title,
    });
    of_names(names.filter(|named| is_wanted(named.name)), options)
}

fn of_rules(is_wanted: impl Fn(&str) -> bool, options: &render::Options) -> String {
    let graded = RULES.iter().map(|rule| (rule.id, rule.text));
    let by_proxy_alone = proxy::RULES
        .iter()
        .filter(|rule| rules::find(rule.id).is_none())
        .map(|rule| (rule.id, rule.text));
    let names = graded.chain(by_proxy_alone);
    let names = names.map(|(name, title)| Named { name, title });
    of_names(names.filter(|named| is_wanted(named.name)), options)
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

fn of_tasks(is_wanted: impl Fn(&str) -> bool, options: &render::Options) -> String {
    let wanted = |tasks: &[&'static Task]| -> Vec<_> {
        let tasks = tasks.iter().filter(|task| is_wanted(task.words.name));
        let with_rules = tasks.map(|task| {
            let rules = task.rules().map(|rule| rule.id);
            (&task.words, rules.collect::<Vec<_>>())
        });
        with_rules.collect()
    };
    let (tasks, practice) = (wanted(TASKS), wanted(PRACTICE));
    grade::text::tasks(&tasks, &practice, options)
}

fn of_stories(is_wanted: impl Fn(&str) -> bool, options: &render::Options) -> String {
    let stories = STORIES
        .iter()
        .filter(|story| is_wanted(story.words.name))
        .map(|story| (story.words, story.policies));
    let stories: Vec<_> = stories.collect();
    storm::storm_list(&stories, options)
}
