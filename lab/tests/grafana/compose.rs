//! `docker-compose.yml`: valid, pinned, on loopback, and with the right services for each
//! kind of Docker.

use std::{collections::BTreeMap, process::Command};

use serde::Deserialize;
use serde_json::Value;

use crate::files;

const FILE: &str = "docker-compose.yml";

/// One service of the file.
#[derive(Deserialize)]
pub(crate) struct Service {
    image: String,
    profiles: Vec<String>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// The arguments of its program.
    #[serde(default)]
    pub(crate) command: Vec<String>,
    volumes: Vec<String>,
    #[serde(default)]
    ports: Vec<String>,
    network_mode: Option<String>,
    restart: String,
    read_only: bool,
    cap_drop: Vec<String>,
    security_opt: Vec<String>,
    tmpfs: Vec<String>,
    pids_limit: u32,
    cpus: f64,
    mem_limit: String,
    healthcheck: HealthCheck,
}

/// The health check of a service.
#[derive(Deserialize)]
struct HealthCheck {
    test: Vec<String>,
}

/// Every service, by its name.
fn services() -> BTreeMap<String, Service> {
    let services = files::yaml(FILE)["services"].take();
    serde_json::from_value(services).expect("services")
}

impl Service {
    pub(crate) fn named(name: &str) -> Self {
        let found = services().remove(name);
        found.unwrap_or_else(|| panic!("there is no service {name}"))
    }

    /// The mounts, as source, target and mode; sources are relative to the root.
    fn mounts(&self) -> Vec<[String; 3]> {
        let mounts = self.volumes.iter();
        let mounts = mounts.filter_map(|mount| mount.strip_prefix("./"));
        mounts
            .map(|mount| {
                let parts: Vec<_> = mount.split(':').map(str::to_owned).collect();
                parts.try_into().expect("source, target and mode")
            })
            .collect()
    }

    /// Its volumes: the name and the path of each.
    fn named_volumes(&self) -> Vec<(&str, &str)> {
        let volumes = self.volumes.iter();
        let named = volumes.filter(|mount| !mount.starts_with('.'));
        named
            .map(|mount| mount.split_once(':').expect("a name and a place"))
            .collect()
    }

    /// The file that is mounted there, relative to the root.
    pub(crate) fn source_of(&self, target: &str) -> String {
        let mut mounts = self.mounts().into_iter();
        let found = mounts.find(|[_, there, _]| there == target);
        let [source, ..] = found.unwrap_or_else(|| panic!("nothing is mounted at {target}"));
        source
    }
}

/// The services for a kind of Docker.
fn of_profile(profile: &str) -> BTreeMap<String, Service> {
    let mut services = services();
    services.retain(|_, service| service.profiles == [profile]);
    services
}

#[test]
fn each_profile_has_three_services_of_its_own() {
    let linux = ["grafana", "prometheus", "tempo"];
    let [desktop, room] = ["desktop", "room"].map(|it| linux.map(|name| format!("{name}-{it}")));

    assert!(of_profile("linux").keys().eq(&linux));
    assert!(of_profile("desktop").keys().eq(&desktop));
    assert!(of_profile("room").keys().eq(&room));
    assert_eq!(services().len(), 9);
}

#[test]
fn plain_compose_up_starts_the_linux_profile() {
    let environment = files::text(".env");

    let set: Vec<_> = environment
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();

    assert_eq!(set, ["COMPOSE_PROFILES=linux"]);
}

#[test]
fn both_kinds_run_the_same_programs() {
    let own = [
        "GF_SERVER_HTTP_ADDR",
        "PROMETHEUS_URL",
        "TEMPO_URL",
        "LISTEN_ADDRESS",
    ];
    for (name, mut service) in of_profile("linux") {
        let mut twin = Service::named(&format!("{name}-desktop"));
        for service in [&mut service, &mut twin] {
            service
                .environment
                .retain(|name, _| !own.contains(&name.as_str()));
        }
        assert_eq!(service.image, twin.image);
        assert_eq!(service.environment, twin.environment, "{name}");
    }
}

#[test]
fn images_have_full_names_versions_and_digests() {
    for Service { image, .. } in services().into_values() {
        let name = image.strip_prefix("docker.io/").expect("a registry");
        let (name, digest) = name.split_once("@sha256:").expect("a digest");
        let (_, tag) = name.split_once(':').expect("a tag");
        let mut numbers = tag.trim_start_matches('v').split('.');
        let whole = numbers.clone().count() == 3 && numbers.all(|it| it.parse::<u32>().is_ok());
        assert!(whole, "{image}");
        let hex = |digit: char| matches!(digit, '0'..='9' | 'a'..='f');
        assert!(digest.len() == 64 && digest.chars().all(hex), "{image}");
    }
}

#[test]
fn every_service_has_minimal_privileges() {
    for (name, service) in services() {
        assert!(service.read_only, "{name}");
        assert_eq!(service.cap_drop, ["ALL"], "{name}");
        assert_eq!(service.security_opt, ["no-new-privileges:true"], "{name}");
        assert_eq!(service.tmpfs, ["/tmp"], "{name}");
        assert!(service.pids_limit <= 256 && service.cpus <= 1.0, "{name}");
        assert!(!service.mem_limit.is_empty(), "{name}");
        assert_eq!(service.restart, "unless-stopped", "{name}");
    }
}

#[test]
fn every_health_check_uses_a_program_of_its_image() {
    for (name, service) in services() {
        let program = match name.split('-').next() {
            Some("prometheus") => "promtool",
            Some("tempo") => "/tempo",
            _ => "curl",
        };
        let [kind, asking, ..] = service.healthcheck.test.as_slice() else {
            panic!("{name} is asked nothing");
        };
        assert_eq!([kind, asking], ["CMD", program], "{name}");
    }
}

