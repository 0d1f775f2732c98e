//! `docker-compose.yml`: valid, pinned, on loopback, and the right half of it for
//! each kind of Docker.

use std::{collections::BTreeSet, process::Command};

use serde_json::Value;

use crate::files::{self, list, string};

const FILE: &str = "docker-compose.yml";

/// One service of the file.
pub(crate) struct Service {
    name: String,
    json: Value,
}

impl Service {
    /// Every service.
    fn all() -> Vec<Self> {
        let file = files::yaml(FILE);
        let services = file["services"].as_object().expect("services").clone();
        services
            .into_iter()
            .map(|(name, json)| Self { name, json })
            .collect()
    }

    pub(crate) fn named(name: &str) -> Self {
        let found = Self::all().into_iter().find(|service| service.name == name);
        found.unwrap_or_else(|| panic!("there is no service {name}"))
    }

    /// A variable of its environment.
    pub(crate) fn environment(&self, name: &str) -> Option<String> {
        self.json["environment"][name].as_str().map(str::to_owned)
    }

    /// The words that follow the name of its program.
    pub(crate) fn command(&self) -> Vec<String> {
        let words = list(&self.json, "/command")
            .iter()
            .filter_map(Value::as_str);
        words.map(str::to_owned).collect()
    }

    /// What is mounted, as source, target and mode.
    fn mounts(&self) -> Vec<[String; 3]> {
        let mounts = list(&self.json, "/volumes").iter().map(|mount| {
            let parts: Vec<_> = mount
                .as_str()
                .expect("a mount")
                .split(':')
                .map(str::to_owned)
                .collect();
            parts.try_into().expect("source, target and mode")
        });
        mounts.collect()
    }

    /// What is mounted there, named from the root.
    pub(crate) fn source_of(&self, target: &str) -> String {
        let mounts = self.mounts();
        let found = mounts.iter().find(|[_, there, _]| there == target);
        let [source, ..] = found.unwrap_or_else(|| panic!("nothing is mounted at {target}"));
        source.trim_start_matches("./").to_owned()
    }

    fn is_for_desktop(&self) -> bool {
        self.name.ends_with("-desktop")
    }
}

/// The services of a kind of Docker.
fn of_profile(profile: &str) -> Vec<Service> {
    let mut services = Service::all();
    services.retain(|service| service.json["profiles"] == serde_json::json!([profile]));
    services
}

#[test]
fn each_kind_of_docker_has_three_services_of_its_own() {
    let names = |profile| -> BTreeSet<_> {
        let services = of_profile(profile).into_iter();
        services.map(|service| service.name).collect()
    };

    let linux = ["prometheus", "tempo", "grafana"];
    assert_eq!(names("linux"), linux.map(str::to_owned).into());
    let desktop = linux.map(|name| format!("{name}-desktop"));
    assert_eq!(names("desktop"), desktop.into());
    assert_eq!(Service::all().len(), 6);
}

#[test]
fn a_plain_up_is_the_one_for_linux() {
    let environment = files::text(".env");

    let set: Vec<_> = environment
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();

    assert_eq!(set, ["COMPOSE_PROFILES=linux"]);
}

#[test]
fn both_kinds_run_the_same_programs() {
    for service in of_profile("linux") {
        let twin = Service::named(&format!("{}-desktop", service.name));
        assert_eq!(service.json["image"], twin.json["image"]);
        let own = [
            "GF_SERVER_HTTP_ADDR",
            "PROMETHEUS_URL",
            "TEMPO_URL",
            "LISTEN_ADDRESS",
        ];
        let [mine, others] = [&service, &twin].map(|service| {
            let mut environment = service.json["environment"]
                .as_object()
                .cloned()
                .unwrap_or_default();
            environment.retain(|name, _| !own.contains(&name.as_str()));
            environment
        });
        assert_eq!(mine, others, "{}", service.name);
    }
}

#[test]
fn images_are_pinned_to_a_whole_version() {
    for service in Service::all() {
        let image = string(&service.json, "/image");
        let (_, tag) = image.split_once(':').expect("a tag");
        let numbers: Vec<_> = tag.trim_start_matches('v').split('.').collect();
        let whole =
            numbers.len() == 3 && numbers.iter().all(|number| number.parse::<u32>().is_ok());
        assert!(whole, "{image}");
    }
}

