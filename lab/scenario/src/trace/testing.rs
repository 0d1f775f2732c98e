//! Spans written as text, for tests.

use std::{num::NonZeroU64, num::NonZeroU128, time::Duration};

use super::{FieldValue, Span, SpanId, SpanName, Trace, TraceId};

/// How the names of the client's own fields begin.
const CLIENT: &str = "reliable_api_client.";

/// A span such as `wait 10-20 wait.seconds=0.1 retry.reason='503'`: its name, its start and
/// its end in milliseconds, and its fields, without the client's prefix. An open span has no
/// end: `wait 10-`. A value is a whole number, a fraction or a text; quotes make any value a
/// text, and an underscore in them is a blank. A status may stand alone: `attempt 0-2 503`
/// has all fields that a failure with this status has.
///
/// # Panics
///
/// If the text is not of this form.
#[must_use]
pub fn span(text: &str) -> Span {
    let mut words = text.split_whitespace();
    let mut word = || words.next().expect("a name and its times");
    let (name, times) = (word(), word());
    let mut names = SpanName::ALL.into_iter();
    let name = names.find(|known| known.as_str() == name).expect(name);
    let (start, end) = times.split_once('-').expect("a start");
    let millis = |text: &str| text.parse().ok().map(Duration::from_millis);
    let fields = words.flat_map(|word| match word.parse() {
        Ok(status) => of_status(status),
        Err(_) => vec![word.to_owned()],
    });
    let fields = fields.map(|word| {
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
        name,
        start: millis(start).expect("a start"),
        end: millis(end),
    }
}

/// The fields of a response with this status, in the form of [`span`].
fn of_status(status: u16) -> Vec<String> {
    let mut fields = vec![format!("http.response.status_code={status}")];
    if status >= 400 {
        fields.push(format!("error.type='{status}'"));
        fields.push("otel.status_code=ERROR".to_owned());
    }
    fields
}

/// A trace of spans in the form of [`span`], one a line, read when its last span began or
/// ended. The spans have the ids 1, 2, 3, …; a span is under the next one above it that is
/// indented less.
///
/// # Panics
///
/// If a line is not of this form.
#[must_use]
pub fn tree(text: &str) -> Trace {
    let mut around: Vec<(usize, SpanId)> = Vec::new();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let spans = (1..).zip(lines).map(|(number, line)| {
        let indent = line.len() - line.trim_start().len();
        around.retain(|(outer, _)| *outer < indent);
        let parent = around.last().map(|(_, id)| *id);
        around.push((indent, id(number)));
        Span {
            id: id(number),
            parent,
            ..span(line)
        }
    });
    let spans: Vec<_> = spans.collect();
    let times = spans.iter().map(|span| span.end.unwrap_or(span.start));
    let taken_at = times.max().unwrap_or_default();
    Trace {
        taken_at,
        ..trace(spans, 0)
    }
}

/// The id of this number.
///
/// # Panics
///
/// If it is zero.
#[must_use]
pub fn id(number: u64) -> SpanId {
    SpanId(NonZeroU64::new(number).expect("not zero"))
}

/// A whole trace of these spans, read at this millisecond.
#[must_use]
pub fn trace(spans: Vec<Span>, taken_at: u64) -> Trace {
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
        .and_then(|rest| rest.strip_suffix('\''));
    if let Some(text) = quoted {
        return FieldValue::Str(text.replace('_', " ").into());
    }
    let whole = value.parse().map(FieldValue::I64);
    let number = whole.or_else(|_| value.parse().map(FieldValue::F64));
    number.unwrap_or_else(|_| FieldValue::Str(value.into()))
}