#[test]
fn services_write_only_to_named_volumes() {
    let declared = files::yaml(FILE)["volumes"].take();
    let declared: Vec<_> = declared.as_object().expect("volumes").keys().collect();

    assert_eq!(declared, ["prometheus", "tempo", "grafana"]);
    for (name, service) in services() {
        let kind = name.split('-').next().expect("a name");
        let place = match kind {
            "prometheus" => "/prometheus",
            "tempo" => "/var/tempo",
            _ => "/var/lib/grafana",
        };
        assert_eq!(service.named_volumes(), [(kind, place)], "{name}");
    }
}

#[test]
fn only_the_room_profile_opens_a_port() {
    let open: Vec<_> = services()
        .into_iter()
        .flat_map(|(name, service)| {
            let ports = service.ports.into_iter();
            ports.map(move |port| (name.clone(), port))
        })
        .filter(|(_, port)| !port.starts_with("127.0.0.1:"))
        .collect();

    assert_eq!(open, [("grafana-room".to_owned(), "4318:4318".to_owned())]);
}

/// A host reaches every address of a container but its loopback.
#[test]
fn nothing_on_the_host_can_write_to_the_prometheus_of_a_room() {
    let writable = services().into_iter().filter(|(_, service)| {
        let mut flags = service.command.iter();
        flags.any(|flag| flag == "--web.enable-remote-write-receiver")
    });
    let writable: Vec<_> = writable.collect();

    let [(name, prometheus)] = writable.as_slice() else {
        panic!("{} services accept writes", writable.len());
    };
    assert_eq!(name, "prometheus-room");
    assert_eq!(prometheus.ports, [""; 0]);
    let shared = Some("service:grafana-room");
    assert_eq!(prometheus.network_mode.as_deref(), shared);
    let mut flags = prometheus.command.iter();
    let address = flags.find_map(|flag| flag.strip_prefix("--web.listen-address="));
    assert_eq!(address, Some("127.0.0.1:9090"));
    assert_eq!(
        Service::named("tempo-room").network_mode.as_deref(),
        shared,
        "Tempo reaches it"
    );
    let grafana = Service::named("grafana-room");
    assert_eq!(grafana.network_mode, None, "it is the owner");
    assert_eq!(
        grafana.environment["PROMETHEUS_URL"],
        "http://127.0.0.1:9090"
    );
}

#[test]
fn every_port_is_on_loopback() {
    for (name, service) in of_profile("desktop") {
        assert_eq!(service.network_mode, None, "{name}");
        assert!(!service.ports.is_empty(), "{name} cannot be reached");
        for port in service.ports {
            assert!(port.starts_with("127.0.0.1:"), "{name}: {port}");
        }
    }
    for (name, service) in of_profile("linux") {
        assert_eq!(service.network_mode.as_deref(), Some("host"), "{name}");
        assert_eq!(
            service.ports, [""; 0],
            "the host's network publishes no ports"
        );
    }
    // In the host's network the programs themselves bind loopback; Tempo's address is in
    // its own configuration.
    let listens = "--web.listen-address=127.0.0.1:9090".to_owned();
    assert!(Service::named("prometheus").command.contains(&listens));
    let grafana = Service::named("grafana").environment;
    assert_eq!(grafana["GF_SERVER_HTTP_ADDR"], "127.0.0.1");
    assert_eq!(
        Service::named("tempo").environment["LISTEN_ADDRESS"],
        "127.0.0.1"
    );
}

#[test]
fn other_web_sites_cannot_read_the_api_of_prometheus() {
    for service in ["prometheus", "prometheus-desktop", "prometheus-room"] {
        let own = r"--web.cors.origin=http://127\.0\.0\.1:9090".to_owned();
        assert!(Service::named(service).command.contains(&own), "{service}");
    }
}

/// The files of a folder and of the folders in it.
fn below(folder: &str) -> Vec<String> {
    let entries = files::folder(folder, "").into_iter();
    let files = entries.flat_map(|path| match files::root().join(&path).is_dir() {
        true => below(&path),
        false => vec![path],
    });
    files.collect()
}

#[test]
fn every_mount_exists_and_is_read_only_and_every_file_is_mounted() {
    let services = services();
    let mounts: Vec<_> = services.values().flat_map(Service::mounts).collect();

    for [source, _, mode] in &mounts {
        assert!(source.starts_with("dashboards/"), "{source}");
        assert!(files::root().join(source).exists(), "{source} is not there");
        assert_eq!(mode, "ro,z", "{source}");
    }
    for file in below("dashboards") {
        let used = mounts.iter().any(|[source, ..]| file.starts_with(source));
        let is_read = used || file.contains("/tests/") || file == "dashboards/README.md";
        assert!(is_read, "nobody reads {file}");
    }
}

#[test]
fn grafana_needs_no_login_and_sends_no_reports() {
    let environment = Service::named("grafana").environment;

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
        assert_eq!(environment[name], value, "{name}");
    }
}

/// `docker compose`, or its predecessor.
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
    for profile in ["linux", "desktop", "room"] {
        let output = compose()
            .args(["--file", FILE, "--profile", profile, "config"])
            .current_dir(files::root())
            .env_remove("COMPOSE_PROFILES")
            .output()
            .expect("docker compose is installed");

        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let text = String::from_utf8_lossy(&output.stdout);
        let resolved: Value = files::yaml_of("what compose makes of it", &text);
        for (name, service) in of_profile(profile) {
            let there = &resolved["services"][name];
            assert_eq!(there["image"], service.image, "{resolved}");
        }
    }
}
