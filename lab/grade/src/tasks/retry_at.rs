//! The service names the time at which it will be back.

use judge::rules::{retry_after, retry_after_unusable};
use std::time::{Duration, SystemTime};
use wire::UnusableValue;

use crate::{
    Goal, TaskWords,
    draw::Draw,
    fixed_goal::failures_first,
    responder::{Received, Responder},
    responses::{unavailable_for, unavailable_with},
    task::{Case, PLAIN, Task},
    time_zone::{KOLKATA, PHOENIX},
};

/// How far ahead a date lies. It is cut to whole seconds, so the wait is longer than two
/// seconds, and longer than a usual backoff.
const AHEAD: Duration = Duration::from_secs(3);

/// How far ahead another date lies, so that no pause of one length suits both. A client may
/// accept no wait that is longer than five seconds.
const FURTHER_AHEAD: Duration = Duration::from_millis(4_900);

/// A reader of dates may take the value for a day that has passed.
const MINUS_ONE: Case = Case::new("503 twice with Retry-After: -1, then 200", |draw| {
    unusable(draw, UnusableValue("-1"))
});

/// A reader of numbers may take the value for zero.
const SOON: Case = Case::new("503 twice with Retry-After: soon, then 200", |draw| {
    unusable(draw, UnusableValue("soon"))
});

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "retry-at",
        path: "/value",
        text: "GET the URL and print the object in the response. The service fails once or twice, \
               and its Retry-After is a future date, a past date, or invalid.",
        goal: r#"the unchanged body of the 200, {"value": …}"#,
        hint: "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT asks for a wait until then. If the date \
               has passed, you may call at once. If the value is invalid, use your own backoff.",
        scenario: "retry-after-date",
        ..PLAIN.words
    },
    rules: &[&retry_after::RETRY_AFTER_DATE, &retry_after_unusable::RULE],
    cases: &[
        Case::new(
            "503 with a future date, then 200; TZ is Asia/Kolkata",
            ahead,
        )
        .in_zone(KOLKATA),
        Case::new(
            "503 with a date that has passed, then 200; TZ is America/Phoenix",
            passed,
        )
        .in_zone(PHOENIX),
        Case::new(
            "503 with a future date as in RFC 850, then 200; TZ is America/Phoenix",
            further_ahead,
        )
        .in_zone(PHOENIX),
        // Each value several times: many clients make only three attempts, the first retry of a
        // slow runtime takes longer than the others, and a verdict needs four gaps of each.
        MINUS_ONE,
        SOON,
        MINUS_ONE,
        SOON,
        MINUS_ONE,
        SOON,
        MINUS_ONE,
        SOON,
    ],
    ..PLAIN
};

/// The value of a Retry-After.
enum Says {
    Ahead,
    /// Further ahead, in the older format that a recipient must understand too (RFC 9110 §5.6.7).
    Rfc850,
    Passed(Duration),
}

impl Says {
    fn written(&self, now: SystemTime) -> String {
        match self {
            Self::Ahead => httpdate::fmt_http_date(now + AHEAD),
            Self::Rfc850 => rfc850(&httpdate::fmt_http_date(now + FURTHER_AHEAD)),
            Self::Passed(ago) => httpdate::fmt_http_date(now - *ago),
        }
    }
}

/// The same date in the format of RFC 850: a weekday in full, and a year of two digits.
fn rfc850(date: &str) -> String {
    let (weekday, rest) = date.split_once(", ").unwrap_or((date, ""));
    let weekday = match weekday {
        "Tue" => "Tuesday",
        "Wed" => "Wednesday",
        "Thu" => "Thursday",
        "Sat" => "Saturday",
        "Sun" => "Sunday",
        "Mon" => "Monday",
        _ => "Friday",
    };
    match *rest.split(' ').collect::<Vec<_>>() {
        [day, month, year, time, zone] => {
            let year = year.get(2..).unwrap_or_default();
            format!("{weekday}, {day}-{month}-{year} {time} {zone}")
        }
        _ => date.to_owned(),
    }
}

