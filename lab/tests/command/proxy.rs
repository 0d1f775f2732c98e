//! `lab proxy` from the command line: its applications are shell scripts that send with the
//! example `send` of the proxy.
#![cfg(unix)]

use std::{fs, net::TcpListener, process::Command, sync::mpsc::channel, thread, time::Duration};

use tempfile::tempdir;
use testkit::{files::example, process::signal, responding};

use crate::command::{Ended, assert_contains, command, printed_url, status};

/// An application that takes what it gets.
pub(crate) const CALM: &str = r#""$SEND" "$API_URL/v1/orders" || true"#;

/// An application that sends a refused request again, with a mark, so that one run shows it.
const STUBBORN: &str = r#"
    ask() {
        "$SEND" -d order -H "Idempotency-Key: 7" "$API_URL/v1/orders"
    }
    [ "$(ask)" = 201 ] || ask >/dev/null; true"#;

/// An API that answers every request with a 201, until the end of the tests.
pub(crate) fn api() -> String {
    responding("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
}

/// The command that judges a shell script before an upstream.
pub(crate) fn judges(upstream: &str, options: &str, script: &str) -> Command {
    let mut lab = command(&format!("proxy {upstream} --set API_URL {options} --"));
    lab.args(["sh", "-c", script]).env("SEND", example("send"));
    lab
}

/// Judges a shell script before an upstream.
fn judged(upstream: &str, options: &str, script: &str) -> Ended {
    Ended::of(&mut judges(upstream, options, script))
}

#[test]
fn a_list_shows_the_plan_and_breaks_nothing() {
    let ended = judged(&api(), "--list --ascii", CALM);

    assert_eq!((ended.code, &*ended.stderr), (Some(0), ""));
    let plan = ["healthy   2 runs", "GET /v1/orders", "can be aimed at"];
    assert_contains(&ended.stdout, &plan);
    assert!(!ended.stdout.contains("0 broken"), "{}", ended.stdout);
}

#[test]
fn a_plan_that_cannot_be_made_ends_with_the_code_of_its_reason() {
    let api = &*api();
    let failing = r#"printf "no \"data\" \033[1m\n" >&2; exit 7"#;
    for (options, script, code, words) in [
        ("", "true", 4, "sent nothing here"),
        ("", failing, 3, r#"| no "data" ?[1m"#),
        ("--match nowhere", CALM, 2, "'nowhere' of --match"),
        (
            "--listen 203.0.113.9 --allow-network --base-host a.test",
            CALM,
            3,
            "warning: while a run lasts, everyone who reaches 203.0.113.9 can",
        ),
    ] {
        let ended = judged(api, options, script);

        assert_eq!(ended.code, Some(code), "{options} {}", ended.stderr);
        assert_contains(&ended.stderr, &[words]);
        assert_eq!(ended.stdout, "", "{options}");
    }
}

#[test]
fn a_broken_rule_fails() {
    let ended = judged(&api(), "--fault refused --ascii", STUBBORN);

    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    let shown = ["FAIL refused-once", "sent 2 times", "1 broken"];
    assert_contains(&ended.stdout, &shown);
}

/// A path is bytes, and nothing keeps a client from sending such characters in it.
#[test]
fn no_control_or_direction_of_a_path_reaches_an_output() {
    let folder = tempdir().expect("a folder");
    let harmful = ['\u{9b}', '\u{2028}', '\u{202e}'];
    let path: String = harmful.into_iter().collect();
    let script = format!("\"$SEND\" \"$API_URL/v1/x{path}y\"; true");
    let options = "--fault refused --report r.html --junit r.xml";
    let judged = |options: &str| {
        let mut lab = judges(&api(), options, &script);
        let ended = Ended::of(lab.current_dir(&folder));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended
    };

    let [text, json] = [options, "--fault refused --json"].map(judged);

    let files = ["r.html", "r.xml"];
    let files = files.map(|name| fs::read_to_string(folder.path().join(name)).expect("written"));
    for output in [&text.stdout, &json.stdout, &json.stderr]
        .into_iter()
        .chain(&files)
    {
        assert!(!output.contains(harmful), "{output}");
    }
    assert_contains(&text.stdout, &["GET /v1/x???y"]);
    assert_contains(&json.stdout, &[r"GET /v1/x\u009b\u2028\u202ey"]);
}

#[test]
fn a_known_failure_passes_and_an_unknown_route_is_named() {
    let folder = tempdir().expect("a folder");
    let list = folder.path().join("known.txt");
    let options = format!("--fault refused --known-failing {}", list.display());

    let [known, unknown] = ["/v1/orders", "/x"].map(|path| {
        fs::write(&list, format!("# later\nPOST {path}/refused-once\n")).expect("written");
        judged(&api(), &options, STUBBORN)
    });

    assert_eq!([known.code, unknown.code], [Some(0), Some(2)]);
    assert_contains(&known.stdout, &["known to fail"]);
    assert_contains(&unknown.stderr, &["'POST /x'"]);
}

#[test]
fn a_run_that_sigterm_ends_says_so_and_asks_its_command_to_end() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent = format!("http://{}", listener.local_addr().expect("a port"));
    let (tell, told) = channel();
    thread::spawn(move || tell.send(listener.accept().expect("a connection")));
    let folder = tempdir().expect("a folder");
    let trace = folder.path().join("trace");
    let asked = format!("trap 'echo asked >{}; exit' TERM", trace.display());
    let lab = judges(&silent, "", &format!("{asked}; ({CALM}) & wait"))
        .spawn()
        .expect("lab runs");
    // The run goes on while its request is held here.
    let held = told
        .recv_timeout(Duration::from_secs(60))
        .expect("the run has begun");

    signal(lab.id(), "TERM");
    let ended = Ended::from(lab.wait_with_output().expect("lab ends"));

    drop(held);
    assert_eq!((ended.code, &*ended.stdout), (Some(143), ""));
    assert_eq!(ended.stderr, "Ended by SIGTERM.\n");
    // It may have something to end elsewhere, as `docker run` has its container.
    let said = fs::read_to_string(trace).expect("it was asked to end");
    assert_eq!(said, "asked\n");
}

#[test]
fn without_a_command_marked_requests_until_ctrl_c_are_judged() {
    let mut lab = command(&format!("proxy {} --fault refused --ascii", api()))
        .args(["--route", "POST /v1/orders"])
        .spawn()
        .expect("lab runs");
    let url = printed_url(&mut lab);
    let request = "POST /v1/orders HTTP/1.0\r\nIdempotency-Key: k\r\n\r\n";

    let statuses = [(); 2].map(|()| status(&url["http://".len()..], request));
    signal(lab.id(), "INT");
    let ended = Ended::from(lab.wait_with_output().expect("lab ends"));

    assert_eq!(statuses, ["400", "201"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    assert_contains(&ended.stdout, &["FAIL refused-once", "sent 2 times"]);
}
