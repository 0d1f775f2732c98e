//! The settings of Docker, Prometheus, Tempo and Grafana on which safety or another file
//! depends, so that no manual setup is needed.

use serde_json::Value;

use crate::files::{self, list};

/// For each file the pointers to its settings, and their values as JSON. If a setting is a
/// list and its value is not, the list contains the value. A setting that is null is absent.
const SETTINGS: &str = r##"
docker-compose.yml
  # In the host's network the programs themselves listen on loopback. Docker Desktop
  # publishes their ports there.
  /services/prometheus/command "--web.listen-address=127.0.0.1:9090"
  /services/grafana/environment/GF_SERVER_HTTP_ADDR "127.0.0.1"
  /services/tempo/environment/LISTEN_ADDRESS "127.0.0.1"
  /services/tempo-desktop/environment/LISTEN_ADDRESS "0.0.0.0"
  /services/tempo/command "-config.expand-env=true"
  /services/tempo-desktop/command "-config.expand-env=true"
  # Grafana finds both data sources.
  /services/grafana/environment/PROMETHEUS_URL "http://127.0.0.1:9090"
  /services/grafana/environment/TEMPO_URL "http://127.0.0.1:3200"
  /services/grafana-desktop/environment/PROMETHEUS_URL "http://prometheus-desktop:9090"
  /services/grafana-desktop/environment/TEMPO_URL "http://tempo-desktop:3200"
  # It needs no login and sends no reports.
  /services/grafana/environment/GF_AUTH_ANONYMOUS_ENABLED "true"
  /services/grafana/environment/GF_AUTH_ANONYMOUS_ORG_ROLE "Editor"
  /services/grafana/environment/GF_AUTH_BASIC_ENABLED "false"
  /services/grafana/environment/GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION "true"
  /services/grafana/environment/GF_SERVER_ENFORCE_DOMAIN "true"
  /services/grafana/environment/GF_ANALYTICS_REPORTING_ENABLED "false"
  /services/grafana/environment/GF_ANALYTICS_CHECK_FOR_UPDATES "false"
  /services/grafana/environment/GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES "false"
  /services/grafana/environment/GF_NEWS_NEWS_FEED_ENABLED "false"
  # Other web sites cannot read the API of Prometheus.
  /services/prometheus/command "--web.cors.origin=http://127\\.0\\.0\\.1:9090"
  /services/prometheus-desktop/command "--web.cors.origin=http://127\\.0\\.0\\.1:9090"
  # Each program gets its files.
  /services/prometheus/volumes "./dashboards/prometheus/prometheus.yml:/etc/prometheus/prometheus.yml:ro,z"
  /services/prometheus/volumes "./dashboards/prometheus/rules:/etc/prometheus/rules:ro,z"
  /services/prometheus/volumes "./dashboards/prometheus/targets/linux.yml:/etc/prometheus/targets/lab.yml:ro,z"
  /services/prometheus-desktop/volumes "./dashboards/prometheus/targets/desktop.yml:/etc/prometheus/targets/lab.yml:ro,z"
  /services/tempo/volumes "./dashboards/tempo/tempo.yml:/etc/tempo/tempo.yml:ro,z"
  /services/grafana/volumes "./dashboards/grafana/provisioning/datasources:/etc/grafana/provisioning/datasources:ro,z"
  /services/grafana/volumes "./dashboards/grafana/provisioning/dashboards:/etc/grafana/provisioning/dashboards:ro,z"
  /services/grafana/volumes "./dashboards/grafana/dashboards:/etc/grafana/dashboards:ro,z"
  /services/grafana/volumes "./dashboards/grafana/runbooks.html:/usr/share/grafana/public/lab/runbooks.html:ro,z"
  /services/grafana/environment/GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH "/etc/grafana/dashboards/workshop.json"
dashboards/grafana/provisioning/datasources/lab.yml
  /datasources/0/type "prometheus"
  /datasources/0/uid "prometheus"
  /datasources/0/url "$PROMETHEUS_URL"
  /datasources/0/editable false
  # A rate is taken over the interval at which Prometheus scrapes.
  /datasources/0/jsonData/timeInterval "5s"
  /datasources/1/type "tempo"
  /datasources/1/uid "tempo"
  /datasources/1/url "$TEMPO_URL"
  /datasources/1/editable false
  /datasources/2 null
dashboards/grafana/provisioning/dashboards/lab.yml
  /providers/0/options/path "/etc/grafana/dashboards"
  /providers/0/allowUiUpdates false
dashboards/prometheus/prometheus.yml
  /global/scrape_interval "5s"
  /rule_files ["rules/*.yml"]
  # Rules and panels name this job.
  /scrape_configs/0/job_name "lab"
  /scrape_configs/0/file_sd_configs/0/files ["targets/*.yml"]
  /scrape_configs/1 null
dashboards/tempo/tempo.yml
  # It receives the traces of the lab and exposes nothing else.
  /distributor/receivers {"otlp":{"protocols":{"http":{"endpoint":"${LISTEN_ADDRESS:-127.0.0.1}:4318"}}}}
  /server/http_listen_address "${LISTEN_ADDRESS:-127.0.0.1}"
  /server/http_listen_port 3200
  /server/grpc_listen_address "127.0.0.1"
  /usage_report/reporting_enabled false
  /storage/trace/backend "local"
  /backend_worker/compaction/block_retention "1h"
"##;

#[test]
fn each_setting_has_its_value() {
    let mut file = Value::Null;
    for line in SETTINGS.lines().filter(|line| !line.is_empty()) {
        match line.trim_start() {
            comment if comment.starts_with('#') => {}
            path if path == line => file = files::yaml(path),
            setting => {
                let (pointer, value) = setting.split_once(' ').expect("a value");
                let value: Value = serde_json::from_str(value).expect(setting);
                let found = file.pointer(pointer).unwrap_or(&Value::Null);
                let contains = found.as_array().is_some_and(|all| all.contains(&value));
                assert!(*found == value || contains, "{setting}: {found}");
            }
        }
    }
}

#[test]
fn prometheus_scrapes_the_default_port_of_the_service() {
    for (file, host) in [("linux", "127.0.0.1"), ("desktop", "host.docker.internal")] {
        let targets = files::yaml(&format!("dashboards/prometheus/targets/{file}.yml"));
        let address = format!("{host}:{}", server::DEFAULT_PORT);
        assert_eq!(*list(&targets, "/0/targets"), [Value::from(address)]);
    }
}

#[test]
fn grafana_expands_only_addresses_in_provisioned_files() {
    for folder in ["datasources", "dashboards"] {
        let text = files::text(&format!("dashboards/grafana/provisioning/{folder}/lab.yml"));
        let lines = text.lines().map(str::trim_start);
        for line in lines.filter(|line| line.contains('$') && !line.starts_with('#')) {
            assert!(line.starts_with("url: $"), "{folder}: {line}");
        }
    }
}
