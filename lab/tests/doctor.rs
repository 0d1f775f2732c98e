//! `lab doctor` on machines of every kind: the real binary, in an environment that the
//! test sets up.

#![cfg_attr(
    not(unix),
    allow(unused, reason = "a program that is a script is for Unix")
)]

use std::{
    collections::BTreeMap,
    fs,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Output, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    routing::{get, post},
};
use lab::{web::WebUi, web::WebUiConfig};
use serde_json::{Value, json};
use tokio::{net::TcpSocket, process::Command};

/// A folder of this test's own for `PATH`. With this `docker info`, Docker and Python
/// are in it.
fn programs(test: &str, docker: Option<&Value>) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    #[cfg(unix)]
    if let Some(info) = docker {
        program(&folder.join("docker"), &info.to_string());
        program(&folder.join("python3"), "Python 3.12.3");
    }
    folder
}

/// Writes a program that prints this.
#[cfg(unix)]
fn program(file: &Path, printed: &str) {
    use std::os::unix::fs::PermissionsExt;

    let script = format!("#!/bin/sh\nprintf '%s' '{printed}'\n");
    fs::write(file, script).expect("a script");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(file, executable).expect("a program");
}

fn doctor(programs: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command
        .arg("doctor")
        .args(arguments)
        .env("LC_ALL", "C.UTF-8")
        .env("PATH", programs)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    for variable in ["http_proxy", "all_proxy", "no_proxy"] {
        command.env_remove(variable);
        command.env_remove(variable.to_ascii_uppercase());
    }
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Held while a process starts or a port is tried: until it executes its own program, a
/// new process has all open descriptors of this one.
static STARTING: Mutex<()> = Mutex::new(());

fn starting() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a program and returns its output.
async fn output(mut program: Command) -> Output {
    program.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = {
        let _alone = starting();
        program.spawn().expect("lab runs")
    };
    child.wait_with_output().await.expect("an end")
}

fn port(url: &str) -> String {
    let (_, port) = url.rsplit_once(':').expect("a port");
    port.to_owned()
}

/// A port that is free, because the program tries to listen on it.
fn free_port() -> String {
    let _alone = starting();
    let holder = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = holder.local_addr().expect("an address");
    address.port().to_string()
}

/// Runs the doctor with these options, and with no other server running.
async fn run(programs: &Path, options: &[(&'static str, String)], flags: &[&str]) -> Output {
    // The socket never listens, and nobody else can use its port.
    let bound = TcpSocket::new_v4().expect("a socket");
    bound.bind(([127, 0, 0, 1], 0).into()).expect("a free port");
    let nobody = format!("http://{}", bound.local_addr().expect("an address"));
    let urls = ["--prometheus", "--tempo", "--otlp", "--grafana"];
    let mut all = BTreeMap::from(urls.map(|option| (option, nobody.clone())));
    all.extend(["--port", "--page-port"].map(|option| (option, free_port())));
    all.extend(options.iter().cloned());
    let mut arguments = flags.to_vec();
    arguments.extend(all.iter().flat_map(|(option, value)| [*option, value]));
    output(doctor(programs, &arguments)).await
}

/// Asserts the level of checks, and words in their findings.
fn holds(output: &Output, level: &str, checks: &[(&str, &str)]) {
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    for (check, words) in checks {
        let finding = findings.iter().find(|finding| finding["check"] == *check);
        let finding = finding.unwrap_or_else(|| panic!("no {check} in {findings:?}"));
        assert_eq!(finding["level"], level, "{finding}");
        let found = finding["found"].as_str().expect("words");
        assert!(found.contains(words), "{found}");
    }
}

async fn put_up(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port");
    let address: SocketAddr = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// Prometheus, Tempo and Grafana, as far as the doctor queries them.
async fn stack() -> Vec<(&'static str, String)> {
    let targets = json!({ "status": "success", "data": { "activeTargets": [
        { "labels": { "job": "lab", "instance": "127.0.0.1:8765" }, "health": "up" }
    ] } });
    let rules = json!({ "status": "success", "data": { "groups": [
        { "name": "lab-alerts", "rules": [{ "name": "ServiceDown", "health": "ok" }] }
    ] } });
    let uids = ["lab-client", "lab-service", "lab-workshop"];
    let found = uids.map(|uid| json!({ "uid": uid }));
    let prometheus = Router::new()
        .route("/-/ready", get("Prometheus Server is Ready."))
        .route("/api/v1/targets", get(async || Json(targets)))
        .route("/api/v1/rules", get(async || Json(rules)));
    let tempo = Router::new().route("/ready", get("ready"));
    let otlp = Router::new().route("/v1/traces", post(async || ()));
    let grafana = Router::new()
        .route("/api/health", get(r#"{"database":"ok"}"#))
        .route("/api/search", get(async || Json(found)));
    vec![
        ("--prometheus", put_up(prometheus).await),
        ("--tempo", put_up(tempo).await),
        ("--otlp", put_up(otlp).await),
        ("--grafana", put_up(grafana).await),
    ]
}

#[tokio::test]
async fn a_bare_machine_is_ready_for_all_but_the_dashboards() {
    let programs = programs("bare", None);

    let plain = run(&programs, &[], &[]).await;
    let with_grafana = run(&programs, &[], &["--with-grafana", "--ascii"]).await;

    assert!(plain.stderr.is_empty());
    for (output, code, parts) in [
        (
            plain,
            0,
            &[
                "✓ loopback      connections to 127.0.0.1 work\n",
                "! languages     no Python, no Node, no Go; `lab starter` needs one of them\n",
                "! docker        not installed; only the Grafana part needs it\n",
                "! dashboards    Prometheus, Tempo and Grafana are not running\n",
                "\nready; 3 notes\n",
            ][..],
        ),
        (
            with_grafana,
            1,
            &[
                "FAIL grafana       nobody listens at ",
                "\nnot ready: 4 problems; 1 note\n",
            ],
        ),
    ] {
        let text = text(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(text.is_ascii() || code == 0, "{text}");
        for part in parts {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "a pipe gets no colour");
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_complete_machine_is_all_right() {
    let info = json!({
        "ServerVersion": "28.2.2", "OperatingSystem": "Docker Desktop",
        "ClientInfo": { "Plugins": [{ "Name": "compose" }] },
    });
    let programs = programs("complete", Some(&info));
    let stack = stack().await;

    let output = run(&programs, &stack, &["--with-grafana", "--json"]).await;

    let checks = [
        ("languages", "Python 3.12, for `lab starter`"),
        ("docker", "docker compose --profile desktop up -d"),
        ("prometheus", "scrapes the lab"),
        ("tempo", "takes traces"),
        ("grafana", "has the lab's dashboards"),
    ];
    holds(&output, "ok", &checks);
    assert_eq!(output.status.code(), Some(0));
}

/// The ports of this lab, of its service alone, and of a program that is no lab.
#[tokio::test]
async fn the_process_that_uses_a_port_is_named() {
    let programs = programs("ports", None);
    let config = WebUiConfig {
        port: 0,
        page_port: 0,
        ..WebUiConfig::default()
    };
    let lab = WebUi::start(config).await.expect("free ports");
    let (service, page) = (port(&lab.service_url()), port(&lab.page_url()));
    let stranger = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let taken = stranger
        .local_addr()
        .expect("an address")
        .port()
        .to_string();

    let both = [("--port", service.clone()), ("--page-port", page)];
    let both = run(&programs, &both, &["--json"]).await;
    let alone = [("--port", service), ("--page-port", taken.clone())];
    let alone = run(&programs, &alone, &["--json"]).await;

    let words = "used by a running `lab serve`";
    holds(
        &both,
        "ok",
        &[("service port", words), ("web UI port", words)],
    );
    assert_eq!(both.status.code(), Some(0));
    let words = "a teaching service without the web UI";
    holds(&alone, "problem", &[("service port", words)]);
    let words = match cfg!(target_os = "linux") {
        true => format!("(process {})", std::process::id()),
        false => format!("{taken} is taken by "),
    };
    holds(&alone, "problem", &[("web UI port", &words)]);
    assert_eq!(alone.status.code(), Some(1));
}

#[tokio::test]
async fn silent_servers_do_not_delay_the_doctor() {
    let programs = programs("silent", None);
    let mut silent = Vec::new();
    let options = [
        "--port",
        "--page-port",
        "--prometheus",
        "--tempo",
        "--otlp",
        "--grafana",
    ];
    let places = options.map(|option| {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        silent.push(listener);
        match option.ends_with("port") {
            true => (option, address.port().to_string()),
            false => (option, format!("http://{address}")),
        }
    });

    let began = Instant::now();
    let output = run(&programs, &places, &["--json"]).await;

    // One after the other they would take 2.8 s.
    let took = began.elapsed();
    assert!(took < Duration::from_millis(2_500), "{took:?}");
    let checks = ["prometheus", "tempo", "grafana"].map(|check| (check, "does not respond"));
    holds(&output, "note", &checks);
}
