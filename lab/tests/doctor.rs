//! `lab doctor` on machines of every kind: the real binary, with what it looks
//! at put up by the test.

use std::{
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
use tokio::process::Command;

/// A folder of this test's own, with a `docker` in it that says this, or none.
fn programs(test: &str, docker: Option<&Value>) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join("docker");
    let _ = fs::remove_file(&program);
    #[cfg(unix)]
    if let Some(info) = docker {
        use std::os::unix::fs::PermissionsExt;

        let script = format!("#!/bin/sh\nprintf '%s' '{info}'\n");
        fs::write(&program, script).expect("a script");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&program, executable).expect("a program");
    }
    folder
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

/// Held while a process starts or a port is tried: until it runs a program of
/// its own, a new process has whatever is open in this one.
static STARTING: Mutex<()> = Mutex::new(());

fn starting() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a program comes to.
async fn output(mut program: Command) -> Output {
    program.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = {
        let _alone = starting();
        program.spawn().expect("lab runs")
    };
    child.wait_with_output().await.expect("an end")
}

/// An address that nobody listens at.
fn nobody() -> String {
    let _alone = starting();
    let holder = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    format!("http://{}", holder.local_addr().expect("an address"))
}

fn port(url: &str) -> String {
    let (_, port) = url.rsplit_once(':').expect("a port");
    port.to_owned()
}

/// Looks with these options, and with nothing running but what they name.
async fn run(programs: &Path, options: &[(&str, String)], flags: &[&str]) -> Output {
    let mut arguments = Vec::new();
    for option in ["--port", "--page-port"] {
        let free = port(&nobody());
        arguments.extend([option.to_owned(), free]);
    }
    for option in ["--prometheus", "--tempo", "--otlp", "--grafana"] {
        arguments.extend([option.to_owned(), nobody()]);
    }
    for (option, value) in options {
        let at = arguments.iter().position(|known| known == option);
        arguments[at.expect("an option") + 1] = value.clone();
    }
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let arguments = [&arguments[..], flags].concat();
    output(doctor(programs, &arguments)).await
}

/// The level and the words of a check.
fn finding(output: &Output, check: &str) -> (String, String) {
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    let finding = findings.iter().find(|finding| finding["check"] == check);
    let finding = finding.unwrap_or_else(|| panic!("no {check} in {findings:?}"));
    let word = |field: &str| finding[field].as_str().expect(field).to_owned();
    (word("level"), word("found"))
}

