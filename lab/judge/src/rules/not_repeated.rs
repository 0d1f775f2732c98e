//! The rules that forbid to repeat a request: its response was final, whatever the client
//! thinks of it.

use std::collections::{BTreeSet, HashSet};

use wire::{FaultLabel, IssuedCursor, WireRecord, WireRequest, counted, status};

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// After invalid JSON.
pub const BODY_JSON: Rule = Rule {
    id: "body-json",
    level: RuleLevel::Contract,
    source: "this service's contract",
    text: "after invalid JSON, the client neither retried nor requested the next page",
    why: "With a success status, the service considers the response correct, and sends the same again.",
    hint: "Return the failure to the caller: a retry would get the same response.",
    judge: Judge::Forbids(|case| {
        not_repeated(case, |request| {
            request.fault == Some(FaultLabel::INVALID_JSON)
        })
    }),
};

/// After another media type.
pub const BODY_MEDIA_TYPE: Rule = Rule {
    id: "body-media-type",
    level: RuleLevel::Contract,
    source: "this service's contract",
    text: "after a response of another media type, the client neither retried nor requested the next page",
    why: "A text/plain page may come from a proxy or be an error page, even if it looks like JSON.",
    hint: "Check Content-Type before the body, and return an unexpected one to the caller as an error.",
    judge: Judge::Forbids(|case| {
        not_repeated(case, |request| {
            request.fault == Some(FaultLabel::JSON_AS_TEXT)
        })
    }),
};

/// After a page of the wrong shape.
pub const BODY_SHAPE: Rule = Rule {
    id: "body-shape",
    level: RuleLevel::Contract,
    source: "this service's contract",
    text: "after a page of the wrong shape, the client neither retried nor requested the next page",
    why: "Data from half a page looks complete to the next reader.",
    hint: "Check the shape of everything that you use, and return a wrong one to the caller as an error.",
    judge: Judge::Forbids(|case| {
        not_repeated(case, |request| {
            matches!(
                request.fault,
                Some(FaultLabel::INVALID_ITEMS | FaultLabel::INVALID_CURSOR)
            )
        })
    }),
};

/// After a success without a body.
pub const NO_CONTENT: Rule = Rule {
    id: "no-content",
    level: RuleLevel::Standard,
    source: "RFC 9110 §15.3.5",
    text: "a request was not repeated after a 204",
    why: "A 204 has no body on purpose. A client that treats it as a failure repeats the request forever.",
    hint: "Check the status before the body.",
    judge: Judge::Forbids(|case| not_repeated(case, |request| request.status == Some(204))),
};

/// After a refusal.
pub const NO_RETRY_4XX: Rule = Rule {
    id: "no-retry-4xx",
    level: RuleLevel::GoodPractice,
    source: "AIP-194; RFC 9110 §15.5",
    text: "a request that the service refused was not retried",
    why: "The request itself is at fault, so it fails again, and credentials are sent again.",
    hint: "Return a 4xx to the caller at once; only 408 and 429 may be different later.",
    judge: Judge::Forbids(|case| {
        not_repeated(case, |request| request.status.is_some_and(status::is_final))
    }),
};

/// Broken by every request that repeats one to which `after` applies, or that uses the
/// cursor of its response; kept if there was such a request and no repetition.
fn not_repeated(case: &Case<'_>, after: fn(&WireRequest) -> bool) -> Judgement {
    let (wire, ties) = (case.wire, &case.ties);
    let after = |request: &WireRequest| after(request) && !is_look(request);
    if !wire.entries.iter().any(after) {
        return Judgement::not_exercised();
    }
    let mut doubtful = ties.doubtful().filter(|(first, ..)| after(first));
    let repetitions = ties.repetitions().filter(|(first, _)| after(first));
    let repeated: Vec<_> = repetitions.map(|(_, next)| next.seq).collect();
    let found = match repeated.len() {
        0 => "its next cursor was used".to_owned(),
        times => format!("{} followed", counted(times as u64, "more request")),
    };
    let seqs = repeated.into_iter().chain(reads_on(wire, after));
    let in_order: BTreeSet<_> = seqs.collect();
    let doubt = doubtful.next().map(|(.., doubt)| doubt);
    Judgement::kept_unless_in(in_order.into_iter().collect(), found, doubt)
}

/// Whether it is a HEAD or an OPTIONS, which a client may send as often as it likes.
pub(super) fn is_look(request: &WireRequest) -> bool {
    matches!(request.method, "HEAD" | "OPTIONS")
}

