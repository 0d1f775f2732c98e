//! The series of a scrape are put in order: no line is lost, made or changed.

#![cfg_attr(fuzzing, no_main)]

use std::sync::Arc;

use axum::body::Body;
use fuzz::{respond, target};
use host::Metrics;
use http::Request;
use metrics::NoopRecorder;

target!(scrape);

fn scrape(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    // Lines that end in a carriage return are none of an exporter's.
    if text.contains('\r') || text.contains("process_") || text.contains("service_build_info") {
        return;
    }
    let ordered = scraped(text);

    let own = |line: &&str| !line.contains("process_") && !line.contains("service_build_info");
    let lines = |text: &str| {
        let mut lines: Vec<_> = text.lines().filter(own).map(str::to_owned).collect();
        lines.retain(|line| !line.is_empty());
        lines.sort();
        lines
    };
    assert_eq!(lines(&ordered), lines(text));
    let own: Vec<_> = ordered.lines().filter(own).collect();
    let again = scraped(&own.join("\n"));
    let again: Vec<_> = again
        .lines()
        .filter(|line| !line.contains("process_") && !line.contains("service_build_info"))
        .collect();
    assert_eq!(again, own);
}

fn scraped(text: &str) -> String {
    let text = format!("{text}\n");
    let metrics = Metrics::new(Arc::new(NoopRecorder), move || text.clone());
    let request = Request::get("/metrics").body(Body::empty());
    let (served, _) = respond(|config| config.metrics(metrics), request.ok());
    String::from_utf8(served[0].body.clone()).expect("text")
}
