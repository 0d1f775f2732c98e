//! The subject of a lesson, in the words of the wire: the cursors, keys and bodies that requests
//! carried, the Retry-After as it was sent, where a redirect leads.

use judge::Names;
use wire::{IssuedCursor, JobResult, Message, RetryAfterForm, WireRecord, WireRequest, media_type};

/// The most lines.
const MOST: usize = 6;

/// The longest beginning of an invalid body, in characters.
const LONGEST: usize = 48;

/// Facts that counts cannot show, in a few lines. Most runs have none.
pub(crate) fn wire_facts(wire: &WireRecord) -> Vec<String> {
    let names = Names::of(&wire.entries);
    let mut facts: Vec<(u64, u64, String)> = Vec::new();
    for request in &wire.entries {
        let exchange = wire.exchange(request.seq);
        let response = exchange.and_then(|exchange| exchange.response.as_deref());
        let of_response = response.map(|response| of_response(request, response));
        let of_request = carried(request, &names).into_iter();
        let said: Vec<_> = of_request
            .chain(of_response.into_iter().flatten())
            .collect();
        let said = said.join("; ");
        match facts.last_mut() {
            _ if said.is_empty() => {}
            Some((_, last, same)) if *same == said && *last + 1 == request.seq => {
                *last = request.seq;
            }
            _ => facts.push((request.seq, request.seq, said)),
        }
    }
    let more = facts.len().saturating_sub(MOST);
    let lines = facts.into_iter().take(MOST).map(|(first, last, said)| {
        if first == last {
            format!("request {first}: {said}")
        } else {
            format!("requests {first}–{last}: {said}")
        }
    });
    let rest = (more > 0).then(|| format!("{more} more like these"));
    lines.chain(rest).collect()
}

/// The values that a request carried, and those that its response gave for the next one:
/// its cursor, or its key and its body. None if it had none of them.
pub(crate) fn carried(request: &WireRequest, names: &Names) -> Option<String> {
    key_and_body(request, names).or_else(|| {
        let sent = match request.cursor {
            Some(cursor) => format!("cursor {}", names.cursor(cursor)?),
            None => "first page".to_owned(),
        };
        Some(match request.cursor_issued? {
            IssuedCursor::Hash(cursor) => format!("{sent} → cursor {}", names.cursor(cursor)?),
            IssuedCursor::Null => format!("{sent} → end"),
        })
    })
}

/// The key and the body of a submission.
fn key_and_body(request: &WireRequest, names: &Names) -> Option<String> {
    let key = names.key(request.idempotency_key?)?;
    let body = request.body.and_then(|body| names.body(body));
    let came_of_it = match request.job {
        Some(JobResult::Created) => ", a job was created",
        Some(JobResult::Replayed) => ", the same job",
        Some(JobResult::Conflict) => ", a conflict",
        Some(JobResult::Rejected) | None => "",
    };
    Some(match body {
        Some(body) => format!("{key}, {body}{came_of_it}"),
        None => format!("{key}{came_of_it}"),
    })
}

/// What is unusual about a response.
fn of_response(request: &WireRequest, response: &Message) -> impl Iterator<Item = String> {
    let location = response.header("location");
    let broken_off = response.remark.clone();
    [
        retry_after(request, response).map(|asked| format!("Retry-After: {asked}")),
        location.map(|location| format!("Location: {location}")),
        unusable_body(response),
        broken_off.filter(|_| request.ended.is_none()),
    ]
    .into_iter()
    .flatten()
}

/// A Retry-After as it was sent, and how it is to be read where that is the question.
fn retry_after(request: &WireRequest, response: &Message) -> Option<String> {
    let sent = match response.header("retry-after")? {
        "" => "(empty)",
        sent => sent,
    };
    let asked = request.retry_after?;
    Some(match asked.form {
        RetryAfterForm::Seconds => sent.to_owned(),
        RetryAfterForm::Date => format!("{sent}, {asked} ahead"),
        RetryAfterForm::PastDate => format!("{sent}, a date that has passed"),
        RetryAfterForm::Unusable => format!("{sent}, neither seconds nor a date"),
    })
}

