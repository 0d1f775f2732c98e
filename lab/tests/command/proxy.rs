//! `lab proxy` from the command line: its applications are `curl` in a shell.
#![cfg(unix)]

use std::{fs, future::pending, net::TcpListener, sync::mpsc::channel, thread, time::Duration};

use host::TlsRefusal;
use tempfile::tempdir;
use testkit::{process::signal, responding};
use tokio::runtime::Builder;

use crate::command::{Ended, assert_contains, command, printed_url, status};

/// An application that takes what it gets.
pub(crate) const CALM: &str = r#"curl -sS -m 8 -o /dev/null "$API_URL/v1/orders" || true"#;

/// An application that sends a refused request again.
const STUBBORN: &str = r#"
    ask() { curl -s -m 8 -o /dev/null -w '%{http_code}' -d order "$API_URL/v1/orders"; }
    [ "$(ask)" = 201 ] || ask >/dev/null; true"#;

/// An API that answers every request with a 201, until the end of the tests.
pub(crate) fn api() -> String {
    responding(
        "HTTP/1.1 201 Created\r\nSet-Cookie: id=reply-qz7\r\n\
         Content-Length: 9\r\n\r\nreply-qz7",
    )
}

/// A port that speaks TLS, until the end of the tests.
fn tls_port() -> String {
    let (tells, told) = channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let refusal = TlsRefusal::start().await.expect("a port");
            tells.send(refusal.base_url()).expect("somebody asks");
            pending::<()>().await;
        });
    });
    told.recv().expect("a URL")
}

/// Judges a shell script before an upstream.
fn judged(upstream: &str, options: &str, script: &str) -> Ended {
    let mut lab = command(&format!("proxy {upstream} --set API_URL {options} --"));
    Ended::of(lab.args(["sh", "-c", script]))
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
fn a_plan_that_cannot_be_made_says_why() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let gone = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || listener.incoming().for_each(drop));
    let api = &*api();
    let tls = tls_port().replace("https", "http");
    let failing = r#"printf "no \"data\" \033[1m\n" >&2; exit 7"#;
    let elsewhere = r#"port=${API_URL##*:}
        curl -s -o /dev/null -H "Host: b.test" "http://127.0.0.1:$port/v1""#;
    for (upstream, options, script, code, words) in [
        (api, "", "true", 4, "sent nothing here; & --set NAME"),
        (&gone, "", CALM, 3, "did not answer"),
        (api, "", failing, 3, r#"exit 7 & | no "data" ?[1m"#),
        (
            api,
            "--before false",
            CALM,
            3,
            "--before 'false' failed & exit 1",
        ),
        (api, "--route /v2", CALM, 2, "'/v2' & 'GET /v1/orders'"),
        (api, "--match nowhere", CALM, 2, "'nowhere' of --match"),
        (&tls, "", CALM, 3, "speaks TLS & https://"),
        (
            api,
            "--listen 203.0.113.9 --allow-network --base-host a.test",
            CALM,
            3,
            "warning & cannot listen on 203.0.113.9",
        ),
        (api, "--base-host a.test", elsewhere, 4, "--base-host NAME"),
    ] {
        let ended = judged(upstream, options, script);

        assert_eq!(ended.code, Some(code), "{options} {}", ended.stderr);
        let stderr: Vec<_> = ended.stderr.split_whitespace().collect();
        assert_contains(&stderr.join(" "), &words.split(" & ").collect::<Vec<_>>());
        assert_eq!(ended.stdout, "", "{options}");
    }
}

#[test]
fn a_broken_rule_fails_once_it_is_confirmed() {
    let ended = judged(&api(), "--fault refused --ascii", STUBBORN);

    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    let shown = "FAIL refused-once & sent 2 times, in 5 of 5 runs & 1 broken";
    assert_contains(&ended.stdout, &shown.split(" & ").collect::<Vec<_>>());
}

#[test]
fn a_known_failure_passes_but_not_if_it_is_mended() {
    let folder = tempdir().expect("a folder");
    let list = folder.path().join("known.txt");
    let options = format!("--fault refused --known-failing {}", list.display());
    // A request with a mark needs no confirmation.
    let stubborn = STUBBORN.replace("-d order", "-d order -H Idempotency-Key:7");
    let mended = stubborn.replace("|| ask", "|| true");

    fs::write(&list, "# later\nPOST /v1/orders/refused-once\n").expect("written");
    let known = judged(&api(), &options, &stubborn);
    let mended = judged(&api(), &format!("{options} --require once"), &mended);
    fs::write(&list, "x\n").expect("written");
    let unknown = judged(&api(), &options, &stubborn);

    let codes = [&known, &mended, &unknown].map(|ended| ended.code);
    assert_eq!(codes, [Some(0), Some(1), Some(2)], "{}", known.stderr);
    assert_contains(&known.stdout, &["known to fail"]);
    let why = ["'once' is required", "remove it from the list of known"];
    assert_contains(&mended.stderr, &why);
    assert_contains(&unknown.stderr, &["known.txt", "'x'", "refused-once"]);
}

