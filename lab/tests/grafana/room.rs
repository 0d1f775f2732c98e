//! A room: laptops send traces to one Tempo, which counts them for one Prometheus.

use std::collections::BTreeSet;

use evidence::trace::SpanName;

use crate::{
    dashboards::Dashboard,
    files::{self, list, string},
};

/// The attributes of spans by which Tempo counts.
fn dimensions() -> Vec<String> {
    let tempo = files::yaml("dashboards/tempo/room.yml");
    let dimensions = "/metrics_generator/processor/span_metrics/dimensions";
    let dimensions = list(&tempo, dimensions).iter();
    dimensions.map(|it| string(it, "").to_owned()).collect()
}

#[test]
fn the_dimensions_of_tempo_are_span_fields() {
    let spans = [SpanName::Operation, SpanName::Request];
    let fields: BTreeSet<_> = spans
        .iter()
        .flat_map(|span| span.fields())
        .copied()
        .collect();

    assert!(!dimensions().is_empty());
    for name in dimensions() {
        assert!(fields.contains(&*name), "{name}");
    }
}

#[test]
fn the_dashboard_queries_the_metrics_of_tempo() {
    // Tempo writes an attribute's name with `_` for `.`.
    let dimensions: Vec<_> = dimensions().iter().map(|it| it.replace('.', "_")).collect();
    let named = |label: &str| {
        ["job", "instance", "span_kind"].contains(&label) || dimensions.iter().any(|it| it == label)
    };
    let room = Dashboard::room();

    assert_eq!(string(&room.json, "/uid"), "lab-room");
    for panel in room.panels() {
        for query in panel.queries() {
            for selector in &query.selectors {
                let known = [
                    "traces_spanmetrics_calls_total",
                    "traces_spanmetrics_latency_count",
                ];
                assert!(known.contains(&&*selector.metric), "{}", panel.name);
                for matcher in &selector.matchers {
                    assert!(named(&matcher.name), "{}: {matcher}", panel.name);
                }
            }
            assert!(
                query.kept.iter().all(|label| named(label)),
                "{}",
                panel.name
            );
        }
    }
}
