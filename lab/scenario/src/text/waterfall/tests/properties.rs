//! Properties of every picture.

use std::time::Duration;

use proptest::{collection::vec, prelude::*};
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::{
    chart::Chart,
    trace::{FieldValue, Span, SpanName, field},
};

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
                    start: Duration::from_millis(start),
                    end: end.map(Duration::from_millis),
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
    fn every_row_fits_the_width(trace in any_trace(), width in 0..200_usize, ascii: bool) {
        let options = Options { width, ascii, ..Options::default() };

        let text = waterfall(&trace, &options);

        for row in text.lines() {
            prop_assert!(row.width() <= width.max(40), "{} columns: {row}", row.width());
            prop_assert!(!ascii || row.is_ascii(), "{row}");
        }
    }

    #[test]
    fn every_span_is_one_row(trace in any_trace()) {
        let operations = trace.spans.iter().filter(|span| span.name == SpanName::Operation);
        let unheaded = usize::from(operations.count() == 1 && trace.spans.len() > 1);

        let rows = Chart::of(&trace).rows;

        prop_assert_eq!(rows.len(), trace.spans.len() - unheaded);
    }

    #[test]
    fn at_most_the_given_number_of_rows_is_shown(trace in any_trace(), rows in 3..50_usize) {
        let options = Options { rows, ..Options::default() };

        let text = waterfall(&trace, &options);

        prop_assert!(text.lines().count() <= rows);
    }

    #[test]
    fn a_later_start_is_never_drawn_further_left(
        mut starts in vec(0..200_000_u64, 1..40),
        lengths in vec(0..20_000_u64, 40),
    ) {
        starts.sort_unstable();
        starts.dedup();
        let waits = starts.iter().zip(lengths);
        let waits = waits.map(|(start, length)| span(&format!("wait {start}-{}", start + length)));
        let options = Options { ascii: true, ..Options::default() };

        let text = waterfall(&trace(waits.collect(), 0), &options);

        let columns: Vec<_> = text.lines().map(|row| row.find('|')).collect();
        prop_assert!(columns.is_sorted(), "{text}");
        prop_assert!(text.lines().all(|row| row.contains("|.") || row.contains("|/")), "{text}");
    }
}
