//! A page of the wrong shape is no page.

use super::{Level, Rule, not_repeated};

pub(super) const RULE: Rule = Rule {
    id: "body-shape",
    level: Level::Contract,
    source: "this service's contract",
    text: "a page of the wrong shape was neither asked for again nor followed",
    why: "What is read from half a page looks complete to whoever reads it next.",
    hint: "Check the shape of all that you use, and hand a wrong one to the caller.",
    judge: |cases| {
        not_repeated(cases, |it| {
            matches!(it.fault, Some("bad_items" | "bad_cursor"))
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{hold_to_no_next_page, hold_to_one_request};

    #[test]
    fn a_second_request_breaks_it() {
        hold_to_one_request(&RULE, |it| it.fault("bad_items"));
        hold_to_one_request(&RULE, |it| it.fault("bad_cursor"));
    }
    #[test]
    fn its_next_cursor_breaks_it() {
        hold_to_no_next_page(&RULE, |it| it.fault("bad_items"));
    }
}
