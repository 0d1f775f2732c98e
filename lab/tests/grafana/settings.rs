//! The settings of Docker, Prometheus, Tempo and Grafana on which safety or another file
//! depends, so that no manual setup is needed.

use std::collections::BTreeMap;

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
  /services/tempo-room/command "-config.expand-env=true"
  # Grafana finds both data sources.
  /services/grafana/environment/PROMETHEUS_URL "http://127.0.0.1:9090"
  /services/grafana/environment/TEMPO_URL "http://127.0.0.1:3200"
  /services/grafana-desktop/environment/PROMETHEUS_URL "http://prometheus-desktop:9090"
  /services/grafana-desktop/environment/TEMPO_URL "http://tempo-desktop:3200"
  /services/grafana-room/environment/PROMETHEUS_URL "http://127.0.0.1:9090"
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
  /services/prometheus-room/command "--web.cors.origin=http://127\\.0\\.0\\.1:9090"
  # Nothing on the host can write to the Prometheus of a room: a host reaches every address
  # of a container but its loopback.
  /services/prometheus-room/command "--web.listen-address=127.0.0.1:9090"
  /services/prometheus-room/command "--web.enable-remote-write-receiver"
  /services/prometheus-room/command "--enable-feature=exemplar-storage"
  /services/prometheus-room/command "--storage.tsdb.retention.time=1d"
  /services/prometheus-room/command "--storage.tsdb.retention.size=1GB"
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
  /services/grafana-room/volumes "./dashboards/grafana/room:/etc/grafana/dashboards:ro,z"
  /services/grafana-room/environment/GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH "/etc/grafana/dashboards/room.json"
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
dashboards/tempo/room.yml
  # It counts the traces and writes the numbers to Prometheus, with a limit to each amount.
  /metrics_generator/storage/remote_write/0/url "http://127.0.0.1:9090/api/v1/write"
  /metrics_generator/storage/remote_write/0/send_exemplars true
  # Job and instance are those of the resource.
  /metrics_generator/processor/span_metrics/enable_target_info true
  /overrides/defaults/metrics_generator/processors ["span-metrics"]
  /overrides/defaults/metrics_generator/max_active_series 60000
  /overrides/defaults/ingestion/rate_limit_bytes 1000000
  /overrides/defaults/ingestion/burst_size_bytes 4000000
  /overrides/defaults/ingestion/max_traces_per_user 10000
  /overrides/defaults/global/max_bytes_per_trace 2000000
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

/// Apart from its counts, it is configured like the Tempo of a single lab.
#[test]
fn a_room_keeps_its_traces_as_a_single_lab_does() {
    let read = |file| -> BTreeMap<String, Value> {
        serde_json::from_value(files::yaml(file)).expect("a mapping")
    };
    let (single, mut room) = (
        read("dashboards/tempo/tempo.yml"),
        read("dashboards/tempo/room.yml"),
    );
    for own in ["metrics_generator", "overrides"] {
        assert!(room.remove(own).is_some(), "{own}");
    }

    assert_eq!(room, single);
}
