//! Determines the Docker of a machine from `docker info`.

use std::{io, process::Stdio, time::Duration};

use serde::Deserialize;
use tokio::{process::Command, time::timeout};

use super::facts::{Docker, Flavour};

/// The relevant part of `docker info --format '{{json .}}'`. Without an engine the
/// engine's fields are empty.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Info {
    #[serde(default)]
    server_version: String,
    #[serde(default)]
    operating_system: String,
    security_options: Option<Vec<String>>,
    client_info: Option<ClientInfo>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ClientInfo {
    plugins: Option<Vec<Plugin>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Plugin {
    #[serde(default)]
    name: String,
}

/// Asks the `docker` on the `PATH`, and waits `patience` at most.
pub(super) async fn docker(patience: Duration, system: &str) -> Docker {
    let mut command = Command::new("docker");
    command
        .args(["info", "--format", "{{json .}}"])
        .stdin(Stdio::null())
        .kill_on_drop(true);
    match timeout(patience, command.output()).await {
        Ok(Ok(output)) => read(&output.stdout, &output.stderr, system),
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => Docker::Absent,
        Ok(Err(_)) | Err(_) => Docker::Silent,
    }
}

/// Whether this user may not open the engine's socket. Some versions report it on stdout,
/// others on stderr.
fn is_denied(output: &[u8]) -> bool {
    String::from_utf8_lossy(output).contains("permission denied")
}

fn read(stdout: &[u8], stderr: &[u8], system: &str) -> Docker {
    let Ok(info) = serde_json::from_slice::<Info>(stdout) else {
        return Docker::Silent;
    };
    if info.server_version.is_empty() {
        return match [stdout, stderr].into_iter().any(is_denied) {
            true => Docker::Denied,
            false => Docker::NoEngine,
        };
    }
    let options = info.security_options.unwrap_or_default();
    let rootless = options.iter().any(|option| option.contains("rootless"));
    // On systems other than Linux, every engine runs containers in a virtual machine.
    let desktop = info.operating_system == "Docker Desktop" || system != "linux";
    let plugins = info.client_info.unwrap_or_default().plugins;
    Docker::Engine {
        flavour: match (desktop, rootless) {
            (true, _) => Flavour::Desktop,
            (false, true) => Flavour::Rootless,
            (false, false) => Flavour::Host,
        },
        compose: plugins
            .unwrap_or_default()
            .iter()
            .any(|plugin| plugin.name == "compose"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_the_flavours() {
        let engine = |flavour, compose| Docker::Engine { flavour, compose };
        let debian = r#""28.2.2","OperatingSystem":"Debian GNU/Linux 13""#;
        let desktop = r#""28.2.2","OperatingSystem":"Docker Desktop""#;
        let alpine = r#""28.2.2","OperatingSystem":"Alpine Linux""#;
        let rootless = r#""28.2.2","SecurityOptions":["name=seccomp","name=rootless"]"#;
        let stopped = r#""","OperatingSystem":"","SecurityOptions":null"#;
        let compose = r#""ClientInfo":{"Plugins":[{"Name":"buildx"},{"Name":"compose"}]}"#;
        for (system, info, expected) in [
            ("linux", debian, engine(Flavour::Host, true)),
            ("linux", desktop, engine(Flavour::Desktop, true)),
            ("macos", alpine, engine(Flavour::Desktop, true)),
            ("linux", rootless, engine(Flavour::Rootless, true)),
            ("linux", stopped, Docker::NoEngine),
        ] {
            let whole = format!(r#"{{"ServerVersion":{info},{compose}}}"#);
            assert_eq!(read(whole.as_bytes(), b"", system), expected, "{info}");
        }
        let bare =
            r#"{"ServerVersion":"28.2.2","SecurityOptions":null,"ClientInfo":{"Plugins":null}}"#;
        for (info, expected) in [
            (bare, engine(Flavour::Host, false)),
            ("{}", Docker::NoEngine),
            ("", Docker::Silent),
            ("Error: unknown flag", Docker::Silent),
        ] {
            assert_eq!(read(info.as_bytes(), b"", "linux"), expected, "{info}");
        }
    }

    #[test]
    fn a_denied_engine_and_a_missing_one_differ() {
        let nobody = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the \
            docker daemon running?";
        let denied = "permission denied while trying to connect to the Docker daemon socket at \
            unix:///var/run/docker.sock: connect: permission denied";
        for (words, expected) in [(nobody, Docker::NoEngine), (denied, Docker::Denied)] {
            let within = format!(r#"{{"ServerVersion":"","ServerErrors":["{words}"]}}"#);
            let beside = r#"{"ServerVersion":""}"#;

            assert_eq!(read(within.as_bytes(), b"", "linux"), expected);
            assert_eq!(read(beside.as_bytes(), words.as_bytes(), "linux"), expected);
        }
    }
}
