//! `--known-failing FILE`: reads the list of what a client is known to fail.

use std::{error::Error, path::Path};

use grade::find;
use judge::{
    KnownFailures,
    known_failures::{GOAL, KnownFailure},
};

use super::{
    Exit, OrExit, rule,
    summary::{FileError, read_text},
};

/// Reads a list whose entries pass this check; the empty one without a file.
pub(super) fn read(
    file: Option<&Path>,
    check: impl Fn(&KnownFailure) -> Result<(), Box<dyn Error>>,
) -> Result<KnownFailures, Exit> {
    let Some(file) = file else {
        return Ok(KnownFailures::default());
    };
    let text = read_text(file).or_exit(Exit::Usage)?;
    let list = KnownFailures::read(&text, check);
    let place = |line| format!("{}, line {line}", file.display());
    list.map_err(|(line, error)| FileError::new(place(line), error))
        .or_exit(Exit::Usage)
}

/// Checks an entry about tasks: a rule, a rule that a task judges, or the goal of a task.
///
/// # Errors
///
/// The text names what is unknown.
pub(super) fn check(known: &KnownFailure) -> Result<(), Box<dyn Error>> {
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
        false => Err(format!("'{rule}' is not judged in {place}").into()),
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
