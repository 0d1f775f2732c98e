//! When two bodies of a job are the same.
//!
//! They are if their JSON values are equal: white space and the order of members do not
//! matter. A number that is neither `i64` nor `u64` may have lost digits in its value, so
//! that two numbers could be taken for one, and a new job for a replay. A body with such a
//! number is compared byte for byte.

use ring::digest;
use serde_json::Value;

/// The digest of a body. Equal bodies have equal digests.
pub(crate) type BodyDigest = [u8; 32];

/// The body cannot be a job.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotAJob {
    /// It is not JSON, or nested more deeply than a parser follows.
    InvalidJson,
    /// It is JSON, but not an object.
    NotAnObject,
}

/// The digest of a body that is a JSON object.
pub(crate) fn digest(body: &[u8]) -> Result<BodyDigest, NotAJob> {
    let mut value: Value = serde_json::from_slice(body).map_err(|_| NotAJob::InvalidJson)?;
    if !value.is_object() {
        return Err(NotAJob::NotAnObject);
    }
    if !is_exact(&value) {
        return Ok(sha256(body));
    }
    // Another crate may have serde_json keep the order of members.
    value.sort_all_objects();
    Ok(sha256(value.to_string().as_bytes()))
}

fn sha256(bytes: &[u8]) -> BodyDigest {
    let mut digest = BodyDigest::default();
    digest.copy_from_slice(digest::digest(&digest::SHA256, bytes).as_ref());
    digest
}

/// Whether the value has every digit of the text that it was read from.
fn is_exact(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_i64() || number.is_u64(),
        Value::Array(elements) => elements.iter().all(is_exact),
        Value::Object(members) => members.values().all(is_exact),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers, some of which have every digit of their text.
    fn any_number() -> impl Strategy<Value = Value> {
        prop_oneof![
            (-3_i64..3).prop_map(Value::from),
            Just(Value::from(u64::MAX)),
            Just(Value::from(0.5)),
            Just(Value::from(1e300)),
        ]
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any_number(),
            "[ab\\\\\"\u{e9}]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::hash_map("[ab]{0,2}", inner, 0..3)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// An object with this value, its members in one order or the other.
    fn body(value: &Value, is_reversed: bool) -> String {
        if is_reversed {
            format!("{{ \"z\": 0, \"v\": {value:#} }}")
        } else {
            format!("{{\"v\":{value},\"z\":0}}")
        }
    }

    proptest! {
        #[test]
        fn equal_values_are_one_body_unless_a_number_is_inexact(
            one in any_value(),
            other in any_value(),
        ) {
            let of_one = digest(body(&one, false).as_bytes());
            let of_one_again = digest(body(&one, true).as_bytes());
            let of_other = digest(body(&other, false).as_bytes());

            prop_assert_eq!(of_one == of_one_again, is_exact(&one));
            prop_assert_eq!(of_one == of_other, one == other);
        }
    }

    #[test]
    fn numbers_whose_values_lose_digits_are_compared_byte_for_byte() {
        for (one, other) in [
            ("1", "1.0"),
            ("0.1", "0.10000000000000000001"),
            ("18446744073709551616", "18446744073709551617"),
            ("1e300", "1e+300"),
        ] {
            let [of_one, of_other] = [one, other]
                .map(|number| digest(format!("{{\"a\":[{number}]}}").as_bytes()).unwrap());

            assert_ne!(of_one, of_other, "{one} {other}");
        }
    }

    #[test]
    fn only_an_object_can_be_a_job() {
        for text in ["[]", "1", "\"{}\"", "null", " true "] {
            assert_eq!(digest(text.as_bytes()), Err(NotAJob::NotAnObject), "{text}");
        }
        for text in [
            "",
            "{",
            "{} {}",
            "{'a':1}",
            "{\"a\":01}",
            "{\"a\":\"\\ud800\"}",
        ] {
            assert_eq!(digest(text.as_bytes()), Err(NotAJob::InvalidJson), "{text}");
        }
        assert_eq!(digest(b"\xff"), Err(NotAJob::InvalidJson));
        let nested = format!("{{\"a\":{}", "[".repeat(1 << 20));
        assert_eq!(digest(nested.as_bytes()), Err(NotAJob::InvalidJson));
    }
}