async fn put_up(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port");
    let address: SocketAddr = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// Prometheus, Tempo and Grafana, as far as they are asked.
async fn stack(health: &str, uids: [&str; 3]) -> Vec<(&'static str, String)> {
    let targets = json!({ "status": "success", "data": { "activeTargets": [
        { "labels": { "job": "lab", "instance": "127.0.0.1:8765" }, "health": health }
    ] } });
    let found: Vec<_> = uids.iter().map(|uid| json!({ "uid": uid })).collect();
    let prometheus = Router::new()
        .route("/-/ready", get("Prometheus Server is Ready."))
        .route("/api/v1/targets", get(async || Json(targets)));
    let tempo = Router::new().route("/ready", get("ready"));
    let otlp = Router::new().route("/v1/traces", post(async || ()));
    let grafana = Router::new()
        .route(
            "/api/health",
            get(async || Json(json!({ "database": "ok" }))),
        )
        .route("/api/search", get(async || Json(found)));
    vec![
        ("--prometheus", put_up(prometheus).await),
        ("--tempo", put_up(tempo).await),
        ("--otlp", put_up(otlp).await),
        ("--grafana", put_up(grafana).await),
    ]
}

const DASHBOARDS: [&str; 3] = ["lab-client", "lab-service", "lab-workshop"];

#[tokio::test]
async fn a_bare_machine_is_ready_for_the_terminal_and_the_page() {
    let programs = programs("bare", None);

    let output = run(&programs, &[], &[]).await;

    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(output.stderr.is_empty());
    for part in [
        "✓ loopback      127.0.0.1 reaches itself\n",
        "! docker        not installed; only the Grafana part needs it\n",
        "! dashboards    Prometheus, Tempo and Grafana are not running\n",
        "\nnothing stands in the way; 2 things to know\n",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "a pipe gets no colour");
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[tokio::test]
async fn a_bare_machine_is_not_ready_for_the_dashboards() {
    let programs = programs("bare-with-grafana", None);

    let output = run(&programs, &[], &["--with-grafana", "--ascii"]).await;

    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.is_ascii(), "{text}");
    assert!(
        text.contains("FAIL grafana       nobody listens at "),
        "{text}"
    );
    assert!(text.contains("\n4 things to do first\n"), "{text}");
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_all_there_is_all_right() {
    let info = json!({
        "ServerVersion": "28.2.2", "OperatingSystem": "Docker Desktop",
        "ClientInfo": { "Plugins": [{ "Name": "compose" }] },
    });
    let programs = programs("complete", Some(&info));
    let stack = stack("up", DASHBOARDS).await;

    let output = run(&programs, &stack, &["--with-grafana", "--json"]).await;

    for (check, words) in [
        ("docker", "docker compose --profile desktop up -d"),
        ("prometheus", "scrapes the lab"),
        ("tempo", "takes traces"),
        ("grafana", "has the lab's dashboards"),
    ] {
        let (level, found) = finding(&output, check);
        assert_eq!(level, "ok", "{found}");
        assert!(found.contains(words), "{found}");
    }
    assert_eq!(output.status.code(), Some(0));
}

#[tokio::test]
async fn what_is_there_and_not_right_is_told_apart() {
    let programs = programs("incomplete", None);
    let mut stack = stack("down", ["lab-client", "x", "y"]).await;
    // Tempo is asked where Grafana is, and traces are sent to Prometheus.
    stack[1].1 = stack[3].1.clone();
    stack[2].1 = stack[0].1.clone();

    let output = run(&programs, &stack, &["--with-grafana", "--json"]).await;

    for (check, words) in [
        ("prometheus", "waits for the lab"),
        ("tempo", "something else responds"),
        ("grafana", "lacks lab-service, lab-workshop"),
    ] {
        let (level, found) = finding(&output, check);
        assert_eq!(level, "problem", "{found}");
        assert!(found.contains(words), "{found}");
    }
    assert_eq!(output.status.code(), Some(1));
}

#[tokio::test]
async fn whoever_has_a_port_is_named() {
    let programs = programs("taken", None);
    let holder = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let taken = holder.local_addr().expect("an address").port().to_string();

    for (option, check) in [("--port", "service port"), ("--page-port", "page port")] {
        let output = run(&programs, &[(option, taken.clone())], &["--json"]).await;

        let (level, found) = finding(&output, check);
        assert_eq!(level, "problem");
        assert!(
            found.starts_with(&format!("{taken} is taken by ")),
            "{found}"
        );
        if cfg!(target_os = "linux") {
            let process = format!("(process {})", std::process::id());
            assert!(found.ends_with(&process), "{found}");
        }
        assert_eq!(output.status.code(), Some(1));
    }
}

#[tokio::test]
async fn a_lab_that_is_served_already_is_where_it_should_be() {
    let programs = programs("served", None);
    let config = WebUiConfig {
        port: 0,
        page_port: 0,
        ..WebUiConfig::default()
    };
    let lab = WebUi::start(config).await.expect("free ports");
    let (service, page) = (port(&lab.service_url()), port(&lab.page_url()));

    let both = [("--port", service.clone()), ("--page-port", page)];
    let both = run(&programs, &both, &["--json"]).await;
    let alone = run(&programs, &[("--port", service)], &["--json"]).await;

    for check in ["service port", "page port"] {
        let (level, found) = finding(&both, check);
        assert_eq!(level, "ok", "{found}");
        assert!(found.ends_with("held by a running `lab serve`"), "{found}");
    }
    assert_eq!(both.status.code(), Some(0));
    let (level, found) = finding(&alone, "service port");
    assert_eq!(level, "problem");
    assert!(
        found.ends_with("a teaching service without the page"),
        "{found}"
    );
}

#[tokio::test]
async fn nothing_that_is_silent_is_waited_for() {
    let programs = programs("silent", None);
    let silent: Vec<_> = (0..6)
        .map(|_| TcpListener::bind(("127.0.0.1", 0)).expect("a port"))
        .collect();
    let address = |index: usize| {
        let address = silent[index].local_addr().expect("an address");
        format!("http://{address}")
    };
    let places = [
        ("--port", port(&address(0))),
        ("--page-port", port(&address(1))),
        ("--prometheus", address(2)),
        ("--tempo", address(3)),
        ("--otlp", address(4)),
        ("--grafana", address(5)),
    ];

    let began = Instant::now();
    let output = run(&programs, &places, &["--json"]).await;

    // One after the other they would take 2.8 s.
    let took = began.elapsed();
    assert!(took < Duration::from_millis(2_500), "{took:?}");
    for check in ["prometheus", "tempo", "grafana"] {
        let (level, found) = finding(&output, check);
        assert_eq!(level, "note");
        assert!(found.ends_with("does not respond"), "{found}");
    }
}

#[tokio::test]
async fn a_proxy_is_named_by_its_variable_and_by_nothing_else() {
    let programs = programs("proxy", None);
    let arguments = ["--json"];
    let proxy = "http://me:SECRET@proxy.example:3128";

    let mut set = doctor(&programs, &arguments);
    set.env("http_proxy", proxy);
    let mut exempt = doctor(&programs, &arguments);
    exempt
        .env("http_proxy", proxy)
        .env("NO_PROXY", "localhost,127.0.0.1");
    let (set, exempt) = (output(set).await, output(exempt).await);

    let (level, found) = finding(&set, "proxy");
    assert_eq!(level, "note");
    assert!(found.starts_with("http_proxy would send"), "{found}");
    assert!(!text(&set.stdout).contains("SECRET"));
    assert_eq!(finding(&exempt, "proxy").0, "ok");
}

#[tokio::test]
async fn what_is_no_address_is_a_usage_error_that_says_the_rule() {
    let programs = programs("usage", None);
    for option in ["--prometheus", "--tempo", "--otlp", "--grafana"] {
        for value in [
            "",
            "9090",
            "localhost:9090",
            "https://h",
            "http://me@h",
            "http://h?x",
        ] {
            let output = output(doctor(&programs, &[option, value])).await;

            assert_eq!(output.status.code(), Some(2), "{option} {value}");
            let rule = "it must be an address such as http://127.0.0.1:9090";
            assert!(
                text(&output.stderr).contains(rule),
                "{}",
                text(&output.stderr)
            );
        }
    }
}

#[tokio::test]
async fn one_port_for_both_is_a_usage_error() {
    let programs = programs("one-port", None);

    let output = output(doctor(
        &programs,
        &["--port", "9000", "--page-port", "9000"],
    ))
    .await;

    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("are both 9000"), "{said}");
}
