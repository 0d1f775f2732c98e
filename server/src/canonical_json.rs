//! When are two JSON texts the same value?
//!
//! The result is a digest: equal values have equal digests. White space, the
//! order of members and the spelling of strings and numbers do not matter, so `1`,
//! `1.0` and `1e0` are one value. Numbers are compared as decimals of any length:
//! through `f64` two large numbers could be taken for one, and a different body
//! would be taken for a replay.
//!
//! A text that leaves its meaning open is refused and not guessed at: a member
//! name given twice (RFC 8259 §4), or an exponent that does not fit 64 bits.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

/// Containers inside containers beyond this are refused (RFC 8259 §9), so that no
/// text can exhaust the stack.
const MAX_DEPTH: usize = 127;

/// The digest of a JSON value.
pub(crate) type JsonDigest = [u8; 32];

/// The text is not JSON, or not JSON with one meaning.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotJson;

/// Reads a JSON text to the end: the digest of an object; none of any other value.
pub(crate) fn read(text: &[u8]) -> Result<Option<JsonDigest>, NotJson> {
    let text = std::str::from_utf8(text).map_err(|_| NotJson)?;
    check_depth(text)?;
    let value: &RawValue = serde_json::from_str(text).map_err(|_| NotJson)?;
    let mut digest = Sha256::new();
    write(value, &mut digest)?;
    let is_object = value.get().starts_with('{');
    Ok(is_object.then(|| digest.finalize().into()))
}

/// Counts brackets outside of strings. It runs before the parser, which would
/// otherwise have to be trusted with the depth.
fn check_depth(text: &str) -> Result<(), NotJson> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            // Outside of a string it is not JSON, which is for the parser to say.
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(NotJson);
        }
    }
    Ok(())
}

/// Each value begins with a letter for its kind, and each part of unknown length
/// with its length: no two values can write the same bytes.
fn write(value: &RawValue, digest: &mut Sha256) -> Result<(), NotJson> {
    match value.get().as_bytes().first() {
        Some(b'{') => {
            let Members(members) = parse(value)?;
            begin(digest, b'o', members.len());
            for (name, value) in members {
                part(digest, b's', &name);
                write(value, digest)?;
            }
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = parse(value)?;
            begin(digest, b'a', elements.len());
            for element in elements {
                write(element, digest)?;
            }
        }
        Some(b'"') => {
            let text: String = parse(value)?;
            part(digest, b's', &text);
        }
        Some(b't' | b'f' | b'n') => {
            part(digest, b'l', value.get());
        }
        _ => {
            let number = Decimal::read(value.get()).ok_or(NotJson)?;
            part(digest, b'd', &number.digits);
            digest.update([u8::from(number.negative)]);
            digest.update(number.exponent.to_be_bytes());
        }
    }
    Ok(())
}

fn begin(digest: &mut Sha256, kind: u8, length: usize) {
    digest.update([kind]);
    digest.update((length as u64).to_be_bytes());
}

fn part(digest: &mut Sha256, kind: u8, text: &str) {
    begin(digest, kind, text.len());
    digest.update(text);
}

fn parse<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Result<T, NotJson> {
    serde_json::from_str(value.get()).map_err(|_| NotJson)
}

/// The members of an object in the order of their names, each named once.
struct Members<'a>(BTreeMap<String, &'a RawValue>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Unique;

        impl<'de> Visitor<'de> for Unique {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object whose members have distinct names")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = BTreeMap::new();
                while let Some((name, value)) = map.next_entry()? {
                    if members.insert(name, value).is_some() {
                        return Err(A::Error::custom("a member name is given twice"));
                    }
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Unique)
    }
}

