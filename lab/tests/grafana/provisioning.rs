//! The configuration that Prometheus, Tempo and Grafana read at their start, so that no
//! manual setup is needed.

use serde_json::{Value, json};

use crate::{
    compose::Service,
    dashboards::FOLDER,
    files::{self, list, string},
    rules::RULES,
};

const DATASOURCES: &str = "dashboards/grafana/provisioning/datasources/lab.yml";
const PROVIDERS: &str = "dashboards/grafana/provisioning/dashboards/lab.yml";
const PROMETHEUS: &str = "dashboards/prometheus/prometheus.yml";
const TEMPO: &str = "dashboards/tempo/tempo.yml";

/// The provisioned data source of this type.
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
        let set = service.environment.get(name);
        whole.extend([set.map_or(default, String::as_str), rest]);
    }
    whole
}

#[test]
fn grafana_gets_both_data_sources_with_their_addresses() {
    let sources = ["prometheus", "tempo"].map(datasource);

    for source in sources {
        let kind = string(&source, "/type");
        assert_eq!(source["uid"], kind);
        assert_eq!(source["editable"], false);
        let variable = string(&source, "/url")
            .strip_prefix('$')
            .expect("a variable");
        let urls = twins("grafana").map(|grafana| grafana.environment[variable].clone());
        let port = if kind == "tempo" { 3200 } else { 9090 };
        let hosts = ["127.0.0.1", &format!("{kind}-desktop")];
        assert_eq!(urls, hosts.map(|host| format!("http://{host}:{port}")));
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

    for (service, host) in twins("prometheus")
        .into_iter()
        .zip(["127.0.0.1", "host.docker.internal"])
    {
        let source = |file: &str| service.source_of(&format!("/etc/prometheus/{file}"));
        assert_eq!(source("prometheus.yml"), PROMETHEUS);
        assert_eq!(source("rules"), RULES);
        let target = files::yaml(&source("targets/lab.yml"));
        let address = format!("{host}:{}", server::DEFAULT_PORT);
        assert_eq!(target[0]["targets"], json!([address]));
    }
}

#[test]
fn grafana_finds_the_dashboards_where_they_are_mounted() {
    let file = files::yaml(PROVIDERS);
    let folder = string(&file, "/providers/0/options/path");

    assert_eq!(file["providers"][0]["allowUiUpdates"], false);
    for grafana in twins("grafana") {
        assert_eq!(grafana.source_of(folder), FOLDER);
        for (place, source) in [("datasources", DATASOURCES), ("dashboards", PROVIDERS)] {
            let mounted = grafana.source_of(&format!("/etc/grafana/provisioning/{place}"));
            assert!(source.starts_with(&mounted), "{mounted}");
        }
        let home = &grafana.environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"];
        let home = home.replace(folder, FOLDER);
        assert!(files::root().join(&home).is_file(), "{home}");
    }
}

#[test]
fn grafana_expands_only_addresses_in_provisioned_files() {
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
fn tempo_receives_the_traces_of_the_lab_and_exposes_nothing_else() {
    for (service, address) in twins("tempo").into_iter().zip(["127.0.0.1", "0.0.0.0"]) {
        assert_eq!(service.source_of("/etc/tempo/tempo.yml"), TEMPO);
        let expand = "-config.expand-env=true".to_owned();
        assert!(service.command.contains(&expand));
        let tempo = files::yaml_of(TEMPO, &expanded(&files::text(TEMPO), &service));

        let http = json!({ "endpoint": format!("{address}:4318") });
        for (pointer, expected) in [
            (
                "/distributor/receivers",
                json!({ "otlp": { "protocols": { "http": http } } }),
            ),
            ("/server/http_listen_address", json!(address)),
            ("/server/http_listen_port", json!(3200)),
            ("/server/grpc_listen_address", json!("127.0.0.1")),
            ("/usage_report/reporting_enabled", json!(false)),
            ("/storage/trace/backend", json!("local")),
            ("/backend_worker/compaction/block_retention", json!("1h")),
        ] {
            assert_eq!(tempo.pointer(pointer), Some(&expected), "{pointer}");
        }
    }
}
