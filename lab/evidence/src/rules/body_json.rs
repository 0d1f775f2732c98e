//! JSON that is none is no reason to ask again.

use super::{Level, Rule, not_repeated};

pub(super) const RULE: Rule = Rule {
    id: "body-json",
    level: Level::Contract,
    source: "this service's contract",
    text: "a body that is no JSON was neither asked for again nor followed",
    why: "The status said success, so the service believes it is well, and sends the same again.",
    hint: "Hand the failure to the caller: it is about the representation, not about the moment.",
    judge: |cases| not_repeated(cases, |it| it.fault == Some("bad_json")),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{hold_to_no_next_page, hold_to_one_request};

    #[test]
    fn a_second_request_breaks_it() {
        hold_to_one_request(&RULE, |it| it.fault("bad_json"));
    }
    #[test]
    fn its_next_cursor_breaks_it() {
        hold_to_no_next_page(&RULE, |it| it.fault("bad_json"));
    }
}