/// A number as `digits × 10^exponent`, with no zero at either end of the digits.
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Reads a number that is already known to follow JSON's grammar.
    fn read(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_matches('0');
        if digits.is_empty() {
            // Zero has neither a sign nor a magnitude: -0 and 0e9 are 0.
            return Some(Self {
                negative: false,
                digits: String::new(),
                exponent: 0,
            });
        }
        let trailing_zeros = all.len() - all.trim_end_matches('0').len();
        let exponent = exponent
            .parse::<i64>()
            .ok()?
            .checked_sub(i64::try_from(fraction.len()).ok()?)?
            .checked_add(i64::try_from(trailing_zeros).ok()?)?;
        Some(Self {
            negative,
            digits: digits.to_owned(),
            exponent,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::{MAX_DEPTH, NotJson, read};
    use crate::testing::nearly;

    fn same(one: &str, other: &str) -> bool {
        let wrap = |text: &str| read(format!("{{\"v\":{text}}}").as_bytes()).unwrap();
        wrap(one) == wrap(other)
    }

    #[test]
    fn spelling_does_not_matter() {
        let table = [
            ("1", "1.0"),
            ("1", "1e0"),
            ("1", "10E-1"),
            ("100", "1e+2"),
            ("0", "-0"),
            ("0", "0.000e999999999999999999999"),
            ("-2.50", "-25e-1"),
            ("1200", "1.2e3"),
            ("0.0012", "12E-4"),
            ("-0.050e-7", "-5e-9"),
            ("\"a\"", "\"\\u0061\""),
            ("[1,2]", " [ 1 , 2 ] "),
            ("{\"a\":1,\"b\":2}", "{ \"b\": 2, \"a\": 1 }"),
        ];

        for (one, other) in table {
            assert!(same(one, other), "{one} and {other} are one value");
        }
    }

    #[test]
    fn different_values_differ() {
        let table = [
            ("1", "2"),
            ("1", "-1"),
            ("1", "10"),
            ("1", "\"1\""),
            ("18446744073709551617", "18446744073709551616"),
            ("1e400", "1e401"),
            ("1e-7", "1e7"),
            ("0.01", "0.1"),
            ("120", "1200"),
            ("0.1", "0.10000000000000000001"),
            ("true", "\"true\""),
            ("null", "false"),
            ("[1,2]", "[2,1]"),
            ("[]", "{}"),
            ("[[],[]]", "[[[]]]"),
            ("[\"ab\"]", "[\"a\",\"b\"]"),
            ("{\"a\":null}", "{}"),
        ];

        for (one, other) in table {
            assert!(!same(one, other), "{one} and {other} are two values");
        }
    }

    #[test]
    fn only_an_object_is_an_object() {
        for text in ["[]", "1", "\"{}\"", "null", " true "] {
            assert_eq!(read(text.as_bytes()), Ok(None), "{text}");
        }
        assert!(matches!(read(b" {} "), Ok(Some(_))));
    }

    #[test]
    fn refuses_what_is_not_json_with_one_meaning() {
        let table: [&[u8]; 13] = [
            b"",
            b"{",
            b"{} {}",
            b"{'a':1}",
            b"{\"a\":01}",
            b"{\"a\":+1}",
            b"{\"a\":NaN}",
            b"{\"a\":1,}",
            b"{\"a\":1,\"a\":1}",
            b"{\"a\":[{\"b\":1,\"\\u0062\":2}]}",
            b"{\"a\":\"\\ud800\"}",
            b"{\"a\":1e9223372036854775808}",
            b"\xff",
        ];

        for text in table {
            let shown = String::from_utf8_lossy(text);
            assert_eq!(read(text), Err(NotJson), "{shown}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);

        assert_eq!(read(nested(MAX_DEPTH).as_bytes()), Ok(None));
        assert_eq!(read(nested(MAX_DEPTH + 1).as_bytes()), Err(NotJson));
        assert_eq!(read("[".repeat(1 << 20).as_bytes()), Err(NotJson));
        let side_by_side = format!("[{}[]]", "[],".repeat(500));
        assert_eq!(read(side_by_side.as_bytes()), Ok(None));
    }

    #[test]
    fn brackets_in_a_string_are_not_nesting() {
        // An escaped quote does not end the string, and an escaped backslash does
        // not escape the quote behind it.
        for start in ["", "\\\"", "\\\\\",\""] {
            for bracket in ["[", "{"] {
                let text = format!("[\"{start}{}\"]", bracket.repeat(500));

                assert_eq!(read(text.as_bytes()), Ok(None), "{text}");
            }
        }
        // Each string would take back the bracket before it, if it could.
        for bracket in ["]", "}"] {
            let nested = format!("[\"{bracket}\",").repeat(MAX_DEPTH + 1);
            let text = format!("{nested}0{}", "]".repeat(MAX_DEPTH + 1));

            assert_eq!(read(text.as_bytes()), Err(NotJson), "{text}");
        }
    }

    /// Values without fractions, whose equality serde_json decides exactly.
    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3_i64..3).prop_map(Value::from),
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

    /// What JSON consists of, and what nearly does. None of it has a colon in a string.
    const PIECES: [&str; 22] = [
        "", "", "", " ", "\t", ",", "{", "}", "[", "]", "\"", "\\", "\\u0061", "\"a\":1,", "0",
        "-", "1.50", "1e2", "E+", "null", "\u{feff}", "\0",
    ];

    /// How many members there are in a value, at any depth.
    fn members(value: &Value) -> usize {
        match value {
            Value::Array(elements) => elements.iter().map(members).sum(),
            Value::Object(object) => object.len() + object.values().map(members).sum::<usize>(),
            _ => 0,
        }
    }

    proptest! {
        /// Two texts are one value exactly where serde_json finds their values equal.
        #[test]
        fn agrees_with_the_equality_of_values(one in any_value(), other in any_value()) {
            let read = |text: String| read(format!("{{\"v\":{text}}}").as_bytes()).unwrap();
            let compact = read(one.to_string());
            let pretty = read(format!("{one:#}"));

            prop_assert_eq!(compact, pretty);
            prop_assert_eq!(compact == read(other.to_string()), one == other);
        }

        /// A text has one meaning where serde_json reads it and finds as many members as
        /// there are colons: of a name given twice it keeps one.
        #[test]
        fn reads_what_has_one_meaning_and_nothing_else(
            text in nearly(any_value().prop_map(|value| value.to_string()), &PIECES),
        ) {
            let value: Option<Value> = serde_json::from_str(&text).ok();
            let value = value.filter(|value| members(value) == text.matches(':').count());

            let read_value = value.map(|value| read(value.to_string().as_bytes()));

            prop_assert_eq!(read(text.as_bytes()), read_value.unwrap_or(Err(NotJson)));
        }

    }
}
