//! `lab rule ID`: explains a rule and its reason, whichever command judges it.

use clap::Args;
use grade::TASKS;
use judge::rules::{self, RULES, Rule};
use render::{Options, Sheet};
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

/// Why no rule is found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RuleError {
    #[error("no rule is called '{id}'; {}", match (TASKS.iter().copied().any(|task| task.words.name == id), .nearest) {
        (true, _) => "it is a task: `lab list tasks` shows its rules".to_owned(),
        (false, Some(nearest)) => format!("did you mean '{nearest}'?"),
        (false, None) => "`lab list rules` shows them all".to_owned(),
    })]
    Unknown {
        id: String,
        nearest: Option<&'static str>,
    },
    #[error("no task judges '{0}': it is a rule of `lab proxy`")]
    OfTheProxy(&'static str),
}

/// The rule of this id.
fn find(id: &str) -> Result<&'static Rule, RuleError> {
    rules::find(id).ok_or_else(|| RuleError::Unknown {
        id: id.to_owned(),
        nearest: nearest(id, RULES.iter().map(|rule| rule.id)),
    })
}

/// The rule of this id, which tasks judge.
pub(crate) fn find_graded(id: &str) -> Result<&'static Rule, RuleError> {
    let rule = find(id)?;
    if rule.is_judged_by_cases() {
        Ok(rule)
    } else {
        Err(RuleError::OfTheProxy(rule.id))
    }
}

impl Arguments {
    /// Checks that the rule exists.
    pub(super) fn check(&self) -> Result<(), RuleError> {
        find(&self.id).map(drop)
    }
}

pub(crate) fn rule(arguments: &Arguments) -> Result<Exit, Exit> {
    let rule = find(&arguments.id).or_exit(Exit::Usage)?;
    terminal::print(&text(rule, &terminal::options(false))).map(|()| Exit::Passed)
}

/// Its demand, its reason, how to keep it, its source, and where it is judged.
fn text(rule: &Rule, options: &Options) -> String {
    let lab = options.lab;
    let tasks = TASKS.iter().copied();
    let tasks = tasks.filter(|task| task.rules().any(|judged| judged.id == rule.id));
    let tasks: Vec<_> = tasks.map(|task| task.words.name).collect();
    let by_grade = match &*tasks {
        [one] => Some(format!("{lab} grade --task {one} -- COMMAND")),
        _ => None,
    };
    let by_proxy = proxy::find(rule.id).map(|_| format!("{lab} proxy URL -- COMMAND"));
    let mut sheet = Sheet::new(options);
    sheet.title(rule.id);
    sheet.beside("", &format!("Kept if {}.", rule.text));
    sheet.gap();
    sheet.paragraph("Why", rule.why);
    sheet.paragraph("How", rule.hint);
    sheet.paragraph("Source", &format!("{} ({})", rule.source, rule.level));
    if tasks.len() > 1 {
        sheet.paragraph("Judged in", &tasks.join(", "));
    }
    let commands = by_grade.into_iter().chain(by_proxy);
    for (label, command) in ["Try it", ""].into_iter().zip(commands) {
        sheet.paragraph(label, &command);
    }
    sheet.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_says_by_which_command_it_is_judged() {
        let options = Options {
            lab: "lab",
            ..Options::default()
        };
        for rule in RULES {
            let text = text(rule, &options);

            let is_of_tasks = text.contains("Judged in") || text.contains("lab grade --task");
            let is_of_the_proxy = text.contains("lab proxy URL -- COMMAND");
            assert_eq!(is_of_tasks, rule.is_judged_by_cases(), "{text}");
            assert_eq!(is_of_the_proxy, proxy::find(rule.id).is_some(), "{text}");
            assert!(is_of_tasks || is_of_the_proxy, "{text}");
            assert!(
                text.lines().all(|line| line.chars().count() <= 80),
                "{text}"
            );
        }
    }
}
