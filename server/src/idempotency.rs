//! Idempotency: the key rule and the table of records.
//!
//! The table is a pure state machine; it knows no lock, no clock and no HTTP.
//! Nothing is ever evicted, since a forgotten key would turn a replay into a
//! second job: a full table refuses new keys and goes on serving the old ones.

use std::collections::HashMap;

use host::{IDEMPOTENCY_KEY, Problem};
use http::HeaderMap;

use crate::job_body::BodyDigest;
use crate::problem;
use wire::header_lines::single;

/// The longest key that is accepted, in characters.
pub(crate) const MAX_KEY_LENGTH: usize = 255;

/// A key that follows the rule: 1 to 255 printable ASCII characters, no spaces.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct IdempotencyKey(Box<str>);

impl IdempotencyKey {
    /// The key in the headers. Two header lines are invalid.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Result<Self, Problem> {
        if !headers.contains_key(IDEMPOTENCY_KEY) {
            return Err(problem::IDEMPOTENCY_KEY_MISSING);
        }
        single(headers, &IDEMPOTENCY_KEY)
            .and_then(|line| Self::parse(line.as_bytes()))
            .ok_or(problem::IDEMPOTENCY_KEY_INVALID)
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let is_valid =
            (1..=MAX_KEY_LENGTH).contains(&text.len()) && text.iter().all(u8::is_ascii_graphic);
        is_valid.then(|| Self(text.iter().copied().map(char::from).collect()))
    }
}

/// The result of a submission. Jobs are numbered from zero in order of creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Submission {
    /// The key was unknown: it is now bound to the body and to this new job.
    Created(u64),
    /// The key is bound to this same body: its job is named again.
    Replayed(u64),
    /// The key is bound to another body. Nothing changed.
    Conflict,
    /// The key is unknown and the table is full. Nothing changed.
    Full,
}

#[derive(Debug)]
struct Record {
    body: BodyDigest,
    job: u64,
}

/// The keys seen so far, each bound to a body and a job for good.
pub(crate) struct Records {
    capacity: usize,
    bound: HashMap<IdempotencyKey, Record>,
}

impl Records {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            bound: HashMap::new(),
        }
    }

    /// Takes a submission to its record.
    pub(crate) fn submit(&mut self, key: IdempotencyKey, body: BodyDigest) -> Submission {
        match self.bound.get(&key) {
            Some(record) if record.body == body => Submission::Replayed(record.job),
            Some(_) => Submission::Conflict,
            None if self.bound.len() >= self.capacity => Submission::Full,
            None => {
                let job = self.bound.len() as u64;
                self.bound.insert(key, Record { body, job });
                Submission::Created(job)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn key(lines: &[&[u8]]) -> Result<(), Problem> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(IDEMPOTENCY_KEY, HeaderValue::from_bytes(line).unwrap());
        }
        IdempotencyKey::from_headers(&headers).map(drop)
    }

    #[test]
    fn a_key_is_one_line_of_printable_ascii_without_spaces() {
        let (longest, too_long) = ([b'k'; 255], [b'k'; 256]);
        for valid in [&b"k"[..], b"!", b"~", b"a,b;c=\"d\"", &longest] {
            assert_eq!(key(&[valid]), Ok(()), "{valid:?}");
        }
        let refused = Err(problem::IDEMPOTENCY_KEY_INVALID);
        for invalid in [
            &b""[..],
            b"a b",
            b"a\tb",
            b"caf\xc3\xa9",
            b"\x80",
            &too_long,
        ] {
            assert_eq!(key(&[invalid]), refused, "{invalid:?}");
        }
        assert_eq!(key(&[]), Err(problem::IDEMPOTENCY_KEY_MISSING));
        assert_eq!(key(&[b"k", b"k"]), refused);
    }

    /// A table has one byte more for each place, and after it has grown almost two places
    /// for each record. A key of up to 32 characters takes as many bytes of its own.
    #[test]
    fn a_record_takes_at_most_175_bytes() {
        let place = size_of::<(IdempotencyKey, Record)>() + 1;

        assert!(place * 16 / 7 + 32 <= 175, "{place}");
    }

    proptest! {
        /// Whatever is submitted, the table behaves as a plain map would.
        #[test]
        fn agrees_with_a_plain_map(
            capacity in 0_usize..6,
            submissions in prop::collection::vec((0_u8..8, 0_u8..3), 0..60),
        ) {
            let mut records = Records::new(capacity);
            let mut model: HashMap<u8, (u8, u64)> = HashMap::new();

            for (key, body) in submissions {
                let expected = match model.get(&key) {
                    Some((bound, job)) if *bound == body => Submission::Replayed(*job),
                    Some(_) => Submission::Conflict,
                    None if model.len() == capacity => Submission::Full,
                    None => {
                        let job = model.len() as u64;
                        model.insert(key, (body, job));
                        Submission::Created(job)
                    }
                };

                let key = IdempotencyKey::parse(format!("key-{key}").as_bytes()).unwrap();
                prop_assert_eq!(records.submit(key, [body; 32]), expected);
            }
        }
    }
}