/// Every request with a cursor from a response to which `after` applies. If its cursor was
/// invalid, a cursor that no other response gave is made from it.
fn reads_on(wire: &WireRecord, after: impl Fn(&WireRequest) -> bool) -> Vec<u64> {
    let (mut given, mut elsewhere, mut invalid) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut seqs = Vec::new();
    for request in &wire.entries {
        let route = &request.route;
        if let Some(sent) = request.cursor.map(|cursor| (route, cursor)) {
            let is_made = invalid.contains(route) && !elsewhere.contains(&sent);
            if given.contains(&sent) || is_made {
                seqs.push(request.seq);
            }
        }
        match (after(request), request.cursor_issued) {
            (true, Some(IssuedCursor::Hash(next))) => _ = given.insert((route, next)),
            (false, Some(IssuedCursor::Hash(next))) => _ = elsewhere.insert((route, next)),
            (true, None) if request.fault == Some(FaultLabel::INVALID_CURSOR) => {
                invalid.insert(route);
            }
            _ => {}
        }
    }
    seqs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    /// Makes the response to a GET one after which a rule forbids another request.
    type Serve = fn(Script) -> Script;

    fn served() -> [(Rule, Serve); 11] {
        [
            (BODY_JSON, |script| script.fault(FaultLabel::INVALID_JSON)),
            (BODY_MEDIA_TYPE, |script| {
                script.fault(FaultLabel::JSON_AS_TEXT)
            }),
            (BODY_SHAPE, |script| script.fault(FaultLabel::INVALID_ITEMS)),
            (BODY_SHAPE, |script| {
                script.fault(FaultLabel::INVALID_CURSOR)
            }),
            (NO_CONTENT, |script| with_status(script, 204)),
            (NO_RETRY_4XX, |script| with_status(script, 400)),
            (NO_RETRY_4XX, |script| with_status(script, 401)),
            (NO_RETRY_4XX, |script| with_status(script, 403)),
            (NO_RETRY_4XX, |script| with_status(script, 404)),
            (NO_RETRY_4XX, |script| with_status(script, 409)),
            (NO_RETRY_4XX, |script| with_status(script, 422)),
        ]
    }

    fn with_status(script: Script, status: u16) -> Script {
        script.with(|request| request.status = Some(status))
    }

    #[test]
    fn a_second_request_breaks_it() {
        for (rule, serve) in served() {
            let served = || serve(Script::new().respond(0, 200));
            // The first response is there after 3 ms.
            let twin = |at| serve(served().on(1, 1).lasting(3).respond(at, 200).on(2, 1)).hedging();

            hold! { rule;
                Script::new().respond(0, 200) => NotExercised,
                served() => Kept,
                served().respond(200, 200) => Broken [2]: "1 more request followed",
                serve(served().respond(9, 200)).respond(18, 200)
                    => Broken [2, 3]: "2 more requests followed",
                served().stopped_at(9) => CannotTell,
                twin(1) => Kept,
                twin(8) => CannotTell,
                twin(9) => Broken [2],
            }
        }
    }

    #[test]
    fn the_next_cursor_of_the_response_breaks_it() {
        for (rule, serve) in served() {
            let served = || serve(Script::new().respond(0, 200).issues(7));
            let next = |cursor| served().respond(1, 200).cursor(cursor);

            hold! { rule;
                next(7) => Broken [2]: "its next cursor was used",
                next(8) => Kept,
                serve(next(7)).respond(2, 200).cursor(7) => Broken [2, 3],
            }
        }
    }

    #[test]
    fn a_cursor_made_of_an_invalid_one_breaks_it() {
        let bad = |script: Script| {
            script
                .respond(1, 200)
                .cursor(1)
                .fault(FaultLabel::INVALID_CURSOR)
        };
        let page = || bad(Script::new().respond(0, 200).issues(1));
        let two_pages = Script::new().respond(0, 200).issues(1);
        let two_pages = two_pages.respond(1, 200).cursor(1).issues(2);
        let third_is_bad = two_pages.respond(2, 200).cursor(2);

        hold! { BODY_SHAPE;
            page() => Kept,
            page().respond(2, 200).cursor(2) => Broken [3],
            bad(Script::new()).respond(2, 400).cursor(2) => Broken [2],
            page().respond(2, 200).cursor(1).issues(3) => Broken [3],
            page().respond(2, 200) => Kept,
            // The cursor of another page is not made of the invalid one.
            third_is_bad.fault(FaultLabel::INVALID_CURSOR).respond(3, 200).cursor(1) => Kept,
        }
    }

    #[test]
    fn a_429_and_a_request_of_another_page_are_free() {
        hold! { NO_RETRY_4XX;
            Script::new().respond(0, 429).respond(200, 200) => NotExercised,
            Script::new().respond(0, 404).respond(1, 200).cursor(7) => Kept,
        }
    }

    /// A service may respond to OPTIONS with a 204.
    #[test]
    fn an_options_request_does_not_count_as_a_repetition() {
        let look = |script: Script, at| {
            script
                .respond(at, 204)
                .with(|request| request.method = "OPTIONS")
        };
        let looks = || look(look(Script::new(), 0), 1);

        hold! { NO_CONTENT;
            looks() => NotExercised,
            look(looks().respond(2, 204), 3) => Kept,
        }
    }
}
