//! The order and nesting of the rows of a waterfall, and the calls that are folded into
//! one line.

use std::collections::{HashMap, HashSet};

use render::timeline::{Bar, Row};

use super::{
    label::{how, problem_of},
    rows::{Neighbours, bars, row},
};
use crate::{
    outcome::in_words,
    trace::{Span, SpanId, SpanName, Trace, field},
};

/// With more calls than this, each is folded into one line.
const MANY_CALLS: usize = 6;

/// All rows in order: the roots by time, and under each root its spans. The span of a run
/// is not a row. A single operation is not a row either, unless there is nothing else to
/// show. Each of several operations is a call with a number.
pub(super) fn rows(trace: &Trace) -> Vec<Row> {
    let spans = || trace.spans.iter();
    let operations = spans().filter(|span| span.name == SpanName::Operation);
    let lone = operations.count() == 1
        && spans().any(|span| !matches!(span.name, SpanName::Run | SpanName::Operation));
    let is_row = |span: &Span| match span.name {
        SpanName::Run => false,
        SpanName::Operation => !lone,
        SpanName::Attempt
        | SpanName::Wait
        | SpanName::Stop
        | SpanName::Crash
        | SpanName::Queue
        | SpanName::Request => true,
    };

    let shown: Vec<&Span> = spans().filter(|span| is_row(span)).collect();
    let known: HashSet<_> = shown.iter().map(|span| span.id).collect();
    let mut roots = Vec::new();
    let mut under: HashMap<_, Vec<&Span>> = HashMap::new();
    for span in shown {
        match span.parent.filter(|parent| known.contains(parent)) {
            Some(parent) => under.entry(parent).or_default().push(span),
            None => roots.push(span),
        }
    }
    roots.sort_by_key(|root| root.start);

    let names = names_of_calls(&roots);
    let are_many = names.len() > MANY_CALLS;
    let all_neighbours = all_neighbours(trace);
    let mut rows = Vec::new();
    // A stack: the next row is the last element.
    let roots = roots.into_iter().rev().map(|root| (root, 1, None));
    let mut coming: Vec<_> = roots.collect();
    while let Some((span, level, parent)) = coming.pop() {
        let neighbours = all_neighbours.get(&span.id).copied().unwrap_or_default();
        let children = under.remove(&span.id).unwrap_or_default();
        let mut row = row(span, level, parent, neighbours, trace.taken_at);
        if let Some(name) = names.get(&span.id) {
            row.label.clone_from(name);
            summarise(&mut row, span, &children);
            row.folded = are_many || is_simple(&under, &children);
            if row.folded {
                // In one line with the others, the frames around waits would hide them.
                let bare = |bar| Bar {
                    at_most: None,
                    ..bar
                };
                let bars_of = |child: &&Span| {
                    let neighbours = all_neighbours.get(&child.id).copied().unwrap_or_default();
                    bars(child, neighbours, trace.taken_at)
                };
                row.bars = children.iter().flat_map(bars_of).map(bare).collect();
            }
        }
        row.folded |= span.name == SpanName::Attempt && only_repeats(span, &children);
        rows.push(row);
        let children = children.into_iter().rev();
        coming.extend(children.map(|child| (child, level + 1, Some(span))));
    }
    rows
}

/// The name of each call, if there are several: its number, and its endpoint if the endpoints
/// differ.
fn names_of_calls(roots: &[&Span]) -> HashMap<SpanId, String> {
    let calls = roots.iter().filter(|root| root.name == SpanName::Operation);
    let calls: Vec<_> = calls.collect();
    let endpoint = |call: &Span| {
        let name = call.fields.text(field::ENDPOINT);
        name.or_else(|| call.fields.text(field::OTEL_NAME))
            .map(str::to_owned)
    };
    let first = calls.first().and_then(|call| endpoint(call));
    let are_alike = calls.iter().all(|call| endpoint(call) == first);
    // A single call keeps its own name.
    let several = calls.iter().filter(|_| calls.len() > 1);
    let named = (1..).zip(several).map(|(number, call): (usize, _)| {
        let name = match endpoint(call).filter(|_| !are_alike) {
            Some(endpoint) => format!("call {number} {endpoint}"),
            None => format!("call {number}"),
        };
        (call.id, name)
    });
    named.collect()
}

/// Summarises the rows under a call in the call's own row.
fn summarise(row: &mut Row, call: &Span, children: &[&Span]) {
    let Some(last) = children.last() else { return };
    let how = |span: &Span| how(span, false);
    let attempts = children
        .iter()
        .filter(|child| child.name == SpanName::Attempt);
    let attempts: Vec<_> = attempts.collect();
    match attempts[..] {
        _ if row.end.is_none() => {}
        _ if last.name == SpanName::Stop => {
            let number = row.note.split(" · ").next().unwrap_or_default();
            row.note = format!("{number} · {}", how(last));
        }
        // An attempt that succeeded in a call that failed: the response is wrong.
        [attempt] if call.failed() && !attempt.failed() => {
            let problem = in_words(&problem_of(call).unwrap_or("failed"));
            row.note = format!("{} · {problem}", how(attempt));
        }
        [attempt] => row.note = how(attempt),
        _ => {}
    }
}

/// Whether a call is one attempt that the service saw the same way, so that its own line
/// is enough.
fn is_simple(under: &HashMap<SpanId, Vec<&Span>>, children: &[&Span]) -> bool {
    let attempts = || {
        children
            .iter()
            .filter(|child| child.name == SpanName::Attempt)
    };
    let is_seen_alike = |attempt: &&Span| {
        let requests = under.get(&attempt.id);
        requests.is_none_or(|requests| only_repeats(attempt, requests))
    };
    attempts().count() == 1
        && attempts().all(is_seen_alike)
        && children.iter().all(|child| child.name != SpanName::Wait)
}

/// Whether the service's side of an attempt only repeats the client's side.
fn only_repeats(attempt: &Span, requests: &[&Span]) -> bool {
    let status = |span: &Span| span.fields.number(field::STATUS);
    match requests {
        [request] => {
            // A success with an error is a body that broke off.
            let has_error = attempt.fields.get(field::ERROR_TYPE).is_some();
            let is_whole = status(attempt) >= Some(if has_error { 400 } else { 100 });
            is_whole && status(attempt) == status(request)
        }
        _ => false,
    }
}

/// The neighbours of every span in its call, including spans without a row.
fn all_neighbours(trace: &Trace) -> HashMap<SpanId, Neighbours<'_>> {
    let spans = || trace.spans.iter();
    let operations = spans().filter(|span| span.name == SpanName::Operation);
    let operations: HashMap<_, _> = operations.map(|span| (span.id, span)).collect();
    let mut all_neighbours: HashMap<_, Neighbours<'_>> = HashMap::new();
    let mut last: HashMap<_, &Span> = HashMap::new();
    for span in spans() {
        let Some(operation) = span.parent.and_then(|parent| operations.get(&parent)) else {
            continue;
        };
        all_neighbours.entry(span.id).or_default().operation = Some(operation);
        if let Some(before) = last.insert(operation.id, span) {
            all_neighbours.entry(before.id).or_default().next = Some(span);
        }
    }
    all_neighbours
}
