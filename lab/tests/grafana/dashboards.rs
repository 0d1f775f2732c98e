//! The dashboards: panels, expressions and variables, without their layout.

use serde_json::Value;

use crate::grafana::files::{self, list, string};

/// Where Grafana's files are.
const FOLDER: &str = "dashboards/grafana/dashboards";

/// One dashboard.
pub(crate) struct Dashboard {
    /// The name of its file, without the ending.
    pub(crate) name: &'static str,
    pub(crate) json: Value,
}

/// One panel of a dashboard; rows are not panels.
pub(crate) struct Panel {
    /// Its name in error messages.
    pub(crate) name: String,
    pub(crate) json: Value,
}

/// Every panel of every dashboard.
pub(crate) fn panels() -> Vec<Panel> {
    let dashboards = Dashboard::all();
    dashboards.iter().flat_map(Dashboard::panels).collect()
}

impl Dashboard {
    /// Every dashboard there is, in the order of their names.
    pub(crate) fn all() -> Vec<Self> {
        ["client-reliability", "service", "workshop"]
            .map(|name| Self {
                json: serde_json::from_str(&files::text(&format!("{FOLDER}/{name}.json")))
                    .unwrap_or_else(|error| panic!("{name}: {error}")),
                name,
            })
            .into()
    }

    /// The panels, in the order of the file.
    pub(crate) fn panels(&self) -> Vec<Panel> {
        let panels = list(&self.json, "/panels").iter();
        panels
            .filter(|panel| panel["type"] != "row")
            .map(|panel| Panel {
                name: format!("{}: panel {} {}", self.name, panel["id"], panel["title"]),
                json: panel.clone(),
            })
            .collect()
    }

    /// The variables.
    pub(crate) fn variables(&self) -> &[Value] {
        list(&self.json, "/templating/list")
    }
}

impl Panel {
    /// Its kind, such as `stat`.
    pub(crate) fn kind(&self) -> &str {
        string(&self.json, "/type")
    }

    /// The unit of its numbers.
    pub(crate) fn unit(&self) -> &str {
        let unit = self.json.pointer("/fieldConfig/defaults/unit");
        unit.and_then(Value::as_str).unwrap_or_default()
    }

    /// Its targets: each an expression and how its result is shown.
    pub(crate) fn targets(&self) -> &[Value] {
        list(&self.json, "/targets")
    }

    /// The expressions of its targets.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &str> {
        self.targets().iter().map(|target| string(target, "/expr"))
    }
}

/// An expression as Grafana sends it for one lab, with `All` selected for every other
/// variable.
pub(crate) fn substituted(expression: &str, instance: &str, range: &str) -> String {
    let sent = expression
        .replace("$__rate_interval", range)
        .replace("$__range", range)
        .replace("$instance", instance);
    let sent = ["$job", "$endpoint", "$route"]
        .iter()
        .fold(sent, |sent, variable| sent.replace(variable, ".+"));
    assert!(!sent.contains('$'), "a variable is left in {sent}");
    sent
}