#[test]
fn strictly_a_rule_that_cannot_be_told_fails() {
    // The healthy command asks for the same twice, so that nothing ties.
    let noisy = STUBBORN.replace(r#"[ "$(ask)" = 201 ]"#, "ask; [ $(ask) = 201 ]");
    let options = "--set API_URL --strict --fault refused --route";
    let mut lab = command(&format!("proxy {} {options}", api()));

    let ended = Ended::of(lab.args(["POST /v1/orders", "--", "sh", "-c", &noisy]));

    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    assert_contains(&ended.stderr, &["--strict does not allow that"]);
}

#[test]
fn no_output_holds_a_secret() {
    let folder = tempdir().expect("a folder");
    let [script, junit, report] = ["app.sh", "xml", "html"].map(|name| folder.path().join(name));
    let sends = r#"curl -s -m 8 -o /dev/null "$API_URL/v1/path_qz70123456789abc?token=query-qz7" \
        -H 'Authorization: Bearer bearer-qz7-0123456789' -H 'Cookie: id=cookie-qz7' \
        -H 'Idempotency-Key: key-qz7' -d body-qz7
        curl -s -o /dev/null "$API_URL/v1/a" -H 'Origin: http://origin-qz7'
        curl -s -o /dev/null "$API_URL/v1/a" -H 'Upgrade: upgrade-qz7'; true"#;
    fs::write(&script, sends).expect("written");
    let (api, files) = (
        api(),
        format!("{} --report {}", junit.display(), report.display()),
    );
    let run = |format: &str| {
        let options = format!("--fault lost-response --junit {files} {format} -- sh");
        Ended::of(command(&format!("proxy {api} --set API_URL {options}")).arg(&script))
    };

    let (text, json) = (run(""), run("--json"));

    let [junit, report] = [junit, report].map(|file| fs::read_to_string(file).expect("written"));
    for output in [&text.stdout, &json.stdout, &junit, &report] {
        assert_contains(output, &["POST /v1/{}", "idempotency-key-reuse"]);
        assert!(!output.contains("qz7"), "{output}");
    }
    let notes = text.stderr + &json.stderr;
    assert!(!notes.contains("qz7"), "{notes}");
}

#[test]
fn each_run_has_its_own_url_and_is_prepared() {
    let folder = tempdir().expect("a folder");
    let trace = folder.path().join("trace");
    let before = format!("echo before >> {}", trace.display());
    let script = format!(
        r#"echo "$API_URL $1 $LAB_BASE_URL" >> {}; curl -s -o /dev/null "$1/a""#,
        trace.display()
    );
    let options = "--list --set API_URL={base_url}/v2";

    let mut lab = command(&format!("proxy {} {options}", api()));
    lab.args(["--before", &before, "--", "sh", "-c", &script]);

    let ended = Ended::of(lab.args(["sh", "{base_url}"]));

    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let trace = fs::read_to_string(trace).expect("it was written");
    let urls: Vec<_> = trace
        .lines()
        .map(|line| line.split(' ').next_back().unwrap_or_default())
        .collect();
    let expected = [1, 3].map(|run| format!("before\n{url}/v2 {url} {url}\n", url = urls[run]));
    assert_eq!(trace, expected.concat());
    assert_ne!(urls[1], urls[3]);
}

#[test]
fn a_command_before_a_run_has_its_limits_and_finds_the_api() {
    let folder = tempdir().expect("a folder");
    let trace = folder.path().join("trace");
    let api = api();
    let before = |script: &str| {
        let mut lab = command(&format!("proxy {api} --list --time 1 --set API_URL"));
        lab.args(["--before", script, "--", "sh", "-c", CALM]);
        Ended::of(&mut lab)
    };
    let trace_path = trace.display();
    let leaves = format!(
        "echo $LAB_BASE_URL >{trace_path}
         (trap 'echo asked >>{trace_path}; exit' TERM; sleep 60 & wait) &
         sleep 0.2"
    );

    let slow = before("echo waits >&2; sleep 60");
    let left = before(&leaves);

    assert_eq!(slow.code, Some(3), "{}", slow.stderr);
    let why = ["--before", "ended by the lab after 1", "| waits"];
    assert_contains(&slow.stderr, &why);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    let said = fs::read_to_string(trace).expect("it ran");
    assert_eq!(said, format!("{api}\nasked\n"));
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
    let lab = command(&format!("proxy {silent} --set API_URL -- sh -c"))
        .arg(format!("{asked}; ({CALM}) & wait"))
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