/// The media type of a body that is not called JSON, or how one begins that is, and does not
/// parse.
fn unusable_body(response: &Message) -> Option<String> {
    let body = response.body.as_deref()?;
    let media_type = response.header("content-type")?;
    if !media_type::is_json(media_type.as_bytes()) {
        return Some(format!("Content-Type: {media_type}"));
    }
    let is_valid = serde_json::from_str::<serde::de::IgnoredAny>(body).is_ok();
    if is_valid || response.remark.is_some() {
        return None;
    }
    let begins: String = body.chars().take(LONGEST).collect();
    let more = if begins.len() < body.len() {
        " …"
    } else {
        ""
    };
    Some(format!("the body is {}{more}", begins.trim_end()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wire::{Exchange, Header, RetryAfter, Secret, ValueHash};

    use super::*;

    /// A request, and a response with these headers and this body.
    fn respond(wire: &mut WireRecord, headers: &[(&str, &str)], body: Option<&str>) {
        let seq = wire.entries.len() as u64 + 1;
        let header = |(name, value): &(&str, &str)| Header {
            name: (*name).to_owned(),
            value: Some((*value).to_owned()),
        };
        wire.entries.push(WireRequest {
            seq,
            ended: Some(Duration::ZERO),
            ..WireRequest::default()
        });
        wire.exchanges.push(Exchange {
            seq,
            response: Some(Secret(Message {
                headers: headers.iter().map(header).collect(),
                body: body.map(str::to_owned),
                ..Message::default()
            })),
            ..Exchange::default()
        });
    }

    /// The facts of one request, and of a response with these headers and this body.
    fn facts(
        headers: &[(&str, &str)],
        body: Option<&str>,
        change: impl FnOnce(&mut WireRequest, &mut Message),
    ) -> Vec<String> {
        let mut wire = WireRecord::default();
        respond(&mut wire, headers, body);
        let response = wire.exchanges[0].response.as_mut().expect("a response");
        change(&mut wire.entries[0], &mut response.0);
        wire_facts(&wire)
    }

    #[test]
    fn a_retry_after_is_shown_as_it_was_sent_and_as_it_is_to_be_read() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        let seconds = Duration::from_secs;
        for (asked, sent, meaning) in [
            (RetryAfter::seconds(seconds(2)), "2", ""),
            (RetryAfter::date(seconds(3)), date, ", 3 s ahead"),
            (RetryAfter::PAST_DATE, date, ", a date that has passed"),
            (RetryAfter::UNUSABLE, "soon", ", neither seconds nor a date"),
            (RetryAfter::UNUSABLE, "", ", neither seconds nor a date"),
        ] {
            let facts = facts(&[("retry-after", sent)], None, |request, _| {
                request.retry_after = Some(asked);
            });

            let sent = if sent.is_empty() { "(empty)" } else { sent };
            let shown = format!("request 1: Retry-After: {sent}{meaning}");
            assert_eq!(facts, [shown]);
        }
    }

    #[test]
    fn the_key_and_the_body_of_a_job_are_shown_with_its_result() {
        use wire::JobResult::{Conflict, Created, Rejected, Replayed};
        for (body, job, shown) in [
            (Some(7), Some(Created), ", body 1, a job was created"),
            (Some(7), Some(Replayed), ", body 1, the same job"),
            (Some(7), Some(Conflict), ", body 1, a conflict"),
            (Some(7), Some(Rejected), ", body 1"),
            (Some(7), None, ", body 1"),
            (None, None, ""),
        ] {
            let facts = facts(&[], None, |request, _| {
                request.idempotency_key = Some(ValueHash(3));
                request.body = body.map(ValueHash);
                request.job = job;
            });

            assert_eq!(facts, [format!("request 1: key 1{shown}")]);
        }
    }

    #[test]
    fn a_body_is_shown_if_it_is_not_called_json_or_does_not_parse() {
        let long = format!("[{}", "1, ".repeat(20));
        let of = |media_type: &str, body, remark: &str| {
            facts(&[("content-type", media_type)], body, |_, response| {
                response.remark = (!remark.is_empty()).then(|| remark.to_owned());
            })
        };
        let json = "Application/JSON ; charset=utf-8";

        assert_eq!(
            of("text/a", Some("{}"), ""),
            ["request 1: Content-Type: text/a"]
        );
        assert_eq!(of(json, Some("["), ""), ["request 1: the body is ["]);
        let begins = "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, …";
        assert_eq!(
            of(json, Some(&long), ""),
            [format!("request 1: the body is {begins}")]
        );
        for nothing in [
            of("text/a", None, ""),
            of(json, Some("{}"), ""),
            of("application/problem+json", Some("{}"), ""),
            // The rest was not recorded.
            of(json, Some("["), "cut here"),
        ] {
            assert_eq!(nothing, [""; 0]);
        }
    }

    #[test]
    fn a_response_that_broke_off_is_shown() {
        let remarked = |ended| {
            facts(&[], None, |request, response| {
                request.ended = ended;
                response.remark = Some("broken off after 9 bytes".to_owned());
            })
        };

        assert_eq!(remarked(None), ["request 1: broken off after 9 bytes"]);
        assert_eq!(remarked(Some(Duration::ZERO)), [""; 0]);
    }

    #[test]
    fn the_cursors_of_a_listing_are_shown_with_the_requests_that_carried_them() {
        let mut wire = WireRecord::default();
        for (sent, issued) in [(None, Some(1)), (Some(1), Some(2)), (Some(2), None)] {
            respond(&mut wire, &[], None);
            let request = wire.entries.last_mut().expect("a request");
            request.cursor = sent.map(ValueHash);
            request.cursor_issued = Some(issued.map_or(IssuedCursor::Null, |cursor| {
                IssuedCursor::Hash(ValueHash(cursor))
            }));
        }

        let expected = [
            "request 1: first page → cursor A",
            "request 2: cursor A → cursor B",
            "request 3: cursor B → end",
        ];
        assert_eq!(wire_facts(&wire), expected);
    }

    #[test]
    fn successive_requests_share_a_line_and_beyond_a_few_lines_the_others_are_counted() {
        let moved = |places: &[&str]| {
            let mut wire = WireRecord::default();
            for place in places {
                match *place {
                    "" => respond(&mut wire, &[], None),
                    place => respond(&mut wire, &[("location", place)], None),
                }
            }
            wire_facts(&wire)
        };
        let of = |requests: &str, place: &str| format!("{requests}: Location: {place}");

        let alike = moved(&["/a", "/a", "", "/a", "/b"]);
        let many = moved(&["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8"]);

        assert_eq!(
            alike,
            [
                of("requests 1–2", "/a"),
                of("request 4", "/a"),
                of("request 5", "/b")
            ]
        );
        assert_eq!(many.len(), MOST + 1);
        assert_eq!(many[MOST], "2 more like these");
    }
}
