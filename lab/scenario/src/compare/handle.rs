//! The uses of an error for a caller: the details that a program or a person can act on.

use crate::outcome::{Ending, Fact, Outcome};

/// The possible actions of a caller with this outcome, as text.
pub(super) fn handles(outcome: &Outcome) -> String {
    match outcome.ending {
        Ending::Ok => return "no error".to_owned(),
        Ending::Stopped | Ending::Cancelled => return "no error: it did not end".to_owned(),
        _ => {}
    }
    let known = HANDLES.iter().filter_map(|(name, words)| {
        let fact = outcome.fact(name)?;
        (*fact != Fact::Flag(false)).then(|| words.replace("{}", &fact.to_string()))
    });
    let known: Vec<_> = known.collect();
    if known.is_empty() {
        "show its text".to_owned()
    } else {
        known.join(", ")
    }
}

/// The action that each detail of an outcome allows.
const HANDLES: [(&str, &str); 6] = [
    ("status", "branch on status {}"),
    ("code", "on the code {}"),
    ("request_id_kept", "report the request id"),
    ("retry_after_seconds", "call again after {} s"),
    ("gave_up", "see why it gave up: {}"),
    ("problem", "see what was wrong: {}"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_allows_the_actions_of_its_details() {
        let error = || Outcome {
            ending: Ending::HttpError,
            ..Outcome::ok("503")
        };
        let full = error()
            .with("status", 503_u64)
            .with("request_id_kept", true)
            .with("retry_after_seconds", 120_u64);
        let without_id = error()
            .with("status", 404_u64)
            .with("request_id_kept", false);

        let known = "branch on status 503, report the request id, call again after 120 s";
        assert_eq!(handles(&full), known);
        assert_eq!(handles(&without_id), "branch on status 404");
        assert_eq!(handles(&error()), "show its text");
        assert_eq!(handles(&Outcome::ok("ok")), "no error");
    }
}
