//! Spans written as text, for tests.

use std::{num::NonZeroU64, num::NonZeroU128, time::Duration};

use super::{FieldValue, Span, SpanId, SpanName, Trace, TraceId};

/// How the names of the client's own fields begin.
const CLIENT: &str = "reliable_api_client.";

/// A span such as `wait 10-20 wait.seconds=0.1 retry.reason='503'`: its name, its start and
/// its end in milliseconds, and its fields, without the client's prefix. An open span has no
/// end: `wait 10-`. A value is a whole number, a fraction or a text; quotes make any value a
/// text, and an underscore in them is a blank.
pub(crate) fn span(text: &str) -> Span {
    let mut words = text.split_whitespace();
    let mut word = || words.next().expect("a name and its times");
    let (name, times) = (word(), word());
    let mut names = SpanName::ALL.into_iter();
    let name = names.find(|it| it.as_str() == name).expect(name);
    let (start, end) = times.split_once('-').expect("a start");
    let millis = |text: &str| text.parse().ok().map(Duration::from_millis);
    let fields = words.map(|word| {
        let (field, value) = word.split_once('=').expect("a field and its value");
        let mut known = name.fields().iter();
        let field = known
            .find(|known| known.trim_start_matches(CLIENT) == field)
            .expect(field);
        (*field, read(value))
    });
    Span {
        fields: fields.collect(),
        id: id(1),
        parent: None,
        trace_id: TraceId(NonZeroU128::MIN),
        name,
        start: millis(start).expect("a start"),
        end: millis(end),
    }
}

/// The id of this number.
pub(crate) fn id(number: u64) -> SpanId {
    SpanId(NonZeroU64::new(number).expect("not zero"))
}

/// A whole trace of these spans, read at this millisecond.
pub(crate) fn trace(spans: Vec<Span>, taken_at: u64) -> Trace {
    Trace {
        id: TraceId(NonZeroU128::MIN),
        spans,
        dropped_spans: 0,
        taken_at: Duration::from_millis(taken_at),
    }
}

fn read(value: &str) -> FieldValue {
    let quoted = value
        .strip_prefix('\'')
        .and_then(|it| it.strip_suffix('\''));
    if let Some(text) = quoted {
        return FieldValue::Str(text.replace('_', " ").into());
    }
    let whole = value.parse().map(FieldValue::I64);
    let number = whole.or_else(|_| value.parse().map(FieldValue::F64));
    number.unwrap_or_else(|_| FieldValue::Str(value.into()))
}
