//! The layout of the dashboards, and their names.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    dashboards::{Dashboard, Panel, panels},
    files::{list, string},
    provisioning,
};

/// The columns of Grafana's grid.
const COLUMNS: u64 = 24;

/// The rows of Grafana's grid that fit on a screen of 1920 × 1080 below Grafana's own
/// bars: a row is 30 pixels with 8 between.
const PROJECTOR_ROWS: u64 = 24;

/// The area of a panel: from and to, in columns and rows.
fn place(panel: &Value) -> [u64; 4] {
    let at = |field: &str| panel["gridPos"][field].as_u64().expect("a place");
    [at("x"), at("x") + at("w"), at("y"), at("y") + at("h")]
}

#[test]
fn there_are_three_dashboards_with_fixed_addresses() {
    let all = Dashboard::all();

    let named: Vec<_> = all
        .iter()
        .map(|dashboard| ["/uid", "/title"].map(|field| string(&dashboard.json, field)))
        .collect();

    assert_eq!(
        named,
        [
            ["lab-client", "Client reliability"],
            ["lab-service", "Service"],
            ["lab-workshop", "Workshop"],
        ]
    );
}

#[test]
fn panels_do_not_overlap_and_stay_on_the_grid() {
    for dashboard in Dashboard::all() {
        let panels = list(&dashboard.json, "/panels");
        for (index, panel) in panels.iter().enumerate() {
            let [left, right, top, bottom] = place(panel);
            assert!(right <= COLUMNS, "{}: {}", dashboard.name, panel["title"]);
            for other in &panels[index + 1..] {
                let [other_left, other_right, other_top, other_bottom] = place(other);
                let beside = right <= other_left || other_right <= left;
                let above = bottom <= other_top || other_bottom <= top;
                assert!(
                    beside || above,
                    "{}: {} covers {}",
                    dashboard.name,
                    panel["title"],
                    other["title"]
                );
            }
        }
    }
}

#[test]
fn panels_have_unique_ids_and_are_in_reading_order() {
    for dashboard in Dashboard::all() {
        let panels = list(&dashboard.json, "/panels");
        let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64()).collect();
        let order: Vec<_> = panels
            .iter()
            .map(place)
            .map(|[x, _, y, _]| (y, x))
            .collect();

        assert_eq!(ids.len(), panels.len(), "{}", dashboard.name);
        assert!(order.is_sorted(), "{}", dashboard.name);
    }
}

#[test]
fn the_workshop_is_one_screen() {
    let workshop = Dashboard::named("workshop");
    let panels = list(&workshop.json, "/panels");

    let rows = panels.iter().map(|panel| place(panel)[3]).max();

    assert!(rows <= Some(PROJECTOR_ROWS), "{rows:?} rows");
}

/// A number of seconds such as `5s`.
fn seconds(text: &str) -> u64 {
    let number = text
        .strip_suffix('s')
        .and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("{text} is no number of seconds"))
}

fn counts_in_steps(panel: &Panel) -> bool {
    panel
        .expressions()
        .any(|text| text.contains("increase(") && text.contains("[$__rate_interval]"))
}

/// `$__rate_interval` is a step and a scrape, but at least four scrapes. If four scrapes
/// are longer, windows overlap, and several steps count the same event.
#[test]
fn panels_that_count_per_step_have_a_minimum_step() {
    let scrape = provisioning::datasource("prometheus");
    let scrape = seconds(string(&scrape, "/jsonData/timeInterval"));
    let mut counted = panels();
    counted.retain(counts_in_steps);

    assert!(!counted.is_empty());
    for Panel { name, json } in counted {
        let step = seconds(string(&json, "/interval"));
        assert!(step + scrape >= 4 * scrape, "{name}");
        let cells = json["type"] == "heatmap";
        let drawn = &json["fieldConfig"]["defaults"]["custom"]["drawStyle"];
        assert!(cells || *drawn == "bars", "{name}: {drawn}");
    }
}

#[test]
fn every_description_says_what_is_not_included() {
    for Panel { name, json } in panels() {
        let description = string(&json, "/description");
        assert!(description.contains("Not included: "), "{name}");
    }
}
