//! Properties of the timeline of any trace.

use proptest::{collection::vec, prelude::*};

use super::*;
use crate::trace::{FieldValue, Span, SpanName, field};

/// Any tree of spans: overlapping, open, instant, with any text in them.
fn any_trace() -> impl Strategy<Value = Trace> {
    let name = prop::sample::select(vec![
        SpanName::Operation,
        SpanName::Attempt,
        SpanName::Wait,
        SpanName::Stop,
        SpanName::Crash,
        SpanName::Queue,
        SpanName::Request,
    ]);
    let time = prop_oneof![0..50_u64, 0..5_000_u64, 0..10_000_000_u64, any::<u64>()];
    let any_span = (
        name,
        time.clone(),
        prop::option::of(time.clone()),
        any::<u8>(),
        ".{0,40}",
    );
    (vec(any_span, 0..40), time).prop_map(|(mut spans, taken_at)| {
        spans.sort_by_key(|(_, start, ..)| *start);
        let spans = (1..)
            .zip(spans)
            .map(|(number, (name, start, end, parent, text))| {
                let fields = [
                    field::OTEL_NAME,
                    field::ERROR_TYPE,
                    field::WAIT_SOURCE,
                    field::FAULT,
                ];
                let text = FieldValue::Str(text.into());
                let parent = u64::from(parent) % number;
                Span {
                    id: id(number),
                    parent: (parent > 0).then(|| id(parent)),
                    name,
                    start: ms(start),
                    end: end.map(ms),
                    fields: fields
                        .map(|name| (name, text.clone()))
                        .into_iter()
                        .collect(),
                }
            });
        trace(spans.collect(), taken_at)
    })
}

proptest! {
    #[test]
    fn every_span_is_one_row(trace in any_trace()) {
        let operations = trace.spans.iter().filter(|span| span.name == SpanName::Operation);
        let unheaded = usize::from(operations.count() == 1 && trace.spans.len() > 1);

        let rows = for_a_page(&trace, false).rows;

        prop_assert_eq!(rows.len(), trace.spans.len() - unheaded);
    }

    #[test]
    fn a_text_has_at_most_the_given_number_of_rows(trace in any_trace(), most in 3..50_usize) {
        let timeline = for_a_text(&trace, most);

        prop_assert!(timeline.rows.len() + usize::from(timeline.gap.is_some()) <= most);
    }
}
