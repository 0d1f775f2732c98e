//! What Prometheus, Tempo and Grafana find when they start, so that there is
//! nothing to click.

use serde_json::{Value, json};

use crate::{
    compose::Service,
    files::{self, list, string},
};

const DATASOURCES: &str = "dashboards/grafana/provisioning/datasources/lab.yml";
const PROVIDERS: &str = "dashboards/grafana/provisioning/dashboards/lab.yml";
const PROMETHEUS: &str = "dashboards/prometheus/prometheus.yml";
const TEMPO: &str = "dashboards/tempo/tempo.yml";

/// The data source of this type that Grafana is given.
pub(crate) fn datasource(kind: &str) -> Value {
    let file = files::yaml(DATASOURCES);
    let all = list(&file, "/datasources").iter();
    let found: Vec<_> = all.filter(|source| source["type"] == kind).collect();
    let [source] = found.as_slice() else {
        panic!("{} data sources of the type {kind}", found.len());
    };
    (*source).clone()
}

/// The service of this name and its twin for Docker Desktop.
fn twins(name: &str) -> [Service; 2] {
    [name.to_owned(), format!("{name}-desktop")].map(|name| Service::named(&name))
}

/// `${NAME:-default}` with the environment of a service.
fn expanded(text: &str, service: &Service) -> String {
    let mut parts = text.split("${");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (variable, rest) = part.split_once('}').expect("an end");
        let (name, default) = variable.split_once(":-").expect("a default");
        let set = service.environment(name);
        whole.extend([set.as_deref().unwrap_or(default), rest]);
    }
    whole
}

#[test]
fn grafana_is_given_both_sources_with_addresses_of_their_own() {
    let sources = ["prometheus", "tempo"].map(datasource);

    for source in sources {
        let kind = string(&source, "/type");
        assert_eq!(source["uid"], kind);
        assert_eq!(source["editable"], false);
        let variable = string(&source, "/url")
            .strip_prefix('$')
            .expect("a variable");
        let [linux, desktop] = twins("grafana").map(|grafana| grafana.environment(variable));
        let port = if kind == "tempo" { 3200 } else { 9090 };
        assert_eq!(linux, Some(format!("http://127.0.0.1:{port}")));
        assert_eq!(desktop, Some(format!("http://{kind}-desktop:{port}")));
    }
}

#[test]
fn a_rate_is_taken_over_the_interval_that_prometheus_scrapes_at() {
    let prometheus = files::yaml(PROMETHEUS);

    let interval = &prometheus["global"]["scrape_interval"];

    assert_eq!(
        datasource("prometheus")["jsonData"]["timeInterval"],
        *interval
    );
}

#[test]
fn the_job_that_prometheus_scrapes_is_the_one_that_rules_and_panels_name() {
    let prometheus = files::yaml(PROMETHEUS);

    let jobs: Vec<_> = list(&prometheus, "/scrape_configs")
        .iter()
        .map(|job| &job["job_name"])
        .collect();

    assert_eq!(jobs, ["lab"]);
}

#[test]
fn prometheus_finds_its_rules_and_its_target() {
    let prometheus = files::yaml(PROMETHEUS);
    let targets = list(&prometheus, "/scrape_configs/0/file_sd_configs/0/files");
    assert_eq!(prometheus["rule_files"], json!(["rules/*.yml"]));
    assert_eq!(*targets, [json!("targets/*.yml")]);

    let [linux, desktop] = twins("prometheus").map(|service| {
        assert_eq!(
            service.source_of("/etc/prometheus/prometheus.yml"),
            PROMETHEUS
        );
        assert_eq!(
            service.source_of("/etc/prometheus/rules"),
            "dashboards/prometheus/rules"
        );
        let target = files::yaml(&service.source_of("/etc/prometheus/targets/lab.yml"));
        target[0]["targets"].clone()
    });

    let port = server::DEFAULT_PORT;
    assert_eq!(linux, json!([format!("127.0.0.1:{port}")]));
    assert_eq!(desktop, json!([format!("host.docker.internal:{port}")]));
}

#[test]
fn grafana_finds_the_dashboards_where_they_are_mounted() {
    let file = files::yaml(PROVIDERS);
    let folder = string(&file, "/providers/0/options/path");

    assert_eq!(file["providers"][0]["allowUiUpdates"], false);
    for grafana in twins("grafana") {
        assert_eq!(grafana.source_of(folder), crate::dashboards::FOLDER);
        for (place, source) in [("datasources", DATASOURCES), ("dashboards", PROVIDERS)] {
            let mounted = grafana.source_of(&format!("/etc/grafana/provisioning/{place}"));
            assert!(source.starts_with(&mounted), "{mounted}");
        }
        let home = grafana.environment("GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH");
        let home = home
            .expect("a home")
            .replace(folder, crate::dashboards::FOLDER);
        assert!(files::root().join(&home).is_file(), "{home}");
    }
}

#[test]
fn nothing_that_is_provisioned_but_an_address_is_expanded_by_grafana() {
    for file in [DATASOURCES, PROVIDERS] {
        let text = files::text(file);
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'));
        for line in lines.filter(|line| line.contains('$')) {
            assert!(line.trim_start().starts_with("url: $"), "{file}: {line}");
        }
    }
}

#[test]
fn tempo_receives_traces_where_the_lab_sends_them_and_keeps_to_itself() {
    for (service, address) in twins("tempo").into_iter().zip(["127.0.0.1", "0.0.0.0"]) {
        assert_eq!(service.source_of("/etc/tempo/tempo.yml"), TEMPO);
        assert!(
            service
                .command()
                .contains(&"-config.expand-env=true".to_owned())
        );
        let tempo = files::yaml_of(TEMPO, &expanded(&files::text(TEMPO), &service));

        let receivers = &tempo["distributor"]["receivers"];
        assert_eq!(
            *receivers,
            json!({ "otlp": { "protocols": { "http": { "endpoint": format!("{address}:4318") } } } })
        );
        assert_eq!(tempo["server"]["http_listen_address"], address);
        assert_eq!(tempo["server"]["http_listen_port"], 3200);
        assert_eq!(tempo["server"]["grpc_listen_address"], "127.0.0.1");
        assert_eq!(tempo["usage_report"]["reporting_enabled"], false);
        assert_eq!(tempo["storage"]["trace"]["backend"], "local");
        assert_eq!(
            tempo["backend_worker"]["compaction"]["block_retention"],
            "1h"
        );
    }
}
