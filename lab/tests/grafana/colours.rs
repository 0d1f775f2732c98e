//! One colour for one meaning, in all dashboards and on the lab's page, and graphs that
//! show only counted values.

use std::collections::{BTreeMap, BTreeSet};

use client::{FailureKind, RETRY_STATUSES, telemetry::GiveUp};
use serde_json::{Value, json};

use crate::{
    dashboards::{Panel, panels},
    files::{self, string},
};

/// The names to which a panel gives a colour, each with the colour.
fn coloured(panel: &Panel) -> Vec<(String, String)> {
    let overrides = panel.overrides().iter();
    let named = overrides.filter(|field| field["matcher"]["id"] == "byName");
    named
        .filter_map(|field| {
            let properties = files::list(field, "/properties").iter();
            let mut colours = properties.filter(|property| property["id"] == "color");
            let colour = string(colours.next()?, "/value/fixedColor").to_owned();
            Some((string(field, "/matcher/options").to_owned(), colour))
        })
        .collect()
}

#[test]
fn a_name_has_one_colour_wherever_it_is_drawn() {
    let mut known = BTreeMap::<String, String>::new();
    for panel in panels() {
        for (name, colour) in coloured(&panel) {
            let before = known.entry(name.clone()).or_insert_with(|| colour.clone());
            assert_eq!(*before, colour, "{name} in {}", panel.name);
        }
    }
}

#[test]
fn the_names_of_a_panel_have_different_colours() {
    for panel in panels() {
        let names = coloured(&panel);
        let colours: BTreeSet<_> = names.iter().map(|(_, colour)| colour).collect();
        assert_eq!(colours.len(), names.len(), "{}: {names:?}", panel.name);
    }
}

#[test]
fn every_failure_status_and_limit_has_its_own_colour() {
    let failures = FailureKind::ALL.into_iter();
    let failures = failures.filter(|kind| *kind != FailureKind::QueueTimeout);
    let failures: Vec<_> = failures.map(FailureKind::as_str).collect();
    let statuses = RETRY_STATUSES.map(|status| status.as_str().to_owned());
    let results: Vec<_> = failures
        .iter()
        .map(|kind| (*kind).to_owned())
        .chain(statuses)
        .collect();
    let limits = GiveUp::ALL.map(|why| why.as_str().to_owned());

    for panel in panels() {
        let coloured: BTreeSet<_> = coloured(&panel).into_iter().map(|(name, _)| name).collect();
        let drawn = panel.expressions().collect::<String>();
        let named: &[String] = match &drawn {
            drawn if drawn.contains("sum by (result) (rate(client_attempts_total") => &results,
            drawn if drawn.contains("sum by (reason) (rate(client_give_ups_total") => &limits,
            _ => continue,
        };
        for name in named {
            assert!(coloured.contains(name), "{}: {name}", panel.name);
        }
    }
}

/// The hue of a colour, in degrees.
fn hue(colour: &str) -> f64 {
    let part = |from: usize| u8::from_str_radix(&colour[from..from + 2], 16).expect("hex digits");
    let [red, green, blue] = [1, 3, 5].map(|from| f64::from(part(from)));
    let (largest, smallest) = (red.max(green).max(blue), red.min(green).min(blue));
    let range = largest - smallest;
    let sixth = if largest == red {
        (green - blue) / range
    } else if largest == green {
        (blue - red) / range + 2.0
    } else {
        (red - green) / range + 4.0
    };
    (sixth * 60.0).rem_euclid(360.0)
}

#[test]
fn the_dashboards_use_the_colours_of_the_page() {
    let page = files::text("lab/assets/style.css");
    let drawn: BTreeMap<_, _> = panels().iter().flat_map(coloured).collect();

    for (variable, name) in [
        ("--ok", "ok at once"),
        ("--failed", "503"),
        ("--wait", "retry_after"),
        ("--wait", "between attempts"),
        ("--accent", "attempts"),
    ] {
        let defined = page.lines().find_map(|line| {
            let value = line
                .trim()
                .strip_prefix(&format!("{variable}: light-dark("))?;
            value.strip_suffix(");")
        });
        let both = defined.unwrap_or_else(|| panic!("the page has no {variable}"));
        for scheme in both.split(", ") {
            let apart = (hue(scheme) - hue(&drawn[name])).rem_euclid(360.0);
            let apart = apart.min(360.0 - apart);
            assert!(apart <= 20.0, "{name} is {apart}° from {variable} {scheme}");
        }
    }
}

/// Within a bucket a quantile is interpolated: waits of exactly two seconds read as 1.75.
#[test]
fn no_panel_interpolates_within_a_bucket() {
    for panel in panels() {
        for expression in panel.expressions() {
            assert!(!expression.contains("quantile"), "{}", panel.name);
        }
    }
}

/// A client of the lab lives for one run, so its gauge would show the last run only.
#[test]
fn panels_do_not_show_gauges_of_a_single_client() {
    for panel in panels() {
        for metric in ["client_retry_budget_tokens", "client_concurrency_limit"] {
            assert!(
                panel.expressions().all(|it| !it.contains(metric)),
                "{}",
                panel.name
            );
        }
    }
}

#[test]
fn series_that_never_rose_are_not_in_a_legend() {
    let never = json!({
        "matcher": {
            "id": "byValue",
            "options": { "reducer": "allIsZero", "op": "gte", "value": 0 }
        },
        "properties": [{
            "id": "custom.hideFrom",
            "value": { "legend": true, "tooltip": true, "viz": false }
        }]
    });
    for panel in panels() {
        if panel.kind() == "timeseries" {
            let hides = panel.overrides().contains(&never);
            assert!(hides, "{}", panel.name);
        }
    }
}

/// Counts per second are not seconds, and a share is not a count.
#[test]
fn every_panel_has_the_unit_of_its_number() {
    for panel in panels() {
        let unit = panel.json.pointer("/fieldConfig/defaults/unit");
        let unit = unit.and_then(Value::as_str).unwrap_or_default();
        for expression in panel.expressions() {
            let ratio = expression.contains(" / ");
            let expected: &[&str] = match expression {
                it if it.contains("_seconds_sum") && ratio => &["s"],
                it if it.contains("client_call_attempts") => &["none"],
                it if it.contains("client_retry_wait_seconds_bucket") => &["s"],
                _ if ratio => &["percentunit"],
                it if it.contains("_seconds_sum") => &["short"],
                it if it.contains("rate(") => &["cps", "reqps"],
                it if it.contains("increase(") => &["short"],
                _ => &["bool_on_off", "none", "short"],
            };
            assert!(expected.contains(&unit), "{}: {unit}", panel.name);
        }
    }
}
