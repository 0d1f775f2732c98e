//! A page of the wrong shape is no page.

use super::{Level, Rule, not_repeated};

pub(super) const RULE: Rule = Rule {
    id: "body-shape",
    level: Level::Contract,
    source: "this service's contract",
    text: "a page of the wrong shape was not asked for again",
    why: "What is read from half a page looks complete to whoever reads it next.",
    hint: "Check the shape of all that you use, and hand a wrong one to the caller.",
    judge: |plays| {
        not_repeated(plays, |it| {
            matches!(it.fault, Some("bad_items" | "bad_cursor"))
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{
        Verdict::{Broken, Kept, NotExercised},
        testing::{Script, hold},
    };

    #[test]
    fn a_second_request_breaks_it() {
        let served = || Script::new().respond(0, 200).fault("bad_items");

        hold(
            &RULE,
            [
                (Script::new().respond(0, 200), NotExercised, vec![]),
                (served(), Kept, vec![]),
                (served().respond(1, 200).fault("bad_items"), Broken, vec![2]),
            ],
        );
    }
}
