//! `lab/docs/telemetry.md` lists exactly what the code reports.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
};

use scenario::trace::{SpanKind, SpanName};

use crate::files;

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
        (
            cells[0].trim_matches(['|', ' ', '`']).to_owned(),
            cells[1].to_owned(),
        )
    })
    .collect()
}

#[test]
fn the_table_of_the_metrics_is_that_of_the_code() {
    let document = files::text(DOCUMENT);
    let (before, rest) = document.split_once(BEGIN).expect(BEGIN);
    let (_, after) = rest.split_once(END).expect(END);
    let current = [before, BEGIN, &metrics(), END, after].concat();

    if env::var_os("UPDATE_DOCUMENTS").is_some() {
        fs::write(files::root().join(DOCUMENT), &current).expect("the document");
    }

    assert_eq!(files::text(DOCUMENT), current);
}

#[test]
fn every_span_and_attribute_of_the_code_is_in_the_document_and_no_other() {
    let document = files::text(DOCUMENT);
    let mut attributes = BTreeMap::<_, BTreeSet<_>>::new();
    let mut spans = BTreeMap::new();
    for span in SpanName::ALL {
        let kind = match span.kind() {
            SpanKind::Internal => "internal",
            SpanKind::Client => "client",
            SpanKind::Server => "server",
        };
        spans.insert(span.as_str().to_owned(), kind.to_owned());
        for field in span.fields().iter().filter(|it| !it.starts_with("otel.")) {
            let on = attributes.entry((*field).to_owned()).or_default();
            on.insert(span.as_str().to_owned());
        }
    }

    let listed = rows(&document, "| attribute | spans | what it says |");
    let listed = listed.into_iter().map(|(name, on)| {
        let on = on.split(", ").map(str::to_owned).collect();
        (name, on)
    });

    assert_eq!(rows(&document, "| span | kind | what it is |"), spans);
    assert_eq!(listed.collect::<BTreeMap<_, _>>(), attributes);
}
