//! The waterfall of a report: a table of the events, and a picture of the same rows
//! beside it.
//!
//! Positions in the picture are shares of its width, so that it fits any screen without
//! stretching strokes and corners. One em of it is the height of one table row.

use std::{ops::Range, time::Duration};

use maud::{Markup, html};
use render::{
    Mark, Options, Scale,
    page::{COLUMNS, cuts, shape},
};
use wire::duration;

use super::Side;
use crate::{
    chart::{Chart, LimitLine, Part, Row},
    trace::SpanName,
};
/// The waterfalls of a report's runs, on one axis, so that equal durations have equal
/// lengths.
pub(super) fn figures(sides: &[Side<'_>]) -> Vec<Markup> {
    let charts = sides
        .iter()
        .map(|it| Chart::new(&it.run.traces, Options::ROWS));
    let charts: Vec<_> = charts.collect();
    let scale = Chart::scale(&charts, COLUMNS);
    let figures = sides.iter().zip(&charts);
    figures
        .map(|(side, chart)| figure(side, chart, &scale))
        .collect()
}

fn figure(side: &Side<'_>, chart: &Chart, scale: &Scale) -> Markup {
    let [id, title, text] = ["happened", "bars-title", "bars-text"].map(|part| side.id(part));
    let ends = chart.rows.iter().map(|row| chart.until(row));
    let end = ends.max().unwrap_or_default();
    let mut drawn = chart.rows.iter().map(|row| columns(scale, chart, row));
    let is_cut = drawn.any(|bar| scale.cuts(&bar).next().is_some());
    let height = chart.rows.len() + usize::from(chart.left_out > 0);
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (side.title("What happened")) }
            figure {
                div.waterfall {
                    (table(chart))
                    svg.bars role="img" aria-labelledby={ (title) " " (text) } width="100%" height={ (height) "em" } {
                        title id=(title) { "Waterfall" }
                        desc id=(text) {
                            "The rows of the table as bars, on an axis of time from 0 ms to "
                            (duration(end)) "."
                        }
                        @for at in 0..height {
                            line.rule x2="100%" y1={ (at) "em" } y2={ (at) "em" } {}
                        }
                        (bars(chart, scale))
                    }
                }
                @if let Some(limit) = &chart.limit { (limit_line(limit, end)) }
                (legend())
                figcaption {
                    @if end.is_zero() {
                        "Everything happened at one moment."
                    } @else {
                        "Time runs to the right, from 0 ms to " (duration(end)) ", to scale, but "
                        "a row without duration is drawn one step wide"
                        @if is_cut {
                            ", and a very long pause is cut (//): its length "
                            "is in the table"
                        }
                        "."
                    }
                    @if chart.unrecorded > 0 {
                        " " (chart.unrecorded) " more spans were not recorded: the trace was full."
                    }
                }
            }
            (reasons(side, chart))
        }
    }
}

/// The reasons for the rows: each decision, step by step. An attempt has the reason of
/// the decision after it.
fn reasons(side: &Side<'_>, chart: &Chart) -> Markup {
    let rows: Vec<_> = chart.rows.iter().filter(|row| !row.is_nested()).collect();
    let follows = |at: usize| rows.get(at + 1).map(|next: &&Row| &next.why);
    let decided = (0..)
        .zip(&rows)
        .filter(|(at, row)| !row.reason().is_empty() && follows(*at) != Some(&row.why));
    let decided: Vec<_> = decided.map(|(_, row)| row).collect();
    let id = side.id("why");
    html! {
        @if !decided.is_empty() {
            h3 id=(id) { (side.title("Why")) }
            ul.why aria-labelledby=(id) {
                @for row in decided {
                    li {
                        b { (row.at) " · " (row.label()) }
                        ol { @for step in &row.why { li { (step) } } }
                    }
                }
            }
        }
    }
}

