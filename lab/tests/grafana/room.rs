//! A room: laptops send traces to one Tempo, which counts them for one Prometheus.

use std::collections::BTreeSet;

use evidence::trace::SpanName;
use serde_json::{Value, json};

use crate::{
    compose::Service,
    dashboards::Dashboard,
    files::{self, list, string},
};

const TEMPO: &str = "dashboards/tempo/room.yml";

/// Tempo's configuration with the environment that compose gives it.
fn tempo() -> Value {
    let service = Service::named("tempo-room");
    let mut text = files::text(TEMPO);
    let variable = "${LISTEN_ADDRESS:-127.0.0.1}";
    assert!(text.contains(variable), "{variable}");
    text = text.replace(variable, &service.environment["LISTEN_ADDRESS"]);
    files::yaml_of(TEMPO, &text)
}

#[test]
fn tempo_takes_traces_counts_them_and_writes_the_numbers_to_prometheus() {
    let tempo = tempo();

    for (pointer, expected) in [
        (
            "/distributor/receivers/otlp/protocols/http/endpoint",
            json!("0.0.0.0:4318"),
        ),
        (
            "/metrics_generator/storage/remote_write/0/url",
            json!("http://127.0.0.1:9090/api/v1/write"),
        ),
        (
            "/metrics_generator/storage/remote_write/0/send_exemplars",
            json!(true),
        ),
        (
            "/overrides/defaults/metrics_generator/processors",
            json!(["span-metrics"]),
        ),
        ("/usage_report/reporting_enabled", json!(false)),
    ] {
        assert_eq!(tempo.pointer(pointer), Some(&expected), "{pointer}");
    }
    let prometheus = Service::named("prometheus-room");
    for flag in [
        "--web.enable-remote-write-receiver",
        "--enable-feature=exemplar-storage",
    ] {
        assert!(prometheus.command.contains(&flag.to_owned()), "{flag}");
    }
}

#[test]
fn series_ingestion_and_storage_have_limits() {
    let tempo = tempo();

    for limit in [
        "ingestion/rate_limit_bytes",
        "ingestion/burst_size_bytes",
        "ingestion/max_traces_per_user",
        "global/max_bytes_per_trace",
        // No limit unless it is set.
        "metrics_generator/max_active_series",
    ] {
        let found = tempo.pointer(&format!("/overrides/defaults/{limit}"));
        assert!(found.and_then(Value::as_u64) > Some(0), "{limit}");
    }
    let prometheus = Service::named("prometheus-room");
    for retention in ["time=1d", "size=1GB"] {
        let flag = format!("--storage.tsdb.retention.{retention}");
        assert!(prometheus.command.contains(&flag), "{flag}");
    }
}

/// Apart from its counts, it is configured like the Tempo of a single lab.
#[test]
fn a_room_keeps_its_traces_as_a_single_lab_does() {
    let (mut room, single) = (
        files::yaml(TEMPO),
        files::yaml("dashboards/tempo/tempo.yml"),
    );
    let room = room.as_object_mut().expect("a mapping");
    for own in ["metrics_generator", "overrides"] {
        assert!(room.remove(own).is_some(), "{own}");
    }

    assert_eq!(Value::Object(room.clone()), single);
}

#[test]
fn the_dimensions_of_tempo_are_span_fields() {
    let spans = [SpanName::Operation, SpanName::Request];
    let fields: BTreeSet<_> = spans
        .iter()
        .flat_map(|span| span.fields())
        .copied()
        .collect();

    let tempo = tempo();
    let dimensions = list(
        &tempo,
        "/metrics_generator/processor/span_metrics/dimensions",
    );

    assert!(!dimensions.is_empty());
    for dimension in dimensions {
        let name = dimension.as_str().expect("a name");
        assert!(fields.contains(name), "{name}");
    }
}

#[test]
fn the_dashboard_queries_the_metrics_of_tempo() {
    let room = Dashboard::room();
    let tempo = tempo();
    let dimensions = list(
        &tempo,
        "/metrics_generator/processor/span_metrics/dimensions",
    );
    // Tempo writes an attribute's name with `_` for `.`.
    let dimensions = dimensions.iter().filter_map(Value::as_str);
    let dimensions: Vec<_> = dimensions.map(|it| it.replace('.', "_")).collect();
    // With `enable_target_info`, job and instance are those of the resource.
    let target_info = "/metrics_generator/processor/span_metrics/enable_target_info";
    assert_eq!(tempo.pointer(target_info), Some(&json!(true)));
    let labels: BTreeSet<_> = ["job", "instance", "span_kind"]
        .into_iter()
        .chain(dimensions.iter().map(String::as_str))
        .collect();

    for panel in room.panels() {
        for query in panel.queries() {
            for selector in &query.selectors {
                let known = [
                    "traces_spanmetrics_calls_total",
                    "traces_spanmetrics_latency_count",
                ];
                assert!(known.contains(&selector.metric.as_str()), "{}", panel.name);
                for matcher in &selector.matchers {
                    assert!(
                        labels.contains(matcher.name.as_str()),
                        "{}: {matcher}",
                        panel.name
                    );
                }
            }
            let kept = query.kept.iter();
            let unknown = kept.filter(|label| !labels.contains(label.as_str()));
            assert_eq!(unknown.count(), 0, "{}", panel.name);
        }
    }
}

#[test]
fn grafana_opens_the_dashboard_of_the_room() {
    let grafana = Service::named("grafana-room");

    let home = &grafana.environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"];

    assert_eq!(home, "/etc/grafana/dashboards/room.json");
    let folder = grafana.source_of("/etc/grafana/dashboards");
    assert!(files::root().join(folder).join("room.json").is_file());
    assert_eq!(string(&Dashboard::room().json, "/uid"), "lab-room");
}
