//! `lab rule ID`: explains a rule and its reason.

use clap::Args;
use grade::all;
use judge::rules::{self, RULES, Rule};
use wire::nearest;

use super::{Exit, OrExit, terminal};
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The id of the rule; without it, all ids
    id: Option<String>,
}

/// An unknown rule id.
#[derive(Debug, thiserror::Error)]
#[error("no rule is called '{id}'; {}", match (all().any(|task| task.words.name == id), .nearest) {
    (true, _) => format!("it is a task: `lab tasks {id}`"),
    (false, Some(nearest)) => format!("did you mean '{nearest}'?"),
    (false, None) => "`lab rule` shows them all".to_owned(),
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
    let of_proxy = arguments.id.as_deref().and_then(proxy::find);
    let of_proxy = of_proxy.filter(|rule| rules::find(rule.id).is_none());
    if let Some(rule) = of_proxy {
        return terminal::print(&proxy::text::rule(rule, &options)).map(|()| Exit::Passed);
    }
    let text = match &arguments.id {
        None => {
            let graded = RULES.iter().map(|rule| (rule.id, rule.text));
            let of_proxy = proxy::RULES
                .iter()
                .filter(|rule| rules::find(rule.id).is_none());
            let all = graded.chain(of_proxy.map(|rule| (rule.id, rule.text)));
            grade::text::rules(&all.collect::<Vec<_>>(), &options)
        }
        Some(id) => {
            let rule = find(id).or_exit(Exit::Usage)?;
            let judged = all()
                .filter(|task| task.rules().any(|judged| judged.id == rule.id))
                .map(|task| task.words.name);
            let by_proxy = proxy::find(rule.id).map(|_| "lab proxy");
            let judged: Vec<_> = judged.chain(by_proxy).collect();
            grade::text::rule(rule, &judged, &options)
        }
    };
    terminal::print(&text).map(|()| Exit::Passed)
}
