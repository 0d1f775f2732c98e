//! The subject of a lesson, in the words of the wire: the Retry-After as it was sent,
//! the way of the cursors, where a redirect leads, what a key came with.

use judge::Names;
use wire::{IssuedCursor, JobResult, Message, RetryAfterForm, WireRecord, WireRequest, media_type};

/// The most lines, and the most cursors in one of them.
const MOST: usize = 6;

/// The longest beginning of a broken body, in characters.
const LONGEST: usize = 48;

/// Facts of the exchanges that counts cannot show, in a few lines. Most runs have none.
pub(crate) fn wire_facts(wire: &WireRecord) -> Vec<String> {
    let mut facts: Vec<(Vec<u64>, String)> = Vec::new();
    let names = Names::of(&wire.entries);
    for request in &wire.entries {
        let exchange = wire.exchange(request.seq);
        let response = exchange.and_then(|exchange| exchange.response.as_deref());
        let of_request = [
            key_and_body(request, &names),
            response.and_then(|response| {
                Some(format!("Retry-After: {}", retry_after(request, response)?))
            }),
            response
                .and_then(|response| Some(format!("Location: {}", response.header("location")?))),
            response.and_then(other_media_type),
            response.and_then(broken_json),
            response.and_then(|response| broken_off(request, response)),
        ];
        let of_request: Vec<_> = of_request.into_iter().flatten().collect();
        if of_request.is_empty() {
            continue;
        }
        let fact = of_request.join("; ");
        match facts.last_mut() {
            Some((requests, last)) if *last == fact => requests.push(request.seq),
            _ => facts.push((vec![request.seq], fact)),
        }
    }
    let more = facts.len().saturating_sub(MOST);
    let facts = facts.into_iter().take(MOST);
    let facts = facts.map(|(requests, fact)| format!("{}: {fact}", numbers(&requests)));
    let rest = (more > 0).then(|| format!("{more} more like these"));
    facts
        .chain(rest)
        .chain(way_of_cursors(wire, &names))
        .chain(asked_again(wire, &names))
        .collect()
}

/// The values that a request carried, and those that its response gave for the next one:
/// its cursor, or its key and its body. None if it had none of them.
#[must_use]
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

/// The requests that carried one cursor, though the response to the first came whole: a
/// crawl that went on from its checkpoint does so.
fn asked_again(wire: &WireRecord, names: &Names) -> Option<String> {
    let entries = wire.entries.iter().filter(|_| wire.one_call);
    let whole: Vec<_> = entries
        .filter(|request| request.status == Some(200) && came_whole(wire, request))
        .collect();
    let mut pairs = whole.iter().zip(whole.iter().skip(1));
    let (one, other, cursor) = pairs.find_map(|(one, other)| {
        let cursor = one.cursor.filter(|_| one.cursor == other.cursor)?;
        Some((one, other, names.cursor(cursor)?))
    })?;
    Some(format!(
        "requests {} and {}: both with cursor {cursor}",
        one.seq, other.seq
    ))
}

/// The cursors that a listing was given, in order; none where several clients ask at
/// once, or where nothing was recorded.
fn way_of_cursors(wire: &WireRecord, names: &Names) -> Option<String> {
    let entries = wire.entries.iter().filter(|_| wire.one_call);
    let mut issued: Vec<_> = entries
        .filter(|request| came_whole(wire, request))
        .filter_map(|request| match request.cursor_issued? {
            IssuedCursor::Hash(cursor) => names.cursor(cursor),
            IssuedCursor::Null => Some("end".to_owned()),
        })
        .collect();
    if issued.len() < 2 {
        return None;
    }
    issued.dedup();
    let more = issued.split_off(issued.len().min(MOST));
    let way = issued.join(" → ");
    Some(match more.len() {
        0 => format!("cursor {way}"),
        more => format!("cursor {way} → …, {more} more"),
    })
}

/// Whether a recorded response was sent to its end.
fn came_whole(wire: &WireRecord, request: &WireRequest) -> bool {
    request.ended.is_some() && wire.exchange(request.seq).is_some()
}

