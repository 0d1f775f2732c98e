//! What a lesson is about, said in the words of the wire: the Retry-After as it was sent,
//! the way of the cursors, where a redirect leads, what a key came with.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Delivery, Exchange, IssuedCursor, JobResult, Message, Names, RetryAfterForm, WireRecord,
    WireRequest,
};

/// The most lines, and the most cursors in one of them.
const MOST: usize = 6;

/// The longest beginning of a broken body, in characters.
const LONGEST: usize = 48;

impl WireRecord {
    /// What its exchanges say that counts cannot, in a few lines: nothing of most runs.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let mut facts: Vec<(Vec<u64>, String)> = Vec::new();
        let names = Names::of(&self.entries);
        for request in &self.entries {
            let exchange = self.exchange(request.seq);
            let response = exchange.and_then(|it| it.response.as_ref());
            let of_request = [
                key_and_body(request, &names),
                response.and_then(|response| {
                    Some(format!("Retry-After: {}", retry_after(request, response)?))
                }),
                response.and_then(|response| {
                    Some(format!("Location: {}", response.header("location")?))
                }),
                response.and_then(media_type),
                response.and_then(broken_json),
                exchange.and_then(disturbed),
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
        Facts(
            facts
                .chain(rest)
                .chain(self.way_of_cursors(&names))
                .chain(self.asked_again(&names))
                .collect(),
        )
    }

    /// The exchange of the request with this number, if it was recorded.
    #[must_use]
    pub fn exchange(&self, seq: u64) -> Option<&Exchange> {
        let place = self.exchanges.partition_point(|it| it.seq < seq);
        self.exchanges.get(place).filter(|it| it.seq == seq)
    }

    /// The requests that carried one cursor, though the response to the first came whole: a
    /// crawl that went on from its checkpoint does so.
    fn asked_again(&self, names: &Names) -> Option<String> {
        let entries = self.entries.iter().filter(|_| self.one_caller);
        let whole: Vec<_> = entries
            .filter(|request| request.status == Some(200))
            .filter(|request| {
                let exchange = self.exchange(request.seq);
                exchange.is_some_and(|it| it.delivery == Delivery::Whole)
            })
            .collect();
        let pairs = whole.iter().zip(whole.iter().skip(1));
        let mut again = pairs.filter(|(one, other)| one.cursor == other.cursor);
        let (one, other) = again.next()?;
        let cursor = names.cursor(one.cursor?)?;
        Some(format!(
            "requests {} and {}: both with cursor {cursor}",
            one.seq, other.seq
        ))
    }

    /// The cursors that a listing was given, in order; none where several clients ask at
    /// once, or where nothing was recorded.
    fn way_of_cursors(&self, names: &Names) -> Option<String> {
        let received = |request: &&WireRequest| {
            let exchange = self.exchange(request.seq);
            exchange.is_some_and(|it| it.delivery == Delivery::Whole)
        };
        let entries = self.entries.iter().filter(|_| self.one_caller);
        let mut issued: Vec<_> = entries
            .filter(received)
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
}

/// What was said on the wire, line by line. It is the lab's own word to its client, so it
/// is shown, and like an exchange it is in no `Debug`.
#[derive(Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Facts(pub Vec<String>);

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Facts({} lines)", self.0.len())
    }
}

/// What was sent where the client got less of it.
fn disturbed(exchange: &Exchange) -> Option<String> {
    let response = exchange.response.as_ref()?;
    let remark = response.remark.as_ref()?;
    let status = response.start.split_once(' ')?.1;
    (exchange.delivery != Delivery::Whole).then(|| format!("{status}, {remark}"))
}

/// What key a submission came with, and what body.
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
    let media_type = response.header("content-type")?;
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    Some(essence == "application/json" || essence.ends_with("+json"))
}

/// The media type of a body that is not called JSON.
fn media_type(response: &Message) -> Option<String> {
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
