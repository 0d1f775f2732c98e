//! `--known-failing FILE`: reads the list of rules and goals that a client is known to
//! fail.

use std::{fs, io, path::Path};

use evidence::grade::{KnownFailure, KnownFailures};
use runner::{UnknownName, grade::find};

use super::rule::{self, UnknownRule};

/// Why a list of known failures cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum ListError {
    #[error("{file} cannot be read")]
    Unreadable { file: String, source: io::Error },
    #[error("{file}, line {line}")]
    Line {
        file: String,
        line: usize,
        source: LineError,
    },
}

/// Why a line is invalid.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineError {
    #[error(transparent)]
    Rule(#[from] UnknownRule),
    #[error(transparent)]
    Task(#[from] UnknownName),
    #[error("'{rule}' is not judged in {task}")]
    NotJudged {
        task: &'static str,
        rule: &'static str,
    },
}

/// Reads a list with one rule or goal on each line, as `rule`, `task/rule` or `task/goal`;
/// `#` begins a comment.
///
/// # Errors
///
/// If the file cannot be read, or names an unknown task or rule.
pub(super) fn read(file: &Path) -> Result<KnownFailures, ListError> {
    let name = || file.display().to_string();
    let text = fs::read_to_string(file).map_err(|source| ListError::Unreadable {
        file: name(),
        source,
    })?;
    let lines = text.lines().enumerate().filter_map(|(number, line)| {
        let words = line.split_once('#').map_or(line, |(words, _)| words).trim();
        (!words.is_empty()).then_some((number + 1, words))
    });
    lines
        .map(|(line, words)| {
            parse(words).map_err(|source| ListError::Line {
                file: name(),
                line,
                source,
            })
        })
        .collect()
}

/// The goal of a task on the list, in place of a rule.
const GOAL: &str = "goal";

/// How a line names a rule or a goal.
pub(super) fn words(known: &KnownFailure) -> String {
    match known {
        KnownFailure::Rule {
            task: Some(task),
            rule,
        } => format!("{task}/{rule}"),
        KnownFailure::Rule { task: None, rule } => (*rule).to_owned(),
        KnownFailure::Goal { task } => format!("{task}/{GOAL}"),
    }
}

fn parse(words: &str) -> Result<KnownFailure, LineError> {
    let Some((task, id)) = words.split_once('/') else {
        let rule = rule::find(words)?.id;
        return Ok(KnownFailure::Rule { task: None, rule });
    };
    let task = find(task)?;
    if id == GOAL {
        let task = task.words.name;
        return Ok(KnownFailure::Goal { task });
    }
    let rule = rule::find(id)?.id;
    if !task.rules().any(|judged| judged.id == rule) {
        let task = task.words.name;
        return Err(LineError::NotJudged { task, rule });
    }
    Ok(KnownFailure::Rule {
        task: Some(task.words.name),
        rule,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_rule_one_in_a_task_or_a_goal() {
        let (rule, task) = ("retry-503", "flaky");
        for (line, expected) in [
            (rule, KnownFailure::Rule { task: None, rule }),
            (
                "flaky/retry-503",
                KnownFailure::Rule {
                    task: Some(task),
                    rule,
                },
            ),
            ("flaky/goal", KnownFailure::Goal { task }),
        ] {
            let known = parse(line).expect("known");

            assert_eq!(known, expected);
            assert_eq!(words(&known), line);
        }
    }

    #[test]
    fn an_unknown_rule_or_task_is_named() {
        for (line, error) in [
            ("retry-504", "did you mean 'retry-503'?"),
            ("flakey/retry-503", "did you mean 'flaky'?"),
            ("create/retry-503", "'retry-503' is not judged in create"),
        ] {
            let refused = parse(line).expect_err("unknown").to_string();

            assert!(refused.contains(error), "{line}: {refused}");
        }
    }
}
