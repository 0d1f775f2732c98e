//! `--known-failing FILE`: checks the entries about tasks.

use std::error::Error;

use grade::{GOAL, find};
use judge::known_failures::KnownFailure;

use crate::cli::rule;

/// Checks an entry about tasks: a rule, a rule that a task judges, or the goal of a task.
///
/// # Errors
///
/// The text names what is unknown.
pub(super) fn check(known: &KnownFailure) -> Result<(), Box<dyn Error>> {
    let Some(place) = &known.place else {
        return Ok(rule::find_graded(&known.id).map(drop)?);
    };
    let task = find(place)?;
    if known.id == GOAL {
        return Ok(());
    }
    let rule = rule::find_graded(&known.id)?.id;
    if task.rules().any(|judged| judged.id == rule) {
        Ok(())
    } else {
        Err(format!("'{rule}' is not judged in {place}").into())
    }
}

#[cfg(test)]
mod tests {
    use judge::KnownFailures;

    use super::*;

    #[test]
    fn an_entry_about_tasks_is_checked() {
        for (line, error) in [
            ("backoff-waits", None),
            ("flaky/backoff-waits", None),
            ("flaky/goal", None),
            ("goal", Some("'goal'")),
            ("backoff-wait", Some("did you mean 'backoff-waits'?")),
            ("flakey/backoff-waits", Some("did you mean 'flaky'?")),
            (
                "create/backoff-waits",
                Some("'backoff-waits' is not judged in create"),
            ),
        ] {
            let read = KnownFailures::read(line, check).map_err(|(_, error)| error.to_string());

            match error {
                None => assert!(read.is_ok(), "{line}: {read:?}"),
                Some(words) => assert!(read.is_err_and(|text| text.contains(words)), "{line}"),
            }
        }
    }
}
