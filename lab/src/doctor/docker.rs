//! Determines the Docker of a machine from `docker info`.

use std::{io, process::Stdio, time::Duration};

use serde_json::Value;
use tokio::{process::Command, time::timeout};

use super::facts::Docker;

const ABSENT: (&str, &str) = (
    "not installed; only the Grafana part needs it",
    "install Docker Engine (Linux) or Docker Desktop",
);
const SILENT: (&str, &str) = (
    "`docker info` does not respond in time",
    "wait a minute, and check its output: docker info",
);
const NO_ENGINE: &str = "installed, but no engine runs";
const DENIED: (&str, &str) = (
    "installed, but you may not connect to its engine",
    "log in again after: sudo usermod -aG docker $USER",
);
const NO_COMPOSE: (&str, &str) = (
    "an engine runs, but there is no `docker compose`",
    "install the Compose plugin of Docker",
);
const ROOTLESS: (&str, &str) = (
    "it runs rootless, so its containers do not find the lab on 127.0.0.1",
    "use an engine that runs as root: docker context use default",
);

/// Asks the `docker` on the `PATH`, and waits `patience` at most.
pub(super) async fn docker(patience: Duration, system: &str) -> Docker {
    let mut command = Command::new("docker");
    command
        .args(["info", "--format", "{{json .}}"])
        .stdin(Stdio::null())
        .kill_on_drop(true);
    match timeout(patience, command.output()).await {
        Ok(Ok(output)) => read(&output.stdout, &output.stderr, system),
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => unusable(ABSENT, system),
        Ok(Err(_)) | Err(_) => unusable(SILENT, system),
    }
}

/// Reads the output of `docker info`, in which an engine that does not run has no version.
fn read(stdout: &[u8], stderr: &[u8], system: &str) -> Docker {
    let Ok(info) = serde_json::from_slice::<Value>(stdout) else {
        return unusable(SILENT, system);
    };
    let text = |name: &str| info.get(name).and_then(Value::as_str).unwrap_or_default();
    let list = |pointer: &str| info.pointer(pointer).and_then(Value::as_array);
    if text("ServerVersion").is_empty() {
        // Some versions report it on stdout, others on stderr.
        let is_denied = |output| String::from_utf8_lossy(output).contains("permission denied");
        return match [stdout, stderr].into_iter().any(is_denied) {
            true => unusable(DENIED, system),
            false => unusable(no_engine(system), system),
        };
    }
    let is_desktop = text("OperatingSystem") == "Docker Desktop" || runs_in_a_machine(system);
    let mut options = list("/SecurityOptions").into_iter().flatten();
    let is_rootless = options.any(|it| it.as_str().is_some_and(|it| it.contains("rootless")));
    let mut plugins = list("/ClientInfo/Plugins").into_iter().flatten();
    let has_compose = plugins.any(|it| it.get("Name").is_some_and(|name| name == "compose"));
    Docker {
        is_desktop,
        trouble: match (has_compose, is_rootless && !is_desktop) {
            (false, _) => Some(NO_COMPOSE),
            (true, true) => Some(ROOTLESS),
            (true, false) => None,
        },
    }
}

fn no_engine(system: &str) -> (&'static str, &'static str) {
    let advice = match system {
        "linux" => "start it: sudo systemctl start docker (or Docker Desktop)",
        _ => "start Docker Desktop",
    };
    (NO_ENGINE, advice)
}

fn unusable(trouble: (&'static str, &'static str), system: &str) -> Docker {
    Docker {
        is_desktop: runs_in_a_machine(system),
        trouble: Some(trouble),
    }
}

/// On systems other than Linux, every engine runs containers in a virtual machine.
fn runs_in_a_machine(system: &str) -> bool {
    system != "linux"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_docker_info_says_what_is_missing() {
        let debian = r#""28.2.2","OperatingSystem":"Debian GNU/Linux 13""#;
        let desktop = r#""28.2.2","OperatingSystem":"Docker Desktop""#;
        let alpine = r#""28.2.2","OperatingSystem":"Alpine Linux""#;
        let rootless = r#""28.2.2","SecurityOptions":["name=seccomp","name=rootless"]"#;
        let stopped = r#""","OperatingSystem":"","SecurityOptions":null"#;
        let nobody = r#""","ServerErrors":["Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"]"#;
        let denied = r#""","ServerErrors":["permission denied while trying to connect to the Docker daemon socket"]"#;
        let no_engine = Some(no_engine("linux"));
        for (system, info, is_desktop, trouble) in [
            ("linux", debian, false, None),
            ("linux", desktop, true, None),
            ("macos", alpine, true, None),
            ("macos", rootless, true, None),
            ("linux", rootless, false, Some(ROOTLESS)),
            ("linux", stopped, false, no_engine),
            ("linux", nobody, false, no_engine),
            ("linux", denied, false, Some(DENIED)),
            (
                "macos",
                stopped,
                true,
                Some((NO_ENGINE, "start Docker Desktop")),
            ),
        ] {
            let compose = r#""ClientInfo":{"Plugins":[{"Name":"buildx"},{"Name":"compose"}]}"#;
            let whole = format!(r#"{{"ServerVersion":{info},{compose}}}"#);
            let expected = Docker {
                is_desktop,
                trouble,
            };
            assert_eq!(read(whole.as_bytes(), b"", system), expected, "{info}");
        }
        let bare =
            r#"{"ServerVersion":"28.2.2","SecurityOptions":null,"ClientInfo":{"Plugins":null}}"#;
        for (stdout, stderr, trouble) in [
            (bare, "", Some(NO_COMPOSE)),
            ("{}", "", no_engine),
            ("{}", "docker: permission denied", Some(DENIED)),
            ("", "", Some(SILENT)),
            ("Error: unknown flag", "", Some(SILENT)),
        ] {
            let found = read(stdout.as_bytes(), stderr.as_bytes(), "linux");
            assert_eq!(found.trouble, trouble, "{stdout}");
        }
    }
}
