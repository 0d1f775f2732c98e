//! `--known-failing FILE`: reads the list of what a client is known to fail.

use std::{error::Error, fs, io, path::Path};

use evidence::{
    KnownFailures,
    known_failures::{GOAL, KnownFailure},
};
use runner::{UnknownName, grade::find};

use super::{
    Exit, OrExit,
    rule::{self, UnknownRule},
};

/// Why a list of known failures cannot be used.
#[derive(Debug, thiserror::Error)]
enum ListError<E: Error + 'static> {
    #[error("{file} cannot be read")]
    Unreadable { file: String, source: io::Error },
    #[error("{file}, line {line}")]
    Line {
        file: String,
        line: usize,
        source: E,
    },
}

/// Why a line about tasks is invalid.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineError {
    #[error(transparent)]
    Rule(#[from] UnknownRule),
    #[error(transparent)]
    Task(#[from] UnknownName),
    #[error("'{rule}' is not judged in {task}")]
    NotJudged { task: String, rule: String },
}

/// Reads a list whose entries pass this check; the empty one without a file.
pub(super) fn read<E: Error + 'static>(
    file: Option<&Path>,
    check: impl Fn(&KnownFailure) -> Result<(), E>,
) -> Result<KnownFailures, Exit> {
    let Some(path) = file else {
        return Ok(KnownFailures::default());
    };
    let file = path.display().to_string();
    let read =
        match fs::read_to_string(path) {
            Ok(text) => KnownFailures::read(&text, check)
                .map_err(|(line, source)| ListError::Line { file, line, source }),
            Err(source) => Err(ListError::Unreadable { file, source }),
        };
    read.or_exit(Exit::Usage)
}

/// Checks an entry about tasks: a rule, a rule that a task judges, or the goal of a task.
///
/// # Errors
///
/// [`LineError`] names what is unknown.
pub(super) fn check(known: &KnownFailure) -> Result<(), LineError> {
    let Some(place) = &known.place else {
        return Ok(rule::find(&known.id).map(drop)?);
    };
    let task = find(place)?;
    if known.id == GOAL {
        return Ok(());
    }
    let rule = rule::find(&known.id)?.id;
    match task.rules().any(|judged| judged.id == rule) {
        true => Ok(()),
        false => Err(LineError::NotJudged {
            task: place.clone(),
            rule: rule.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_about_tasks_is_checked() {
        for (line, error) in [
            ("retry-503", None),
            ("flaky/retry-503", None),
            ("flaky/goal", None),
            ("goal", Some("'goal'")),
            ("retry-504", Some("did you mean 'retry-503'?")),
            ("flakey/retry-503", Some("did you mean 'flaky'?")),
            (
                "create/retry-503",
                Some("'retry-503' is not judged in create"),
            ),
        ] {
            let read = KnownFailures::read(line, check).map_err(|(_, error)| error.to_string());

            match error {
                None => assert!(read.is_ok(), "{line}: {read:?}"),
                Some(words) => assert!(read.is_err_and(|it| it.contains(words)), "{line}"),
            }
        }
    }
}
