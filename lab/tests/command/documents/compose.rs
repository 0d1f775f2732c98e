//! `docker-compose.yml`: pinned, and reachable from this machine alone. `.ci/run` lets
//! Compose check that it is valid.

use super::{document, root};

/// The values of a key, wherever it is.
fn values<'a>(file: &'a str, key: &str) -> Vec<&'a str> {
    let lines = file.lines().map(str::trim_start);
    let values = lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    values.collect()
}

#[test]
fn every_image_is_pinned_and_every_mount_is_there_and_read_only() {
    let file = document("docker-compose.yml");

    let images = values(&file, "image");
    assert_eq!(images.len(), 3);
    for image in images {
        assert!(
            image.starts_with("docker.io/") && image.contains("@sha256:"),
            "{image}"
        );
    }
    for mount in file
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- ./"))
    {
        let source = mount.split(':').next().expect("a path");
        assert!(
            root().join(source).exists() && mount.ends_with(":ro,z"),
            "{mount}"
        );
    }
}

/// On Linux the programs share the host's network, and listen on loopback themselves. On
/// Docker Desktop they have one of their own, and publish their ports on loopback.
#[test]
fn nothing_is_reachable_from_another_machine() {
    let file = document("docker-compose.yml");
    for service in file
        .split("\n\n")
        .filter(|part| part.contains("profiles: ["))
    {
        let published = values(service, "ports");
        let ports = published
            .iter()
            .flat_map(|ports| ports.split('"').skip(1).step_by(2));
        assert!(
            ports.clone().all(|port| port.starts_with("127.0.0.1:")),
            "{service}"
        );
        let is_on_the_host = service.contains("network_mode: host");
        let listens = [
            "--web.listen-address=",
            "GF_SERVER_HTTP_ADDR: ",
            "LISTEN_ADDRESS: ",
        ]
        .iter()
        .find_map(|key| service.split_once(key))
        .map(|(_, rest)| rest.starts_with("127.0.0.1"));
        assert_eq!(is_on_the_host, published.is_empty(), "{service}");
        assert!(!is_on_the_host || listens == Some(true), "{service}");
    }
    let tempo = document("dashboards/tempo/tempo.yml");
    let own = ["http_listen_address", "grpc_listen_address", "endpoint"];
    let addresses: Vec<_> = own.iter().flat_map(|key| values(&tempo, key)).collect();
    assert_eq!(addresses.len(), 3);
    assert!(
        addresses
            .iter()
            .all(|address| address.contains("127.0.0.1")),
        "{addresses:?}"
    );
}
