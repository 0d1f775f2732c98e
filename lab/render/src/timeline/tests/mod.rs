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
