//! `lab rule ID`: explains a rule and its reason.

use clap::Args;
use grade::TASKS;
use judge::rules::{self, RULES, Rule};
use wire::nearest;

use super::{
    exit::Exit,
    terminal::{self, OrExit},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The id of the rule, as `lab list rules` shows it
    id: String,
}

/// An unknown rule id.
#[derive(Debug, thiserror::Error)]
#[error("no rule is called '{id}'; {}", match (TASKS.iter().copied().any(|task| task.words.name == id), .nearest) {
    (true, _) => "it is a task: `lab list tasks` shows its rules".to_owned(),
    (false, Some(nearest)) => format!("did you mean '{nearest}'?"),
    (false, None) => "`lab list rules` shows them all".to_owned(),
})]
pub(crate) struct UnknownRule {
    id: String,
    nearest: Option<&'static str>,
}

/// The rule of this id.
pub(crate) fn find(id: &str) -> Result<&'static Rule, UnknownRule> {
    rules::find(id).ok_or_else(|| UnknownRule {
        id: id.to_owned(),
        nearest: nearest(id, RULES.iter().map(|rule| rule.id)),
    })
}

pub(crate) fn rule(arguments: &Arguments) -> Result<Exit, Exit> {
    let options = terminal::options(false);
    let id = &arguments.id;
    let by_proxy = proxy::find(id);
    if let (Some(rule), None) = (by_proxy, rules::find(id)) {
        return terminal::print(&proxy::text::rule(rule, &options)).map(|()| Exit::Passed);
    }
    let rule = find(id).or_exit(Exit::Usage)?;
    let by_tasks = TASKS
        .iter()
        .copied()
        .filter(|task| task.rules().any(|judged| judged.id == rule.id))
        .map(|task| task.words.name);
    let judged: Vec<_> = by_tasks.chain(by_proxy.map(|_| "lab proxy")).collect();
    let text = grade::text::rule(rule, &judged, &options);
    terminal::print(&text).map(|()| Exit::Passed)
}
