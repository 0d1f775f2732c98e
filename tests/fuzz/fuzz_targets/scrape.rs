//! The series of a scrape are put in order: no line is lost, made or changed.

#![cfg_attr(fuzzing, no_main)]

use std::sync::Arc;

use fuzz::target;
use host::Metrics;
use metrics::NoopRecorder;
use tests::{get, serve};

target!(scrape);

fn scrape(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    // Lines that end in a carriage return are none of an exporter's.
    if text.contains('\r') || exported(text).len() < text.lines().count() {
        return;
    }

    let ordered = scraped(text);
    let ordered = exported(&ordered);

    let again = scraped(&ordered.join("\n"));
    assert_eq!(exported(&again), ordered);
    let sorted = |mut lines: Vec<&'_ str>| -> Vec<String> {
        lines.retain(|line| !line.is_empty());
        lines.sort_unstable();
        lines.into_iter().map(str::to_owned).collect()
    };
    assert_eq!(sorted(ordered), sorted(exported(text)));
}

/// The lines that are not the service's own.
fn exported(text: &str) -> Vec<&str> {
    let own = |line: &&str| line.contains("process_") || line.contains("service_build_info");
    text.lines().filter(|line| !own(line)).collect()
}

fn scraped(text: &str) -> String {
    let text = format!("{text}\n");
    let metrics = Metrics::new(Arc::new(NoopRecorder), move || text.clone());
    let lessons = server::lessons(1);
    let (served, _) = serve(lessons, |it| it.metrics(metrics), [get("/metrics")]);
    String::from_utf8(served[0].body().clone()).expect("text")
}