#[test]
fn nothing_listens_beyond_loopback() {
    for service in Service::all() {
        let published = list(&service.json, "/ports");
        if service.is_for_desktop() {
            assert_eq!(service.json.get("network_mode"), None, "{}", service.name);
            assert!(!published.is_empty(), "{} cannot be reached", service.name);
            for port in published {
                let port = port.as_str().expect("a port");
                assert!(port.starts_with("127.0.0.1:"), "{}: {port}", service.name);
            }
        } else {
            assert_eq!(service.json["network_mode"], "host", "{}", service.name);
            assert!(
                published.is_empty(),
                "the host's network knows no published ports"
            );
        }
    }
    // In the host's network the programs themselves keep to loopback; what Tempo
    // binds is in its own configuration.
    let listens = "--web.listen-address=127.0.0.1:9090".to_owned();
    assert!(Service::named("prometheus").command().contains(&listens));
    let grafana = Service::named("grafana").environment("GF_SERVER_HTTP_ADDR");
    assert_eq!(grafana.as_deref(), Some("127.0.0.1"));
    let tempo = Service::named("tempo").environment("LISTEN_ADDRESS");
    assert_eq!(tempo.as_deref(), Some("127.0.0.1"));
}

#[test]
fn no_web_site_may_read_what_prometheus_knows() {
    for service in ["prometheus", "prometheus-desktop"].map(Service::named) {
        let own = r"--web.cors.origin=http://127\.0\.0\.1:9090".to_owned();
        assert!(service.command().contains(&own), "{}", service.name);
    }
}

#[test]
fn what_is_mounted_is_there_and_is_only_read() {
    for service in Service::all() {
        for [source, _, mode] in service.mounts() {
            assert!(source.starts_with("./dashboards/"), "{source}");
            assert!(
                files::root().join(&source).exists(),
                "{source} is not there"
            );
            assert_eq!(mode, "ro", "{source}");
        }
    }
}

#[test]
fn every_file_of_the_folder_is_mounted_somewhere_or_is_a_test_of_one() {
    let mut folders = vec![files::root().join("dashboards")];
    let mounted: Vec<_> = Service::all()
        .iter()
        .flat_map(Service::mounts)
        .map(|[source, ..]| source)
        .collect();

    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path
                .strip_prefix(files::root())
                .expect("below the root")
                .to_string_lossy();
            let used = mounted
                .iter()
                .any(|source| name.starts_with(source.trim_start_matches("./")));
            assert!(used || name.contains("/tests/"), "nobody reads {name}");
        }
    }
}

#[test]
fn grafana_asks_nobody_to_log_in_and_tells_nobody_anything() {
    let grafana = Service::named("grafana");

    for (name, value) in [
        ("GF_AUTH_ANONYMOUS_ENABLED", "true"),
        ("GF_AUTH_ANONYMOUS_ORG_ROLE", "Editor"),
        ("GF_AUTH_BASIC_ENABLED", "false"),
        ("GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION", "true"),
        ("GF_SERVER_ENFORCE_DOMAIN", "true"),
        ("GF_ANALYTICS_REPORTING_ENABLED", "false"),
        ("GF_ANALYTICS_CHECK_FOR_UPDATES", "false"),
        ("GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES", "false"),
        ("GF_NEWS_NEWS_FEED_ENABLED", "false"),
    ] {
        assert_eq!(grafana.environment(name).as_deref(), Some(value), "{name}");
    }
}

/// `docker compose`, or the program that it was before.
fn compose() -> Command {
    let mut plugin = Command::new("docker");
    plugin.arg("compose");
    let there = Command::new("docker").args(["compose", "version"]).output();
    if there.is_ok_and(|output| output.status.success()) {
        return plugin;
    }
    Command::new("docker-compose")
}

#[test]
#[ignore = "needs docker compose"]
fn compose_finds_the_file_valid_for_each_profile() {
    for profile in ["linux", "desktop"] {
        let output = compose()
            .args(["--file", FILE, "--profile", profile, "config"])
            .current_dir(files::root())
            .env_remove("COMPOSE_PROFILES")
            .output()
            .expect("docker compose is installed");

        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let resolved = files::yaml_of(
            "what compose makes of it",
            &String::from_utf8_lossy(&output.stdout),
        );
        for service in of_profile(profile) {
            let there = &resolved["services"][&service.name];
            assert_eq!(there["image"], service.json["image"], "{resolved}");
        }
    }
}