fn table(chart: &Chart) -> Markup {
    let (head, tail) = chart.ends();
    html! {
        table {
            caption { "Every attempt and every wait, in order" }
            thead { tr {
                th scope="col" { "start" }
                th scope="col" { "what" }
                th.took scope="col" { "took" }
            } }
            tbody {
                @for row in head { (line(row)) }
                @if chart.left_out > 0 {
                    tr { td {} td colspan="2" { (chart.left_out) " rows not shown" } }
                }
                @for row in tail { (line(row)) }
            }
        }
    }
}

fn line(row: &Row) -> Markup {
    let label = row.label();
    html! {
        tr class=(class(row)) {
            td.start { (row.at) }
            th scope="row" title=(label) { (label) }
            td.took { (row.lasted) }
        }
    }
}

fn bars(chart: &Chart, scale: &Scale) -> Markup {
    let gap = usize::from(chart.left_out > 0);
    let (head, tail) = chart.ends();
    let rows = (0..).zip(head).chain((head.len() + gap..).zip(tail));
    html! {
        @for (at, row) in rows {
            @if row.is_heading() {
                @for part in row.parts.iter().filter(|_| row.folded) { (line_part(at, chart, part, scale)) }
            } @else {
                (bar(at, chart, row, scale))
            }
        }
    }
}

/// A segment of a whole call's line.
fn line_part(at: usize, chart: &Chart, part: &Part, scale: &Scale) -> Markup {
    let class = class_of(part.kind, part.mark);
    shape(at, class, &scale.bar(part.start, chart.end(part)))
}

/// A bar in the row `at`, and the breaks in it.
fn bar(at: usize, chart: &Chart, row: &Row, scale: &Scale) -> Markup {
    let columns = columns(scale, chart, row);
    html! {
        @if let Some(ceiling) = row.ceiling {
            (shape(at, "ceiling", &scale.bar(row.start, ceiling)))
        }
        (shape(at, class(row), &columns))
        (cuts(at, &columns, scale))
    }
}

fn columns(scale: &Scale, chart: &Chart, row: &Row) -> Range<usize> {
    scale.bar(row.start, chart.until(row))
}

/// The concurrency limit over time, as a line from the start of the run to its end.
fn limit_line(line: &LimitLine, end: Duration) -> Markup {
    let most = line.steps.iter().map(|step| step.limit).chain([line.from]);
    let most = most.max().unwrap_or(1).max(1) as f64;
    let whole = end.as_secs_f64();
    let x = |at: Duration| match whole > 0.0 {
        true => 100.0 * at.as_secs_f64() / whole,
        false => 0.0,
    };
    let y = |limit: u64| 40.0 - 38.0 * limit as f64 / most;
    let mut path = format!("M0 {:.1}", y(line.from));
    for step in &line.steps {
        path += &format!(" H{:.2} V{:.1}", x(step.at), y(step.limit));
    }
    path += " H100";
    html! {
        div.limit {
            p { "Concurrent attempts that the client allowed itself: " (line.text) "." }
            svg viewBox="0 0 100 40" preserveAspectRatio="none" width="100%" height="3em"
                role="img" aria-label="The concurrency limit over time" {
                path d=(path) {}
            }
        }
    }
}

fn legend() -> Markup {
    let kinds = [
        ("ok", "attempt"),
        ("failed", "failed"),
        ("wait", "wait"),
        ("ceiling", "at most"),
        ("queue", "queued"),
        ("request", "service"),
    ];
    html! {
        ul.legend {
            @for (class, words) in kinds {
                li {
                    svg.bars aria-hidden="true" width="2em" height="1em" {
                        (shape(0, class, &(0..COLUMNS)))
                    }
                    (words)
                }
            }
        }
    }
}

fn class(row: &Row) -> &'static str {
    match row.mark {
        _ if row.is_heading() => "heading",
        mark => class_of(row.kind, mark),
    }
}

fn class_of(kind: SpanName, mark: Mark) -> &'static str {
    match mark {
        _ if kind == SpanName::Stop => "stop",
        Mark::Wait => "wait",
        Mark::Queue => "queue",
        Mark::Service => "request",
        Mark::Failed => "failed",
        Mark::Open => "open",
        Mark::Ok => "ok",
    }
}
