//! The dashboards: panels, queries and variables, without their layout.

use serde_json::Value;

use crate::{
    files::{self, list, string},
    promql::{self, Query},
};

/// Where Grafana's files are.
pub(crate) const FOLDER: &str = "dashboards/grafana/dashboards";

/// One dashboard.
pub(crate) struct Dashboard {
    /// The name of its file, without the ending.
    pub(crate) name: String,
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
    Dashboard::all()
        .iter()
        .flat_map(Dashboard::panels)
        .collect()
}

impl Dashboard {
    /// Every dashboard there is, in the order of their names.
    pub(crate) fn all() -> Vec<Self> {
        let files = files::folder(FOLDER, ".json").into_iter();
        files
            .map(|file| {
                let read = serde_json::from_str(&files::text(&file));
                let json = read.unwrap_or_else(|error| panic!("{file}: {error}"));
                let name = file.strip_prefix(FOLDER).expect("it is in the folder");
                let name = name[1..].trim_end_matches(".json").to_owned();
                Self { name, json }
            })
            .collect()
    }

    pub(crate) fn named(name: &str) -> Self {
        let found = Self::all().into_iter().find(|it| it.name == name);
        found.unwrap_or_else(|| panic!("there is no dashboard {name}"))
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

    /// The selector and the label of each variable whose values come from
    /// Prometheus: `label_values(selector, label)`.
    pub(crate) fn queried_variables(&self) -> Vec<(&str, &str)> {
        let queried = self.variables().iter().filter(|it| it["type"] == "query");
        queried
            .map(|variable| {
                let query = string(variable, "/query");
                let inner = query.strip_prefix("label_values(");
                let inner = inner.and_then(|rest| rest.strip_suffix(')')?.rsplit_once(", "));
                inner.unwrap_or_else(|| panic!("{}: {query}", self.name))
            })
            .collect()
    }
}

impl Panel {
    /// Its kind, such as `stat`.
    pub(crate) fn kind(&self) -> &str {
        string(&self.json, "/type")
    }

    /// Its targets: each an expression and how its result is shown.
    pub(crate) fn targets(&self) -> &[Value] {
        list(&self.json, "/targets")
    }

    /// The expressions of its targets.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &str> {
        self.targets().iter().map(|target| string(target, "/expr"))
    }

    /// What its expressions read.
    pub(crate) fn queries(&self) -> impl Iterator<Item = Query> {
        self.expressions()
            .map(|text| promql::read(text).unwrap_or_else(|error| panic!("{}: {error}", self.name)))
    }

    /// Where a click on its data leads.
    pub(crate) fn links(&self) -> &[Value] {
        list(&self.json, "/fieldConfig/defaults/links")
    }

    /// What is drawn otherwise than the rest.
    pub(crate) fn overrides(&self) -> &[Value] {
        list(&self.json, "/fieldConfig/overrides")
    }
}
