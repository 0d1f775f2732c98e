//! Timelines for tests, as text and as pictures, and properties of every timeline.

mod pictures;
mod properties;

use std::time::Duration;

use maud::html;

use super::*;
use crate::Options;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A row with one bar of its kind, between these milliseconds.
fn row(kind: Kind, from: u64, to: u64, label: &str, note: &str) -> Row {
    Row {
        id: String::new(),
        level: 1,
        kind,
        is_call: false,
        at: ms(from),
        end: Some(ms(to)),
        label: label.to_owned(),
        note: note.to_owned(),
        tags: Vec::new(),
        bars: vec![Bar::new(kind, ms(from), ms(to))],
        folded: false,
    }
}

/// A timeline of these rows with the ids 1, 2, 3, …, read when the last bar began or ended.
fn timeline(rows: impl IntoIterator<Item = Row>) -> Timeline {
    let rows = (1..).zip(rows).map(|(number, row): (u64, _)| Row {
        id: number.to_string(),
        ..row
    });
    let rows: Vec<_> = rows.collect();
    let bars = rows.iter().flat_map(|row| &row.bars);
    let now = bars.map(|bar| bar.to.unwrap_or(bar.from)).max();
    Timeline {
        rows,
        now: now.unwrap_or_default(),
        ..Timeline::default()
    }
}

/// The rows of timelines on a page, on one axis. Each can be opened.
fn page(timelines: &[&Timeline], folds_repeated: bool) -> String {
    let axis = axis(timelines);
    let drawn = html! {
        @for timeline in timelines {
            @let waterfall = Waterfall {
                timeline,
                axis: &axis,
                title: "Waterfall",
                prefix: "row-",
                layout: Layout::of_runs(timelines),
                folds_repeated,
            };
            (waterfall.draw(|row| row.tags.is_empty().then(|| html! { "facts" })))
        }
        (legend(timelines, Layout::of_runs(timelines)))
    };
    drawn.into_string()
}

/// The values of an attribute, in order.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    let found = page.split(&*start).skip(1);
    found.filter_map(|rest| rest.split('"').next()).collect()
}

/// Every element with its attributes, for one whose name is among these.
fn elements<'a>(page: &'a str, names: &'a [&str]) -> impl Iterator<Item = &'a str> {
    let elements = page.split('<').filter_map(|part| part.split('>').next());
    elements.filter(|element| names.contains(&element.split(' ').next().unwrap_or_default()))
}

/// An attribute in percent.
fn percent_of(element: &str, attribute: &str) -> Option<f64> {
    let value = values(element, attribute).first().copied()?;
    value.strip_suffix('%')?.parse().ok()
}

/// Otherwise calls that go on at the same time would be drawn over each other.
#[test]
fn a_call_has_a_lane_of_its_own_as_long_as_others_go_on() {
    let call = |from, to| Row {
        is_call: true,
        ..row(Kind::Good, from, to, "call", "")
    };
    let page = |from, to| Row {
        level: 2,
        ..row(Kind::Good, from, to, "page", "")
    };
    let starts = |rows: Vec<Row>| {
        let timeline = timeline(rows);
        let lanes = timeline.lanes().into_iter();
        let starts = lanes.map(|lane| lane.iter().map(|bar| bar.from.as_millis()).collect());
        starts.collect::<Vec<Vec<_>>>()
    };

    let without_calls = vec![
        row(Kind::Good, 0, 9, "", ""),
        row(Kind::Wait, 5, 20, "", ""),
    ];
    assert_eq!(starts(without_calls), [[0, 5]]);
    let one_after_another = vec![call(0, 10), page(2, 8), call(10, 10), call(10, 20)];
    assert_eq!(starts(one_after_another), [[0, 2, 10, 10]]);
    let at_the_same_time = vec![call(0, 10), page(3, 9), call(1, 4), page(2, 4), call(5, 20)];
    assert_eq!(starts(at_the_same_time), [vec![0, 3], vec![1, 2, 5]]);
}