/// A failure that says this, and then a success.
fn saying(draw: &mut Draw, says: Says) -> Box<dyn Responder> {
    let failure = move |request: &Received| unavailable_for(&says.written(request.at));
    failures_first(draw, Goal::result, vec![failure])
}

/// Two failures whose Retry-After has this value, and then a success.
fn unusable(draw: &mut Draw, value: UnusableValue) -> Box<dyn Responder> {
    let failure = move |_: &Received| unavailable_with(value);
    failures_first(draw, Goal::result, vec![failure; 2])
}

fn ahead(draw: &mut Draw) -> Box<dyn Responder> {
    saying(draw, Says::Ahead)
}

fn further_ahead(draw: &mut Draw) -> Box<dyn Responder> {
    saying(draw, Says::Rfc850)
}

fn passed(draw: &mut Draw) -> Box<dyn Responder> {
    let ago = Duration::from_secs(draw.number(2..=7_200));
    saying(draw, Says::Passed(ago))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use http::{HeaderMap, StatusCode, header::RETRY_AFTER};
    use wire::RetryAfter;

    use super::*;

    /// The Retry-After values of a case's failures, and the status after them.
    fn said(mut responder: Box<dyn Responder>, request: &Received) -> (Vec<String>, StatusCode) {
        let mut said = Vec::new();
        loop {
            let response = responder.respond(request).response;
            match response.headers().get(RETRY_AFTER) {
                Some(value) => said.push(value.to_str().expect("text").to_owned()),
                None => return (said, response.status()),
            }
        }
    }

    #[test]
    fn a_date_lies_seconds_ahead_or_has_passed() {
        for millis in [0, 1, 500, 999] {
            let mut draw = Draw::new(7, "retry-at", 0);
            let request = Received {
                at: SystemTime::UNIX_EPOCH + Duration::from_millis(1_000_000_000 + millis),
                ..Received::of("/value")
            };
            let wait = |said: &[String]| {
                let date = httpdate::parse_http_date(&said[0]).expect("a date");
                date.duration_since(request.at).ok()
            };

            let (to_come, then) = said(ahead(&mut draw), &request);
            let (later, _) = said(further_ahead(&mut draw), &request);
            let (passed, _) = said(passed(&mut draw), &request);

            for (said, ahead) in [(&to_come, AHEAD), (&later, FURTHER_AHEAD)] {
                let cut = ahead - Duration::from_secs(1)..=ahead;
                assert!(wait(said).is_some_and(|wait| cut.contains(&wait)));
            }
            assert_eq!(wait(&passed), None);
            assert_eq!((to_come.len(), passed.len(), then), (1, 1, StatusCode::OK));
        }
    }

    #[test]
    fn an_rfc_850_date_is_the_same_moment() {
        for days in 0..14 {
            let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000 + days * 86_400);
            let new = httpdate::fmt_http_date(now + FURTHER_AHEAD);
            let old = Says::Rfc850.written(now);

            assert_ne!(new, old);
            assert_eq!(
                httpdate::parse_http_date(&new).expect("a date"),
                httpdate::parse_http_date(&old).expect("a date"),
                "{old}"
            );
        }
    }

    #[test]
    fn four_cases_have_one_invalid_value_and_four_another_and_each_is_named_by_it() {
        let cases = TASK.cases.iter();
        let cases = cases.filter(|case| case.time_zone.is_none());
        let mut values = BTreeMap::<_, u32>::new();
        for case in cases {
            let responder = (case.responder)(&mut Draw::new(7, "retry-at", 0));
            let (said, then) = said(responder, &Received::of("/value"));
            let value = said[0].clone();

            assert_eq!((said, then), (vec![value.clone(); 2], StatusCode::OK));
            let name = format!("503 twice with Retry-After: {value}, then 200");
            assert_eq!(case.name, name);
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().expect("text"))]);
            let read = RetryAfter::of(&headers, SystemTime::now);
            assert!(read.is_some_and(|read| !read.is_usable()), "{value:?}");
            *values.entry(value).or_default() += 1;
        }
        let expected = [("-1".to_owned(), 4), ("soon".to_owned(), 4)];
        assert_eq!(values, expected.into());
    }
}
