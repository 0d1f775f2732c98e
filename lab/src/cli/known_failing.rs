//! `--known-failing FILE`: reads the list of rules that a client is known to break.

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

/// Reads a list with one rule on each line, as `rule` or as `task/rule`; `#` begins a
/// comment.
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

/// How a line names a rule.
pub(super) fn words(known: &KnownFailure) -> String {
    match known.task {
        Some(task) => format!("{task}/{}", known.rule),
        None => known.rule.to_owned(),
    }
}

fn parse(words: &str) -> Result<KnownFailure, LineError> {
    let Some((task, id)) = words.split_once('/') else {
        let rule = rule::find(words)?.id;
        return Ok(KnownFailure { task: None, rule });
    };
    let (task, rule) = (find(task)?, rule::find(id)?.id);
    if !task.rules().any(|judged| judged.id == rule) {
        let task = task.words.name;
        return Err(LineError::NotJudged { task, rule });
    }
    Ok(KnownFailure {
        task: Some(task.words.name),
        rule,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_rule_or_one_in_a_task() {
        for (line, task) in [("retry-503", None), ("flaky/retry-503", Some("flaky"))] {
            let known = parse(line).expect("known");

            assert_eq!((known.task, known.rule), (task, "retry-503"));
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
