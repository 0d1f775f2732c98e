//! The dashboards: panels, queries and variables, without their looks.

use serde_json::Value;

use crate::files::{self, list};

/// Where Grafana's files are.
pub(crate) const FOLDER: &str = "dashboards/grafana/dashboards";

/// One dashboard.
#[derive(Clone)]
pub(crate) struct Dashboard {
    /// The name of its file, without the ending.
    pub(crate) name: String,
    pub(crate) json: Value,
}

/// One panel of a dashboard; a row is none.
pub(crate) struct Panel<'a> {
    pub(crate) dashboard: &'a Dashboard,
    pub(crate) json: &'a Value,
}

impl Dashboard {
    /// Every dashboard there is.
    pub(crate) fn all() -> Vec<Self> {
        let files = files::folder(FOLDER, ".json");
        files
            .iter()
            .map(|file| {
                let name = file.file_stem().expect("a name").to_string_lossy();
                let text = files::text(&format!("{FOLDER}/{name}.json"));
                Self {
                    json: serde_json::from_str(&text)
                        .unwrap_or_else(|error| panic!("{name}: {error}")),
                    name: name.into_owned(),
                }
            })
            .collect()
    }

    /// The panels, in the order of the file.
    pub(crate) fn panels(&self) -> impl Iterator<Item = Panel<'_>> {
        let all = list(&self.json, "/panels").iter();
        all.filter(|panel| panel["type"] != "row")
            .map(|json| Panel {
                dashboard: self,
                json,
            })
    }

    /// The variables.
    pub(crate) fn variables(&self) -> &[Value] {
        list(&self.json, "/templating/list")
    }

    /// The variables whose values come from Prometheus.
    pub(crate) fn queried_variables(&self) -> impl Iterator<Item = &Value> {
        self.variables()
            .iter()
            .filter(|variable| variable["type"] == "query")
    }
}

impl Panel<'_> {
    /// What a complaint calls the panel.
    pub(crate) fn name(&self) -> String {
        let title = self.json["title"].as_str().unwrap_or_default();
        format!(
            "{}: panel {} \"{title}\"",
            self.dashboard.name, self.json["id"]
        )
    }

    /// Its kind, such as `stat`.
    pub(crate) fn kind(&self) -> &str {
        self.json["type"].as_str().unwrap_or_default()
    }

    /// Whether it shows numbers; else it is a text.
    pub(crate) fn is_queried(&self) -> bool {
        self.kind() != "text"
    }

    /// Its queries.
    pub(crate) fn targets(&self) -> &[Value] {
        list(self.json, "/targets")
    }

    /// The expressions of its queries.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &str> {
        self.targets()
            .iter()
            .filter_map(|target| target["expr"].as_str())
    }
}
