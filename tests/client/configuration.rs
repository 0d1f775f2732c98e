//! Settings and requests that are refused before anything is sent.

use std::time::Duration;

use client::{
    IdempotencyKey, ListingLimits,
    teaching::{Builder, ReliableApiClient},
};
use http::StatusCode;
use serde_json::{Value, json as value};

#[test]
fn an_illegal_setting_is_refused_before_anything_is_sent() {
    settings_that_break_a_rule();
    base_urls_that_break_a_rule();
    limits_from_outside();
    idempotency_keys();
}

fn settings_that_break_a_rule() {
    type Change = fn(Builder) -> Builder;
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    const MS: Duration = Duration::from_millis(1);
    let rules: [(Change, &str); 16] = [
        (|builder| builder.max_pages(0), "max_pages"),
        (|builder| builder.max_items(0), "max_items"),
        (|builder| builder.page_size(0), "page_size"),
        (|builder| builder.max_attempts(0), "max_attempts"),
        (|builder| builder.max_body_bytes(0), "max_body_bytes"),
        (
            |builder| builder.timeouts(Duration::ZERO, MS),
            "connect timeout",
        ),
        (
            |builder| builder.timeouts(MS, Duration::ZERO),
            "read timeout",
        ),
        (
            |builder| builder.timeouts(MS, Duration::MAX),
            "read timeout",
        ),
        (
            |builder| builder.max_retry_after(DAY + MS),
            "max_retry_after",
        ),
        (
            |builder| builder.retry_after_spread(DAY + MS),
            "retry_after_spread",
        ),
        (
            |builder| builder.retry_statuses([StatusCode::CONFLICT]),
            "409",
        ),
        (|builder| builder.deadline(Duration::ZERO), "deadline"),
        (|builder| builder.deadline(DAY + MS), "deadline"),
        (
            |builder| builder.backoff(Duration::ZERO, MS),
            "backoff's base must be longer",
        ),
        (
            |builder| builder.backoff(2 * MS, MS),
            "backoff's base must be at most its cap",
        ),
        (|builder| builder.backoff(MS, DAY + MS), "backoff's cap"),
    ];
    for (change, field) in rules {
        let builder = change(ReliableApiClient::builder("http://127.0.0.1:8765"));

        let error = builder.build().expect_err(field).to_string();

        assert!(error.contains(field), "{field} is not named: {error}");
    }
    let longest = ReliableApiClient::builder("http://127.0.0.1:8765");
    let longest = longest.timeouts(DAY, DAY).max_retry_after(DAY);
    let longest = longest.retry_after_spread(DAY).deadline(DAY);
    longest.backoff(DAY, DAY).build().expect("a day each");
}

fn base_urls_that_break_a_rule() {
    for (base_url, part) in [
        ("", ""),
        ("127.0.0.1:8765", ""),
        ("ftp://127.0.0.1", ""),
        ("http://someone:secret@127.0.0.1", "user name or password"),
        ("http://token@127.0.0.1", "user name or password"),
        ("http://127.0.0.1?api_key=secret", "query"),
        ("http://127.0.0.1/#top", "fragment"),
    ] {
        let error = ReliableApiClient::builder(base_url).build();
        let error = error.expect_err(base_url).to_string();

        let named = error.contains("base_url") && error.contains(part);
        assert!(named, "{base_url:?}: {error}");
    }
}

fn limits_from_outside() {
    let read = |name: &str, value: &Value| {
        serde_json::from_value::<ListingLimits>(value!({ name: value }))
    };
    for name in ["max_pages", "max_items"] {
        for refused in [value!(0), value!(-3), value!(2.0), value!(true)] {
            let error = read(name, &refused).expect_err("no positive integer");

            assert!(error.is_data(), "{name} {refused}: {error}");
        }
        for number in [1, 100, u32::MAX] {
            let limits = read(name, &value!(number)).expect("a positive integer");

            let mut expected = value!({ "max_pages": 100, "max_items": 1000 });
            expected[name] = number.into();
            let found = value!({
                "max_pages": limits.max_pages,
                "max_items": limits.max_items,
            });
            assert_eq!(found, expected, "{name}");
        }
    }
}

fn idempotency_keys() {
    for (key, is_one) in [
        ("order-4711/\"x\"", true),
        ("", false),
        ("two words", false),
        ("schlüssel", false),
    ] {
        assert_eq!(IdempotencyKey::new(key).is_ok(), is_one, "{key:?}");
    }
}
