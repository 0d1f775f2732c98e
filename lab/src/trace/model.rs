//! A recorded trace as plain values: what renderers, exporters and verdicts
//! read.
//!
//! Nothing here knows a clock or a subscriber. All times are offsets from the
//! start of the run on the run's own clock, so a wait of two minutes in
//! virtual time is two minutes here.

use std::{
    fmt,
    num::{NonZeroU64, NonZeroU128},
    time::Duration,
};

use serde::{Serialize, Serializer};

use super::vocabulary::{SpanKind, SpanName, field};

/// Names a trace: 16 bytes, shown as 32 lower-case hex digits.
///
/// All zeros cannot be expressed, because W3C Trace Context calls that invalid.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceId(pub(super) NonZeroU128);

/// Names a span within its trace: 8 bytes, shown as 16 lower-case hex digits.
///
/// All zeros cannot be expressed, because W3C Trace Context calls that invalid.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpanId(pub(super) NonZeroU64);

impl TraceId {
    /// Reads exactly 32 lower-case hex digits that are not all zero.
    #[must_use]
    pub fn from_hex(hex: &str) -> Option<Self> {
        let hex = lower_hex(hex, 32)?;
        NonZeroU128::new(u128::from_str_radix(hex, 16).ok()?).map(Self)
    }

    /// The 16 bytes in network order, as OTLP carries them.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.get().to_be_bytes()
    }
}

impl SpanId {
    /// Reads exactly 16 lower-case hex digits that are not all zero.
    #[must_use]
    pub fn from_hex(hex: &str) -> Option<Self> {
        let hex = lower_hex(hex, 16)?;
        NonZeroU64::new(u64::from_str_radix(hex, 16).ok()?).map(Self)
    }

    /// The 8 bytes in network order, as OTLP carries them.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 8] {
        self.0.get().to_be_bytes()
    }
}

/// `from_str_radix` alone would take a sign and upper-case digits, which the
/// header must not have.
fn lower_hex(hex: &str, digits: usize) -> Option<&str> {
    let valid = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (hex.len() == digits && hex.bytes().all(valid)).then_some(hex)
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TraceId({self})")
    }
}

impl fmt::Debug for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SpanId({self})")
    }
}

impl Serialize for TraceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for SpanId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Where a span stands: what a `traceparent` header carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SpanContext {
    /// The trace the span belongs to.
    pub trace_id: TraceId,
    /// The span itself.
    pub span_id: SpanId,
}

/// The value of one field, in the type it was recorded with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// Text, exactly as it came. A renderer decides what is safe to print.
    Str(String),
    /// A signed number.
    I64(i64),
    /// An unsigned number.
    U64(u64),
    /// A number with a fraction.
    F64(f64),
    /// Yes or no.
    Bool(bool),
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Str(text) => text.fmt(f),
            Self::I64(number) => number.fmt(f),
            Self::U64(number) => number.fmt(f),
            Self::F64(number) => number.fmt(f),
            Self::Bool(yes) => yes.fmt(f),
        }
    }
}

/// The fields of a span in the order they were first recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(Vec<(&'static str, FieldValue)>);

impl Fields {
    /// Sets a field, in place if it is there already.
    pub fn set(&mut self, name: &'static str, value: FieldValue) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// The value of a field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&FieldValue> {
        self.iter()
            .find_map(|(known, value)| (known == name).then_some(value))
    }

    /// The value of a field that holds text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            FieldValue::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a field that holds a whole number from zero up, whichever
    /// integer type it was recorded with.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        match *self.get(name)? {
            FieldValue::U64(number) => Some(number),
            FieldValue::I64(number) => number.try_into().ok(),
            _ => None,
        }
    }

    /// The value of a field that holds seconds, if they are a length of time:
    /// finite and not negative.
    #[must_use]
    pub fn seconds(&self, name: &str) -> Option<Duration> {
        match *self.get(name)? {
            FieldValue::F64(seconds) => Duration::try_from_secs_f64(seconds).ok(),
            _ => None,
        }
    }

    /// All fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &FieldValue)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

impl IntoIterator for Fields {
    type Item = (&'static str, FieldValue);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<(&'static str, FieldValue)> for Fields {
    fn from_iter<I: IntoIterator<Item = (&'static str, FieldValue)>>(fields: I) -> Self {
        let mut all = Self::default();
        for (name, value) in fields {
            all.set(name, value);
        }
        all
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// One stretch of time in a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// Names the span within its trace.
    pub id: SpanId,
    /// The span it was opened under. It need not be in the trace: a foreign
    /// client's span is known by its id alone.
    pub parent: Option<SpanId>,
    /// The trace the span belongs to.
    pub trace_id: TraceId,
    /// What the span is about.
    pub name: SpanName,
    /// When it was opened.
    #[serde(rename = "start_ns", serialize_with = "nanoseconds")]
    pub start: Duration,
    /// When it was closed; `None` while it is open.
    #[serde(rename = "end_ns", serialize_with = "optional_nanoseconds")]
    pub end: Option<Duration>,
    /// What was recorded about it.
    pub fields: Fields,
}

impl Span {
    /// Which side of a call the span stands on.
    #[must_use]
    pub fn kind(&self) -> SpanKind {
        self.name.kind()
    }

    /// What a person calls the span: its `otel.name`, or else its plain name.
    #[must_use]
    pub fn title(&self) -> &str {
        self.fields
            .text(field::OTEL_NAME)
            .unwrap_or(self.name.as_str())
    }

    /// Whether it has been marked as failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.fields.text(field::OTEL_STATUS_CODE) == Some("ERROR")
    }
}

/// A tree of spans that belong to one cause.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trace {
    /// Names the trace.
    pub id: TraceId,
    /// The spans in the order they started.
    pub spans: Vec<Span>,
    /// How many spans found the trace full and were not kept.
    pub dropped_spans: u64,
    /// When this picture was taken: an open span has lasted at least until
    /// then.
    #[serde(rename = "taken_at_ns", serialize_with = "nanoseconds")]
    pub taken_at: Duration,
}

impl Trace {
    /// The spans that stand under no other span of this trace.
    pub fn roots(&self) -> impl Iterator<Item = &Span> {
        self.spans
            .iter()
            .filter(|span| span.parent.is_none_or(|parent| self.span(parent).is_none()))
    }

    /// The spans directly under a span, in the order they started.
    pub fn children_of(&self, parent: SpanId) -> impl Iterator<Item = &Span> {
        self.spans
            .iter()
            .filter(move |span| span.parent == Some(parent))
    }

    /// A span by its id.
    #[must_use]
    pub fn span(&self, id: SpanId) -> Option<&Span> {
        self.spans.iter().find(|span| span.id == id)
    }
}

/// Whole nanoseconds fit a JSON number; five centuries and more are cut to
/// what does.
fn nanoseconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

fn optional_nanoseconds<S: Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => nanoseconds(time, serializer),
        None => serializer.serialize_none(),
    }
}
