//! A request must declare the media types that it sends and accepts.

use wire::{BodyState, RecordedHeader, WireRequest, media_type};

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "request-headers",
    level: RuleLevel::Standard,
    source: "RFC 9110 §8.3 and §12.5.1",
    text: "Content-Type and Accept named JSON",
    why: "Otherwise a service may refuse the body, or send another format.",
    hint: "Send Content-Type: application/json with a body, and Accept: application/json, or no Accept.",
    judge: Judge::Case(judge),
};

fn judge(Case { wire, .. }: &Case<'_>) -> Judgement {
    if wire.entries.is_empty() {
        return Judgement::not_exercised();
    }
    let wrong = |request: &&WireRequest| !says_what_it_brings(request) || !takes_json(request);
    let seqs: Vec<_> = wire
        .entries
        .iter()
        .filter(wrong)
        .map(|entry| entry.seq)
        .collect();
    let found = "a body without a JSON type, or an Accept without JSON";
    Judgement::kept_unless(seqs, found)
}

fn says_what_it_brings(request: &WireRequest) -> bool {
    if request.body_state == BodyState::Empty {
        return true;
    }
    match &request.content_type {
        Some(RecordedHeader::Value(value)) => is_json(value),
        Some(RecordedHeader::Unusable) => true,
        None => false,
    }
}

/// Whether its Accept header, if it has one, accepts JSON. The most specific range decides,
/// and `q=0` excludes its type (RFC 9110 §12.5.1). Another type is not taken for JSON because
/// it ends in `+json`.
fn takes_json(request: &WireRequest) -> bool {
    let Some(RecordedHeader::Value(value)) = &request.accept else {
        return true;
    };
    let ranges = || value.split(',').map(str::to_ascii_lowercase);
    let mut by_precision = ["application/json", "application/*", "*/*"].into_iter();
    let decides = by_precision.find_map(|media_type| {
        ranges().find(|range| {
            range
                .split(';')
                .next()
                .is_some_and(|value| value.trim() == media_type)
        })
    });
    decides.is_some_and(|range| {
        !range.split(';').any(|part| {
            let weight = part.trim().strip_prefix("q=");
            weight.and_then(|weight| weight.parse().ok()) == Some(0.0)
        })
    })
}

/// JSON of the kind that the service takes, which another top-level type is not.
fn is_json(media_type: &str) -> bool {
    let is_application = media_type.trim_start().get(..12);
    is_application.is_some_and(|kind| kind.eq_ignore_ascii_case("application/"))
        && media_type::is_json(media_type.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn a_body_without_a_type_or_an_accept_without_json_breaks_it() {
        let post = || Script::new().post(0, 201, 1, None);
        let get = |accept| Script::new().respond(0, 200).accept(accept);

        hold! { RULE;
            Script::new() => NotExercised,
            Script::new().respond(0, 200) => Kept,
            post() => Broken [1],
            post().content_type("text/plain") => Broken [1],
            post().content_type("application/xml") => Broken [1],
            post().content_type("text/vnd.job+json") => Broken [1],
            post().content_type("Application/JSON; charset=utf-8") => Kept,
            post().content_type("application/vnd.job+json") => Kept,
            get("*/*") => Kept,
            get("text/html, application/*;q=0.5") => Kept,
            get("text/html") => Broken [1],
            get("application/json;q=0, text/html") => Broken [1],
            get("*/*, Application/JSON ;q=0") => Broken [1],
            get("application/json, */*;q=0") => Kept,
            get("application/problem+json") => Broken [1],
            get("application/problem+json, application/json") => Kept,
        }
    }
}
