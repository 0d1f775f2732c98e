//! JSON that is none is no reason to ask again.

use super::{Level, Rule, not_repeated};

pub(super) const RULE: Rule = Rule {
    id: "body-json",
    level: Level::Contract,
    source: "this service's contract",
    text: "a body that is no JSON was not asked for again",
    why: "The status said success, so the service believes it is well, and sends the same again.",
    hint: "Hand the failure to the caller: it is about the representation, not about the moment.",
    judge: |plays| not_repeated(plays, |it| it.fault == Some("bad_json")),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::hold_to_one_request;

    #[test]
    fn a_second_request_breaks_it() {
        hold_to_one_request(&RULE, |it| it.fault("bad_json"));
    }
}
