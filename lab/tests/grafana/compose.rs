//! `docker-compose.yml`: valid, pinned, on loopback, and with the right services for each
//! kind of Docker. Its settings are in [`settings`](crate::settings).

use std::{collections::BTreeMap, process::Command};

use serde_json::{Value, json};

use crate::files::{self, list, string};

const FILE: &str = "docker-compose.yml";

/// Each service: its profile, its network, and its ports. On Linux the programs share the
/// host's network, which publishes no ports.
const SERVICES: &str = "\
grafana linux host
grafana-desktop desktop - 127.0.0.1:3000:3000
prometheus linux host
prometheus-desktop desktop - 127.0.0.1:9090:9090
tempo linux host
tempo-desktop desktop - 127.0.0.1:3200:3200 127.0.0.1:4318:4318
";

/// Every service, by its name.
fn services() -> BTreeMap<String, Value> {
    let services = files::yaml(FILE)["services"].take();
    serde_json::from_value(services).expect("services")
}

fn texts<'a>(service: &'a Value, pointer: &str) -> impl Iterator<Item = &'a str> {
    let all = list(service, pointer).iter();
    all.map(|it| it.as_str().expect("a text"))
}

#[test]
fn each_profile_has_three_services_with_their_ports() {
    let found = services().into_iter().map(|(name, service)| {
        let network = service["network_mode"].as_str().unwrap_or("-").to_owned();
        let profiles = texts(&service, "/profiles");
        let words: Vec<_> = profiles
            .chain([&*network])
            .chain(texts(&service, "/ports"))
            .collect();
        format!("{name} {}\n", words.join(" "))
    });

    assert_eq!(found.collect::<String>(), SERVICES);
    let environment = files::text(".env");
    let mut set = environment.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(set.next(), Some("COMPOSE_PROFILES=linux"), "the default");
    assert_eq!(set.next(), None);
}

#[test]
fn both_kinds_run_the_same_programs() {
    let services = services();
    let own = [
        "GF_SERVER_HTTP_ADDR",
        "PROMETHEUS_URL",
        "TEMPO_URL",
        "LISTEN_ADDRESS",
    ];
    for name in ["grafana", "prometheus", "tempo"] {
        let [linux, desktop] = [name, &format!("{name}-desktop")].map(|name| {
            let mut service = services[name].clone();
            let environment = service["environment"].as_object_mut();
            if let Some(environment) = environment {
                environment.retain(|name, _| !own.contains(&name.as_str()));
            }
            // Only the address of the lab differs.
            let mounts: Vec<_> = texts(&service, "/volumes")
                .map(|mount| mount.replace("targets/desktop.yml", "targets/linux.yml"))
                .collect();
            let [image, environment] = ["image", "environment"].map(|field| &service[field]);
            (image.clone(), environment.clone(), mounts)
        });
        assert_eq!(linux, desktop, "{name}");
    }
}

#[test]
fn every_service_is_pinned_confined_and_checked() {
    let file = files::yaml(FILE);
    let volumes = file["volumes"].as_object().expect("volumes").keys();
    assert!(volumes.eq(["prometheus", "tempo", "grafana"]));
    for (name, service) in services() {
        let image = string(&service, "/image");
        let path = image.strip_prefix("docker.io/").expect("a registry");
        let (path, digest) = path.split_once("@sha256:").expect("a digest");
        let (_, tag) = path.split_once(':').expect("a tag");
        let mut numbers = tag.trim_start_matches('v').split('.');
        let whole = numbers.clone().count() == 3 && numbers.all(|it| it.parse::<u32>().is_ok());
        assert!(whole, "{image}");
        let hex = |digit: char| matches!(digit, '0'..='9' | 'a'..='f');
        assert!(digest.len() == 64 && digest.chars().all(hex), "{image}");

        let least = json!({
            "read_only": true, "cap_drop": ["ALL"], "tmpfs": ["/tmp"],
            "security_opt": ["no-new-privileges:true"], "restart": "unless-stopped",
        });
        for (field, value) in least.as_object().expect("fields") {
            assert_eq!(service[field], *value, "{name}: {field}");
        }
        assert!(service["pids_limit"].as_u64() <= Some(256), "{name}");
        assert!(service["cpus"].as_f64() <= Some(1.0), "{name}");
        assert_ne!(string(&service, "/mem_limit"), "", "{name}");

        let kind = name.split('-').next().expect("a name");
        // The health check uses a program of the image. The only writable place is a volume.
        let (program, place) = match kind {
            "prometheus" => ("promtool", "/prometheus"),
            "tempo" => ("/tempo", "/var/tempo"),
            _ => ("curl", "/var/lib/grafana"),
        };
        let asks: Vec<_> = texts(&service, "/healthcheck/test").take(2).collect();
        assert_eq!(asks, ["CMD", program], "{name}");
        let named = texts(&service, "/volumes").filter(|mount| !mount.starts_with('.'));
        assert!(named.eq([format!("{kind}:{place}")]), "{name}");
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
    let mounts = services.values().flat_map(|it| texts(it, "/volumes"));
    let mounts: Vec<_> = mounts.filter_map(|it| it.strip_prefix("./")).collect();

    let sources = mounts.iter().map(|mount| {
        let [source, _, "ro,z"] = mount.split(':').collect::<Vec<_>>()[..] else {
            panic!("{mount}");
        };
        assert!(files::root().join(source).exists(), "{source} is not there");
        source
    });
    let sources: Vec<_> = sources.collect();
    for file in below("dashboards") {
        let used = sources.iter().any(|source| file.starts_with(source));
        let is_read = used || file.contains("/tests/") || file == "dashboards/README.md";
        assert!(is_read, "nobody reads {file}");
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
    for profile in ["linux", "desktop"] {
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
        let mut services = services();
        services.retain(|_, it| it["profiles"] == json!([profile]));
        for (name, service) in services {
            let there = &resolved["services"][name];
            assert_eq!(there["image"], service["image"], "{resolved}");
        }
    }
}
