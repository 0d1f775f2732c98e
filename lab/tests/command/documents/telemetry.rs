//! The document on telemetry lists exactly what the code reports.

use std::collections::{BTreeMap, BTreeSet};

use scenario::trace::{SpanKind, SpanName};

use super::{assert_current, document, root};

const DOCUMENT: &str = "lab/docs/telemetry.md";
const BEGIN: &str = "<!-- metrics -->\n";
const END: &str = "<!-- end -->\n";

/// The table of the metrics.
fn metrics() -> String {
    let mut table =
        "| metric | kind | unit | labels | what it answers |\n|---|---|---|---|---|\n".to_owned();
    for metric in scenario::metrics() {
        let labels = metric.labels.iter().map(|label| format!("`{label}`"));
        let labels = labels.collect::<Vec<_>>().join(", ");
        table += &format!(
            "| `{}` | {} | {} | {labels} | {} |\n",
            metric.name, metric.kind, metric.unit, metric.question
        );
    }
    table
}

/// The first two cells of each row of the table with this head.
fn rows(document: &str, head: &str) -> BTreeMap<String, String> {
    let (_, table) = document.split_once(head).expect(head);
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<_> = row.split(" | ").collect();
        assert!(cells.len() == 3 && cells[2].len() > 5, "{row}");
        let name = cells[0].trim_matches(['|', ' ', '`']);
        (name.to_owned(), cells[1].to_owned())
    })
    .collect()
}

#[test]
fn the_table_of_the_metrics_is_that_of_the_code() {
    let document = document(DOCUMENT);
    let (before, rest) = document.split_once(BEGIN).expect(BEGIN);
    let (_, after) = rest.split_once(END).expect(END);

    let current = [before, BEGIN, &metrics(), END, after].concat();

    assert_current(&root().join(DOCUMENT), &current);
}

#[test]
fn every_span_and_attribute_of_the_code_is_in_the_document_and_no_other() {
    let document = document(DOCUMENT);
    let mut attributes = BTreeMap::<_, BTreeSet<_>>::new();
    let mut spans = BTreeMap::new();
    for span in SpanName::ALL {
        let kind = match span.kind() {
            SpanKind::Internal => "internal",
            SpanKind::Client => "client",
            SpanKind::Server => "server",
        };
        spans.insert(span.as_str().to_owned(), kind.to_owned());
        let own = span.fields().iter();
        for field in own.filter(|field| !field.starts_with("otel.")) {
            let on = attributes.entry((*field).to_owned()).or_default();
            on.insert(span.as_str().to_owned());
        }
    }

    let listed = rows(&document, "| attribute | spans | what it says |");
    let listed = listed
        .into_iter()
        .map(|(name, on)| (name, on.split(", ").map(str::to_owned).collect()));

    assert_eq!(rows(&document, "| span | kind | what it is |"), spans);
    assert_eq!(listed.collect::<BTreeMap<_, _>>(), attributes);
}
