//! Both sides read headers alike: every learner would meet a header that one of them
//! takes and the other refuses.

use std::time::{Duration, SystemTime};

use client::{FINAL_STATUSES, IdempotencyKey, RetryAfter};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header::RETRY_AFTER};
use proptest::{prelude::*, sample::select};
use tests::{client, job, respond, says, wait};
use wire::{media_type, status::is_final};

/// Characters of media types, and some that they do not have.
const PIECES: &str = "(application|APPLICATION|text|json|Json|[+]json|[+]JSON|x|vnd[.]api\
                      |/|/|/|;| |\t|=|\"|,|charset=utf-8|[+]|[*]|\u{e9}){0,5}";

/// A moment from 2020 to 2068.
fn any_time() -> impl Strategy<Value = SystemTime> {
    let (from, to) = (1_577_836_800_u64, 3_124_224_000);
    (from..to, 0_u32..1_000_000_000)
        .prop_map(|(seconds, nanos)| SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos))
}

/// A date in one of the three formats (RFC 9110 §5.6.7), a number, or neither.
fn any_retry_after() -> impl Strategy<Value = String> {
    let date = (
        "(Sun|Mon|Thursday)",
        "( [1-9]|0[1-9]|3[01])",
        "(Nov|Feb)",
        0_u32..100,
        "[0-2][0-9]:59:[0-6][0-9]",
    );
    let date = date.prop_flat_map(|(weekday, day, month, year, time)| {
        select(vec![
            format!("{weekday}, {day} {month} 20{year:02} {time} GMT"),
            format!("{weekday}, {day}-{month}-{year:02} {time} GMT"),
            format!("{weekday} {month} {day} {time} 20{year:02}"),
        ])
    });
    let real = any_time().prop_map(httpdate::fmt_http_date);
    prop_oneof![
        "[ \t]?[0-9]{1,25}[ \t]?",
        "[-+. 0-9a-zA-Z,:]{0,12}",
        date,
        real
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_key_is_one_to_the_client_where_it_is_one_to_the_service(
        key in prop_oneof!["[!-~]{0,12}", "[ -~\t\u{e9}]{0,4}", "[a-z]{250,260}"],
    ) {
        let value = HeaderValue::from_bytes(key.as_bytes())?;

        let served = respond([job(&HeaderValue::from_static("application/json"), &value, b"{}")]);

        let status = served[0].status();
        prop_assert_eq!(IdempotencyKey::new(&key).is_ok(), status == StatusCode::CREATED);
        prop_assert!(status == StatusCode::CREATED || status == StatusCode::BAD_REQUEST);
    }

    #[test]
    fn a_media_type_is_json_to_the_client_where_it_is_to_the_service(
        pieces in PIECES,
    ) {
        let value = HeaderValue::from_bytes(pieces.as_bytes())?;
        says(Response::builder().header("content-type", &value).body(b"{}".to_vec())?);

        let read = wait(client().bad_json());
        let served = respond([job(&value, &HeaderValue::from_static("k"), b"{}")]);

        let (status, is_json) = (served[0].status(), media_type::is_json(value.as_bytes()));
        prop_assert_eq!(read.is_ok(), is_json, "{:?}", value);
        prop_assert_eq!(is_json, status == StatusCode::CREATED, "{:?}", value);
        prop_assert!(status == StatusCode::CREATED || status == StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }

    #[test]
    fn a_status_is_final_to_the_client_where_it_is_to_the_judge(status in 100_u16..1000) {
        let parsed = StatusCode::from_u16(status);
        let to_the_client = parsed.is_ok_and(|parsed| FINAL_STATUSES.contains(&parsed));

        prop_assert_eq!(to_the_client, is_final(status));
    }

    /// A client that keeps to what it read is never early to the judge of the wire.
    #[test]
    fn a_client_waits_for_as_long_as_the_service_notes_at_least(
        value in any_retry_after(), now in any_time(),
    ) {
        let value = HeaderValue::from_str(&value)?;
        let headers = HeaderMap::from_iter([(RETRY_AFTER, value.clone())]);
        let read = RetryAfter::from_headers(&headers, now).and_then(RetryAfter::wait);
        let noted = wire::RetryAfter::of(&headers, || now).map(wire::RetryAfter::wait);
        prop_assert!(noted.unwrap_or_default() <= read.unwrap_or_default(), "{noted:?}, {read:?}");
    }
}
