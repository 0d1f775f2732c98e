//! The media type says what a body is.

use super::{Level, Rule, not_repeated};

pub(super) const RULE: Rule = Rule {
    id: "body-media-type",
    level: Level::Contract,
    source: "this service's contract",
    text: "a body of another media type was neither asked for again nor followed",
    why: "A page called text/plain may be a proxy's or an error page, whatever it looks like.",
    hint: "Look at Content-Type before the body, and hand another one to the caller.",
    judge: |cases| not_repeated(cases, |it| it.fault == Some("text_json")),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{hold_to_no_next_page, hold_to_one_request};

    #[test]
    fn a_second_request_breaks_it() {
        hold_to_one_request(&RULE, |it| it.fault("text_json"));
    }
    #[test]
    fn its_next_cursor_breaks_it() {
        hold_to_no_next_page(&RULE, |it| it.fault("text_json"));
    }
}
