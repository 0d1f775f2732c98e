//! The two small shops of `lab/apps`, each with its own API, behind the proxy.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc::{Sender, channel},
    thread,
};

use serde_json::Value;
use tempfile::TempDir;
use testkit::tls::{Authority, VALID};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    runtime::Builder,
};
use tokio_rustls::TlsAcceptor;

use crate::command::{Ended, command};

/// An API in a process of its own, ended with this.
struct Api {
    process: Child,
    url: String,
}

impl Api {
    fn start(folder: &str, words: [&str; 2]) -> Self {
        let mut process = Command::new(words[0])
            .args([words[1], "0"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut url = String::new();
        let stdout = process.stdout.take().expect("a pipe");
        let read = BufReader::new(stdout).read_line(&mut url);
        read.expect("it says where it is");
        let url = url.trim().to_owned();
        Self { process, url }
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// TLS before an API, by a private authority, until the end of the tests.
struct Secure {
    url: String,
    authority: PathBuf,
    _folder: TempDir,
}

impl Secure {
    fn before(url: &str) -> Self {
        let private = Authority::named("a private authority");
        let folder = tempfile::tempdir().expect("a folder");
        let authority = folder.path().join("authority.pem");
        fs::write(&authority, private.pem()).expect("written");
        let acceptor = private.acceptor("localhost", VALID, &[]);
        let api: SocketAddr = url["http://".len()..].parse().expect("an address");
        let (tells, port) = channel();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            let serving = serve(tells, acceptor, api);
            runtime.expect("a runtime").block_on(serving);
        });
        let port = port.recv().expect("it listens");
        Self {
            url: format!("https://localhost:{port}"),
            authority,
            _folder: folder,
        }
    }
}

/// Takes the TLS off, once it has told its port.
async fn serve(tells: Sender<u16>, acceptor: TlsAcceptor, api: SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tells.send(port).expect("somebody asks");
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            let mut secure = acceptor.accept(stream).await?;
            let mut plain = TcpStream::connect(api).await?;
            copy_bidirectional(&mut secure, &mut plain).await
        });
    }
}

/// The verdicts of a shop as `fault rule verdict`, and the exit code.
fn judged(
    language: &str,
    program: &str,
    ending: &str,
    has_tls: bool,
) -> (Option<i32>, Vec<String>) {
    let folder = format!("{}/apps/{language}", env!("CARGO_MANIFEST_DIR"));
    let api = Api::start(&folder, [program, &format!("api.{ending}")]);
    let secure = has_tls.then(|| Secure::before(&api.url));
    let smoke = format!("smoke.{ending}");
    let url = secure.as_ref().map_or(&api.url, |secure| &secure.url);
    let mut lab = command(&format!("proxy {url} --set API_URL --json"));
    if let Some(secure) = &secure {
        lab.arg("--cacert").arg(&secure.authority);
    }
    lab.args(["--route", "POST /v1/orders", "--once", "POST /v1/orders"])
        .args(["--give-up-within", "20"])
        .args(["--", program, &smoke]);
    let ended = Ended::of(lab.current_dir(&folder));
    let card: Value = serde_json::from_str(&ended.stdout).expect("a card");
    let cases = card["cases"].as_array().expect("cases");
    let lines = cases.iter().flat_map(|case| {
        let rules = case["rules"].as_array().expect("rules");
        rules.iter().map(|rule| {
            let [fault, rule, verdict] = [&case["fault"], &rule["rule"], &rule["verdict"]];
            let of = |it: &Value| it.as_str().expect("text").to_owned();
            format!("{} {} {}", of(fault), of(rule), of(verdict))
        })
    });
    (ended.code, lines.collect())
}

/// The verdicts on the shop in Python, which ignores Retry-After and orders twice.
const PYTHON: [&str; 7] = [
    "unavailable idempotency-key-reuse not_exercised",
    "unavailable once cannot_tell",
    "retry-after retry-after-seconds broken",
    "refused refused-once kept",
    "lost-response idempotency-key-reuse not_exercised",
    "lost-response once broken",
    "silence read-timeout kept",
];

/// Two plans, or twenty in `.ci/full`, and every other one over HTTPS. All run at once, so the
/// machine is busy.
#[test]
#[ignore = "needs python3"]
fn every_plan_of_the_shop_in_python_has_the_same_verdicts() {
    let plans: Vec<_> = thread::scope(|scope| {
        let plan = |number| scope.spawn(move || judged("python", "python3", "py", number % 2 == 1));
        let plans: Vec<_> = (0..2 * rounds()).map(plan).collect();
        let ended = plans
            .into_iter()
            .map(|plan| plan.join().expect("a plan ends"));
        ended.collect()
    });

    for plan in plans {
        assert_eq!(plan, (Some(1), PYTHON.map(str::to_owned).into()));
    }
}

#[test]
#[ignore = "needs node"]
fn the_shop_in_node_keeps_every_rule() {
    let (code, verdicts) = judged("node", "node", "mjs", true);

    let not_kept: Vec<_> = verdicts
        .iter()
        .filter(|line| !line.ends_with(" kept"))
        .collect();
    assert_eq!((code, verdicts.len()), (Some(0), 7));
    assert!(not_kept.is_empty(), "{not_kept:?}");
}

/// Commands that seem to retry; see `innocent.py`.
const INNOCENT: [&str; 8] = [
    "heartbeat",
    "poller",
    "parallel",
    "hedging",
    "token",
    "health",
    "new_ids",
    "warm",
];

/// How often a test repeats its commands, which `.ci/full` does more often.
fn rounds() -> usize {
    std::env::var("PROXY_ROUNDS").map_or(1, |rounds| rounds.parse().expect("a number"))
}

#[test]
#[ignore = "needs python3"]
fn no_innocent_command_is_broken() {
    let here = env!("CARGO_MANIFEST_DIR");
    let folder = format!("{here}/apps/python");
    for _ in 0..rounds() {
        thread::scope(|scope| {
            for name in INNOCENT {
                let folder = &folder;
                scope.spawn(move || {
                    let api = Api::start(folder, ["python3", "api.py"]);
                    let faults = "--fault unavailable retry-after refused lost-response";
                    let options = format!("--set API_URL --json {faults}");
                    let script = format!("{here}/tests/command/innocent.py");
                    let mut lab = command(&format!("proxy {} {options}", api.url));
                    let ended = Ended::of(lab.args(["--", "python3", &script, name]));
                    assert!(matches!(ended.code, Some(0 | 4)), "{name}: {ended:?}");
                    assert!(!ended.stdout.contains("\"broken\""), "{name}: {ended:?}");
                });
            }
        });
    }
}