/// The status of a response that broke off, and what was sent of it.
fn broken_off(request: &WireRequest, response: &Message) -> Option<String> {
    let (_, status) = response.start.split_once(' ')?;
    let remark = response
        .remark
        .as_ref()
        .filter(|_| request.ended.is_none())?;
    Some(format!("{status}, {remark}"))
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

fn is_json(response: &Message) -> Option<bool> {
    Some(media_type::is_json(
        response.header("content-type")?.as_bytes(),
    ))
}

/// The media type of a body that is not called JSON.
fn other_media_type(response: &Message) -> Option<String> {
    response.body.as_ref()?;
    let media_type = response.header("content-type")?;
    (!is_json(response)?).then(|| format!("Content-Type: {media_type}"))
}

/// How a body begins that is called JSON and breaks off, though it came whole.
fn broken_json(response: &Message) -> Option<String> {
    let body = response
        .body
        .as_deref()
        .filter(|_| response.remark.is_none())?;
    let is_whole = serde_json::from_str::<serde::de::IgnoredAny>(body).is_ok();
    if is_whole || !is_json(response)? {
        return None;
    }
    let begins: String = body.chars().take(LONGEST).collect();
    let more = if begins.len() < body.len() {
        " …"
    } else {
        ""
    };
    Some(format!("the whole body is {}{more}", begins.trim_end()))
}

/// Requests by their numbers, such as "requests 1–3".
fn numbers(requests: &[u64]) -> String {
    match requests {
        [one] => format!("request {one}"),
        [one, other] => format!("requests {one} and {other}"),
        [first, .., last] if last - first + 1 == requests.len() as u64 => {
            format!("requests {first}–{last}")
        }
        _ => {
            let numbers: Vec<_> = requests.iter().map(u64::to_string).collect();
            format!("requests {}", numbers.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wire::{Exchange, Header, RetryAfter, Secret, ValueHash};

    use super::*;

    /// The requests of one caller, and their responses.
    #[derive(Default)]
    struct Script(WireRecord);

    impl Script {
        fn new() -> Self {
            let mut script = Self::default();
            script.0.one_call = true;
            script
        }

        /// A request, and a response with these headers and this body.
        fn respond(mut self, headers: &[(&str, &str)], body: Option<&str>) -> Self {
            let seq = self.0.entries.len() as u64 + 1;
            let header = |(name, value): &(&str, &str)| Header {
                name: (*name).to_owned(),
                value: Some((*value).to_owned()),
            };
            self.0.entries.push(WireRequest {
                seq,
                status: Some(200),
                ended: Some(Duration::ZERO),
                ..WireRequest::default()
            });
            self.0.exchanges.push(Exchange {
                seq,
                response: Some(Secret(Message {
                    start: "HTTP/1.1 200 OK".to_owned(),
                    headers: headers.iter().map(header).collect(),
                    body: body.map(str::to_owned),
                    remark: None,
                })),
                ..Exchange::default()
            });
            self
        }

        /// A page that was asked for with a cursor, and gives another one.
        fn page(self, cursor: Option<u64>, issues: Option<u64>) -> Self {
            let issued = issues.map_or(IssuedCursor::Null, |cursor| {
                IssuedCursor::Hash(ValueHash(cursor))
            });
            self.respond(&[], None).with(|request| {
                request.cursor = cursor.map(ValueHash);
                request.cursor_issued = Some(issued);
            })
        }

        /// A response that leads elsewhere.
        fn moved(self, location: &str) -> Self {
            self.respond(&[("location", location)], None)
        }

        fn with(mut self, change: impl FnOnce(&mut WireRequest)) -> Self {
            change(self.0.entries.last_mut().expect("a request"));
            self
        }

        /// The line about the last response.
        fn remarked(mut self, remark: &str) -> Self {
            let last = self.0.exchanges.last_mut().expect("an exchange");
            let response = last.response.as_mut().expect("a response");
            response.0.remark = Some(remark.to_owned());
            self
        }

        /// The last response breaks off.
        fn broken_off(self, remark: &str) -> Self {
            self.remarked(remark).with(|request| request.ended = None)
        }

        fn facts(&self) -> Vec<String> {
            wire_facts(&self.0)
        }
    }

    const JSON: &[(&str, &str)] = &[("content-type", "application/json; charset=utf-8")];

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
            let script = Script::new().respond(&[("retry-after", sent)], None);
            let script = script.with(|request| request.retry_after = Some(asked));

            let sent = if sent.is_empty() { "(empty)" } else { sent };
            let shown = format!("request 1: Retry-After: {sent}{meaning}");
            assert_eq!(script.facts(), [shown]);
        }
    }

    #[test]
    fn what_became_of_a_job_is_said_with_its_key_and_its_body() {
        use wire::JobResult::{Conflict, Created, Rejected, Replayed};
        for (body, job, shown) in [
            (Some(7), Some(Created), ", body 1, a job was created"),
            (Some(7), Some(Replayed), ", body 1, the same job"),
            (Some(7), Some(Conflict), ", body 1, a conflict"),
            (Some(7), Some(Rejected), ", body 1"),
            (Some(7), None, ", body 1"),
            (None, None, ""),
        ] {
            let script = Script::new().respond(&[], None).with(|request| {
                request.idempotency_key = Some(ValueHash(3));
                request.body = body.map(ValueHash);
                request.job = job;
            });

            assert_eq!(script.facts(), [format!("request 1: key 1{shown}")]);
        }
    }

    #[test]
    fn a_media_type_is_shown_where_a_body_is_not_called_json() {
        let typed = |media_type, body| {
            let script = Script::new().respond(&[("content-type", media_type)], body);
            script.facts()
        };
        let nothing: [&str; 0] = [];

        let text = "request 1: Content-Type: text/plain; charset=utf-8";
        assert_eq!(typed("text/plain; charset=utf-8", Some("{}")), [text]);
        assert_eq!(typed("text/plain; charset=utf-8", None), nothing);
        assert_eq!(
            typed("Application/JSON ; charset=utf-8", Some("{}")),
            nothing
        );
        assert_eq!(typed("application/problem+json", Some("{}")), nothing);
        assert_eq!(Script::new().respond(&[], Some("{}")).facts(), nothing);
    }

    #[test]
    fn json_that_breaks_off_though_it_came_whole_is_shown() {
        let begins = |body: &str| Script::new().respond(JSON, Some(body)).facts();
        let long = format!("{{\"items\": [{}", "1, ".repeat(20));
        let spaces = format!("[{}1", " ".repeat(LONGEST));
        let just_as_long = format!("[{}", "1".repeat(LONGEST - 1));
        let cut = Script::new().respond(JSON, Some("{"));
        let cut = cut.remarked("the rest is not shown");

        let whole: [&str; 0] = [];
        assert_eq!(begins(r#"{"items": []}"#), whole);
        assert_eq!(cut.facts(), whole);
        let shown = |body: &str| [format!("request 1: the whole body is {body}")];
        assert_eq!(begins(r#"{"items": ["#), shown(r#"{"items": ["#));
        let beginning = r#"{"items": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 …"#;
        assert_eq!(begins(&long), shown(beginning));
        assert_eq!(begins(&spaces), shown("[ …"));
        assert_eq!(begins(&just_as_long), shown(&just_as_long));
    }

    #[test]
    fn a_response_that_broke_off_is_shown() {
        let whole = || Script::new().respond(&[], None).remarked("9 bytes of 20");

        let shown = "request 1: 200 OK, 9 bytes of 20";
        assert_eq!(whole().broken_off("9 bytes of 20").facts(), [shown]);
        assert_eq!(whole().facts(), [""; 0]);
    }

    #[test]
    fn requests_of_which_the_same_is_said_share_a_line() {
        let quiet = |script: Script| script.respond(&[], None);
        let one = || Script::new().moved("/a");
        let two = || one().moved("/a");

        for (script, numbers) in [
            (one(), "request 1"),
            (two(), "requests 1 and 2"),
            (two().moved("/a"), "requests 1–3"),
            (quiet(two()).moved("/a"), "requests 1, 2, 4"),
            (quiet(one()).moved("/a").moved("/a"), "requests 1, 3, 4"),
        ] {
            assert_eq!(script.facts(), [format!("{numbers}: Location: /a")]);
        }
        let other = ["request 1: Location: /a", "request 2: Location: /b"];
        assert_eq!(one().moved("/b").facts(), other);
        let both = [("location", "/a"), ("content-type", "text/plain")];
        let line = "request 1: Location: /a; Content-Type: text/plain";
        assert_eq!(Script::new().respond(&both, Some("x")).facts(), [line]);
    }

    #[test]
    fn beyond_a_few_lines_the_others_are_counted() {
        let of = |number: usize| {
            let places = (0..number).map(|number| format!("/{number}"));
            let script = places.fold(Script::new(), |script, position| script.moved(&position));
            script.facts()
        };

        assert_eq!(of(MOST).len(), MOST);
        assert_eq!(of(MOST + 2).len(), MOST + 1);
        assert_eq!(
            of(MOST + 2).last().map(String::as_str),
            Some("2 more like these")
        );
    }

    #[test]
    fn the_cursors_of_a_listing_are_shown_in_their_order() {
        let listing = |cursors: &[Option<u64>]| {
            let pages = cursors.iter().copied();
            pages.fold(Script::new(), |script, issues| script.page(None, issues))
        };
        let way = |cursors: &[Option<u64>]| listing(cursors).facts();
        let eight: Vec<_> = (1..=8).map(Some).collect();

        assert_eq!(way(&[Some(1)]), [""; 0]);
        assert_eq!(way(&[Some(1), Some(2), None]), ["cursor A → B → end"]);
        assert_eq!(way(&[Some(1), Some(1), Some(2)]), ["cursor A → B"]);
        assert_eq!(way(&[Some(1), Some(2), Some(1)]), ["cursor A → B → A"]);
        assert_eq!(way(&eight[..6]), ["cursor A → B → C → D → E → F"]);
        let more = "cursor A → B → C → D → E → F → …, 2 more";
        assert_eq!(way(&eight), [more]);
    }

    #[test]
    fn a_cursor_that_did_not_come_whole_or_to_one_call_is_on_no_way() {
        let pages = || Script::new().page(None, Some(1)).page(Some(1), Some(2));
        let lost = pages().broken_off("");
        let mut several = pages();
        several.0.one_call = false;
        let mut unrecorded = pages();
        unrecorded.0.exchanges.clear();

        assert_eq!(pages().facts(), ["cursor A → B"]);
        assert_eq!(lost.facts(), ["request 2: 200 OK, "]);
        assert_eq!(several.facts(), [""; 0]);
        assert_eq!(unrecorded.facts(), [""; 0]);
    }

    #[test]
    fn a_cursor_that_is_asked_for_again_is_named_with_both_requests() {
        let first = || Script::new().page(None, Some(1));
        let again = |script: Script| script.page(Some(1), None).page(Some(1), None);
        let said = |script: &Script| {
            let lines = script.facts().into_iter();
            let mut lines = lines.filter(|line| line.contains("both"));
            lines.next()
        };
        let refused = first().page(Some(1), None);
        let refused = refused
            .with(|request| request.status = Some(503))
            .page(Some(1), None);
        let broken = first().page(Some(1), None).broken_off("");
        let mut several = again(first());
        several.0.one_call = false;

        let words = |one, other| Some(format!("requests {one} and {other}: both with cursor A"));
        assert_eq!(said(&again(first())), words(2, 3));
        // The first page has no cursor to ask for again.
        assert_eq!(said(&again(first().page(None, Some(1)))), words(3, 4));
        for script in [refused, broken.page(Some(1), None), several] {
            assert_eq!(said(&script), None);
        }
    }
}
