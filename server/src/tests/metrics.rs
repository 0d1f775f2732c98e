//! The series of the lessons in `/metrics`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use host::telemetry::{DURATION_BUCKETS, METRICS, MetricKind};
use host::{METRICS_MEDIA_TYPE, Metrics, ServiceConfig, request_body::MAX_BODY};
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use metrics::{Key, Level, Metadata, Recorder};
use metrics_exporter_prometheus::PrometheusBuilder;

use crate::lessons::{LESSONS, with_room_for};
use crate::testing::{JSON, Service, get};

/// The series of a scrape in which events of this kind are counted, without their values.
fn counted(scrape: &str, kind: MetricKind) -> BTreeSet<&str> {
    let series = scrape.lines().filter_map(|line| line.rsplit_once(' '));
    let is_counted = |series: &&str| {
        let mut metrics = METRICS.iter().filter(|metric| metric.kind == kind);
        metrics.any(|metric| series.starts_with(metric.name))
    };
    series
        .map(|(series, _)| series)
        .filter(is_counted)
        .collect()
}

#[tokio::test]
async fn no_series_is_born_with_its_first_event_and_no_counter_is_there_in_vain() {
    let config = ServiceConfig {
        one_call: true,
        ..ServiceConfig::default()
    };
    let service = Service::serving(with_room_for(1, 1), config);
    let before = service.get("/metrics").await.text();

    for lesson in LESSONS {
        for _ in 0..2 {
            let method = lesson.method.as_str();
            service.request(method, lesson.path, &[], "").await;
            let bad_query = format!("{}?limit=0", lesson.path);
            service.request(method, &bad_query, &[], "").await;
            service.get("/nowhere").await;
        }
    }
    let headers = [JSON, ("idempotency-key", "k")];
    let too_large = " ".repeat(MAX_BODY + 1);
    for body in ["{}", "{}", r#"{"a":1}"#, "{", "[]", &too_large] {
        service.post("/jobs", &headers, body).await;
    }
    let no_room = [JSON, ("idempotency-key", "another")];
    service.post("/jobs", &no_room, "{}").await;

    let after = service.get("/metrics").await.text();
    use MetricKind::{Counter, Gauge, Histogram};
    for kind in [Counter, Gauge, Histogram] {
        assert_eq!(counted(&after, kind), counted(&before, kind));
    }
    let is_unmoved = |line: &&str| line.ends_with(" 0") && !counted(line, Counter).is_empty();
    let unmoved: Vec<_> = after.lines().filter(is_unmoved).collect();
    assert_eq!(unmoved, [""; 0], "what cannot happen is not registered");
}

#[tokio::test]
async fn metrics_have_the_type_the_labels_and_the_buckets_of_the_vocabulary() {
    let response = get("/metrics").await;
    let scrape = response.text();

    assert_eq!(response.headers["content-type"], METRICS_MEDIA_TYPE);
    for metric in METRICS {
        let help = format!("# HELP {} {}\n", metric.name, metric.question);
        assert!(scrape.contains(&help), "{scrape}");
        let kind = match metric.kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram => "histogram",
        };
        let kind = format!("# TYPE {} {kind}\n", metric.name);
        assert!(scrape.contains(&kind), "{scrape}");
        let series = scrape.lines().filter(|line| line.starts_with(metric.name));
        assert!(series.clone().next().is_some(), "{}", metric.name);
        for line in series {
            let labels = metric
                .labels
                .iter()
                .filter(|label| line.contains(&format!("{label}=\"")));
            assert_eq!(labels.count(), metric.labels.len(), "{line}");
        }
    }
    // A quantile is estimated within a bucket, so it is off by no more than this factor.
    let smallest = DURATION_BUCKETS.first();
    assert!(smallest.is_some_and(|seconds| *seconds <= 0.00001));
    assert!(
        DURATION_BUCKETS
            .windows(2)
            .all(|bounds| bounds[1] <= 5.0 * bounds[0])
    );
    // Responses of a route that works for so long would fall on both sides of the bound.
    assert!(!DURATION_BUCKETS.contains(&0.1));
    for bucket in DURATION_BUCKETS {
        let label = format!(",le=\"{bucket}\"}}");
        assert!(scrape.contains(&label), "no bucket {bucket}");
    }
}

#[tokio::test]
async fn a_callers_recorder_holds_the_callers_series_as_well() {
    let recorder = Arc::new(PrometheusBuilder::new().build_recorder());
    let handle = recorder.handle();
    let metadata = Metadata::new("test", Level::INFO, None);
    recorder
        .register_counter(&Key::from_name("of_the_caller"), &metadata)
        .increment(7);
    let metrics = Metrics::new(recorder, move || handle.render());
    let service = Service::with(ServiceConfig {
        metrics,
        ..ServiceConfig::default()
    });

    service.get("/flaky").await;

    let fault = "service_faults_total{fault=\"flaky\"} 1";
    service.assert_counts(&["of_the_caller 7", fault]).await;
}

#[tokio::test]
async fn a_scrape_tells_of_the_process_and_of_its_build() {
    let scrape = get("/metrics").await.text();

    let version = env!("CARGO_PKG_VERSION");
    let build = format!("service_build_info{{profile=\"debug\",version=\"{version}\"}} 1");
    assert!(scrape.lines().any(|line| line == build), "{scrape}");
    if cfg!(target_os = "linux") {
        let sample = |name: &str| {
            let line = scrape.lines().find_map(|line| line.strip_prefix(name));
            let value = line.unwrap_or_else(|| panic!("no {name} in\n{scrape}"));
            value.trim().parse::<f64>().expect("a number")
        };
        assert!(sample("process_resident_memory_bytes ") > 1e6);
        assert!(sample("process_open_fds ") >= 3.0);
        let now = UNIX_EPOCH
            .elapsed()
            .expect("a time after 1970")
            .as_secs_f64();
        let age = now - sample("process_start_time_seconds ");
        assert!((-2.0..3600.0).contains(&age), "started {age} s ago");
        assert!(sample("process_cpu_seconds_total ") < 3600.0);
        assert!(sample("process_virtual_memory_bytes ") > sample("process_resident_memory_bytes "));
        assert!(sample("process_max_fds ") >= sample("process_open_fds "));
        assert!(sample("process_threads ") >= 1.0);
        // Where there is no limit, it would be shown as one of zero.
        assert!(!scrape.contains("process_virtual_memory_max_bytes"));
    }
}

#[tokio::test]
async fn a_scrape_is_packed_for_whoever_accepts_that() {
    let service = Service::new();

    let plain = service.get("/metrics").await;
    let gzip = [(ACCEPT_ENCODING.as_str(), "gzip")];
    let packed = service.request("GET", "/metrics", &gzip, "").await;

    assert!(!plain.headers.contains_key(CONTENT_ENCODING));
    assert_eq!(packed.headers[CONTENT_ENCODING], "gzip");
    let (plain, packed) = (plain.body.len(), packed.body.len());
    assert!(packed * 5 < plain, "{packed} of {plain} bytes");
}
