//! Gathers the facts about a machine, all at once and within seconds.

use std::{env, io, net::Ipv4Addr, time::Duration};

use reqwest::{Client, Response, Url, header::CONTENT_TYPE};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::{
    Addresses,
    docker::docker,
    facts::{Dashboards, Facts, Port, Probe, Rules, Target, Terminal},
    holder::holder,
    languages::languages,
};
use crate::http_client;

/// How long an address may take to respond. It is on this machine.
const PATIENCE: Duration = Duration::from_millis(700);

/// How long Docker may take. Its engine may be in a virtual machine.
const DOCKER_PATIENCE: Duration = Duration::from_millis(1_500);

/// The maximum size of a response body, in bytes.
const LONGEST: usize = 4 * 1024 * 1024;

/// The job under which Prometheus scrapes the lab.
const JOB: &str = "lab";

/// The group of the lab's alert rules in Prometheus.
const ALERTS: &str = "lab-alerts";

/// The uids of the lab's dashboards.
const DASHBOARDS: [&str; 3] = ["lab-client", "lab-service", "lab-workshop"];

/// The uid of the dashboard for a class.
const ROOM: [&str; 1] = ["lab-room"];

/// The query for the number of laptops that have sent something.
const LAPTOPS: &str = "count(count by (instance) (traces_spanmetrics_calls_total))";

/// Gathers all facts.
///
/// # Errors
///
/// If the HTTP client cannot be built.
pub(crate) async fn look(addresses: &Addresses, terminal: Terminal) -> reqwest::Result<Facts> {
    let http = Http(http_client::plain_builder().build()?);
    let system = env::consts::OS;
    let (ports, loopback, languages, docker, prometheus, tempo, grafana) = tokio::join!(
        ports(&http, addresses),
        loopback(),
        languages(),
        docker(DOCKER_PATIENCE, system),
        prometheus(&http, &addresses.prometheus),
        tempo(&http, addresses),
        grafana(&http, &addresses.grafana),
    );
    let expected: &[_] = match prometheus.1 {
        Target::Written(_) => &ROOM,
        _ => &DASHBOARDS,
    };
    Ok(Facts {
        system,
        service: ports.0,
        page: ports.1,
        loopback,
        proxies: proxies(|name| env::var(name).ok()),
        languages,
        docker,
        prometheus: prometheus.0,
        target: prometheus.1,
        rules: prometheus.2,
        tempo: tempo.0,
        otlp: tempo.1,
        grafana: grafana.0,
        dashboards: grafana
            .1
            .map_or(Dashboards::Unknown, |found| dashboards(expected, &found)),
        terminal,
    })
}

async fn ports(http: &Http, addresses: &Addresses) -> (Port, Port) {
    let service = async {
        let text = http.text(local(addresses.service, "metrics")).await;
        text.is_some_and(|text| text.contains(host::telemetry::FAULTS.name))
    };
    let page = async {
        let vocabulary: Option<Value> = http.json(local(addresses.page, "api/vocabulary")).await;
        vocabulary.is_some_and(|vocabulary| vocabulary.get("metrics").is_some_and(Value::is_array))
    };
    tokio::join!(port(addresses.service, service), port(addresses.page, page))
}

/// The state of a port; `lab` says whether the lab responds there.
async fn port(number: u16, lab: impl Future<Output = bool>) -> Port {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, number)).await {
        Ok(_) => Port::Free,
        Err(error) if error.kind() != io::ErrorKind::AddrInUse => Port::Barred(error.to_string()),
        Err(_) if lab.await => Port::Lab,
        Err(_) => Port::Taken(holder(number)),
    }
}

/// Sends a byte over a connection on 127.0.0.1, and back.
async fn loopback() -> Result<(), String> {
    let sent = async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (near, far) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (mut near, (mut far, _)) = (near?, far?);
        near.write_all(b"?").await?;
        let mut byte = [0];
        far.read_exact(&mut byte).await?;
        far.write_all(&byte).await?;
        near.read_exact(&mut byte).await?;
        Ok::<_, io::Error>(())
    };
    match timeout(PATIENCE, sent).await {
        Ok(sent) => sent.map_err(|error| error.to_string()),
        Err(_) => Err("no response in time".to_owned()),
    }
}

/// The variables that send a request for `http://127.0.0.1` to a proxy. Only their names
/// are kept, because a value may hold a password.
fn proxies(variable: impl Fn(&'static str) -> Option<String>) -> Vec<&'static str> {
    let set = |name: &&'static str| variable(name).filter(|value| !value.is_empty());
    let exempt = |list: String| {
        let mut names = list.split(',').map(str::trim);
        names.any(|name| ["*", "127.0.0.1", "127.0.0.0/8"].contains(&name))
    };
    if ["no_proxy", "NO_PROXY"].iter().filter_map(set).any(exempt) {
        return Vec::new();
    }
    let names = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"].into_iter();
    names.filter(|name| set(name).is_some()).collect()
}

async fn prometheus(http: &Http, base: &Url) -> (Probe, Target, Rules) {
    let (ready, targets, found, flags, laptops) = tokio::join!(
        http.get(under(base, "-/ready")),
        http.json(under(base, "api/v1/targets?state=active")),
        http.json(under(base, "api/v1/rules")),
        http.json(under(base, "api/v1/status/flags")),
        http.json(under(base, &format!("api/v1/query?query={LAPTOPS}"))),
    );
    let rules = rules(&found.unwrap_or_default());
    let target = match target(&targets.unwrap_or_default()) {
        Target::Absent if is_written_to(&flags.unwrap_or_default()) => {
            Target::Written(count(&laptops.unwrap_or_default()))
        }
        target => target,
    };
    (ready, target, rules)
}

/// Whether Prometheus accepts remote writes.
fn is_written_to(flags: &Value) -> bool {
    let flag = flags.pointer("/data/web.enable-remote-write-receiver");
    flag.and_then(Value::as_str) == Some("true")
}

/// The number that a counting query returned. An empty result means zero.
fn count(found: &Value) -> u32 {
    let count = found.pointer("/data/result/0/value/1");
    let count = count.and_then(Value::as_str);
    count.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// The state of the lab's alerts and of the recording rules that they read.
#[expect(
    clippy::indexing_slicing,
    reason = "a member of a JSON value that is missing reads as null"
)]
fn rules(found: &Value) -> Rules {
    let Some(groups) = found["data"]["groups"].as_array() else {
        return Rules::Unknown;
    };
    if groups.iter().all(|group| group["name"] != ALERTS) {
        return Rules::Missing;
    }
    let own = groups.iter().filter(|group| {
        group["name"]
            .as_str()
            .is_some_and(|it| it.starts_with("lab-"))
    });
    let mut rules = own.filter_map(|group| group["rules"].as_array()).flatten();
    let failing = rules.find(|rule| rule["health"] == "err");
    match failing.and_then(|rule| rule["name"].as_str()) {
        Some(name) => Rules::Failing(name.to_owned()),
        None => Rules::Sound,
    }
}

/// The state of the lab as a target of Prometheus.
#[expect(
    clippy::indexing_slicing,
    reason = "a member of a JSON value that is missing reads as null"
)]
fn target(targets: &Value) -> Target {
    let Some(active) = targets["data"]["activeTargets"].as_array() else {
        return Target::Unknown;
    };
    let own = active
        .iter()
        .filter(|target| target["labels"]["job"] == JOB);
    let health: Vec<_> = own.map(|target| target["health"].as_str()).collect();
    match health.contains(&Some("up")) {
        true => Target::Up,
        false if health.is_empty() => Target::Absent,
        false if health.contains(&Some("unknown")) => Target::Awaited,
        false => Target::Down,
    }
}

async fn tempo(http: &Http, addresses: &Addresses) -> (Probe, Probe) {
    // An empty export, which a receiver accepts like any other.
    let export = http.0.post(under(&addresses.otlp, "v1/traces"));
    let export = export.header(CONTENT_TYPE, "application/x-protobuf");
    let (ready, (taken, _)) = tokio::join!(
        http.get(under(&addresses.tempo, "ready")),
        http.send(export)
    );
    (ready, taken)
}

/// The dashboards that exist, if Grafana says so.
async fn grafana(http: &Http, base: &Url) -> (Probe, Option<Vec<Value>>) {
    tokio::join!(
        http.get(under(base, "api/health")),
        http.json(under(base, "api/search?type=dash-db")),
    )
}

/// The expected dashboards that were not found.
fn dashboards(expected: &[&'static str], found: &[Value]) -> Dashboards {
    let is_missing = |uid: &&str| found.iter().all(|dashboard| dashboard["uid"] != **uid);
    Dashboards::Missing(expected.iter().copied().filter(is_missing).collect())
}

fn local(port: u16, path: &str) -> String {
    format!("http://127.0.0.1:{port}/{path}")
}

/// A path under a base address.
fn under(base: &Url, path: &str) -> String {
    format!("{}/{path}", base.as_str().trim_end_matches('/'))
}

/// Sends requests, and waits [`PATIENCE`] at most for each.
struct Http(Client);

impl Http {
    async fn get(&self, url: String) -> Probe {
        self.send(self.0.get(url)).await.0
    }

    async fn json<T: DeserializeOwned>(&self, url: String) -> Option<T> {
        serde_json::from_str(&self.text(url).await?).ok()
    }

    /// The body of a response with status 200.
    async fn text(&self, url: String) -> Option<String> {
        let (probe, body) = self.send(self.0.get(url)).await;
        let body = body.filter(|_| probe.is_ready())?;
        String::from_utf8(body).ok()
    }

    /// The result, and the body if it is complete.
    async fn send(&self, request: reqwest::RequestBuilder) -> (Probe, Option<Vec<u8>>) {
        let asked = async {
            match request.send().await {
                Ok(response) => {
                    let status = response.status().as_u16();
                    (Probe::Status(status), read(response).await)
                }
                Err(error) if error.is_connect() => (Probe::Refused, None),
                Err(_) => (Probe::NotHttp, None),
            }
        };
        let timed = timeout(PATIENCE, asked).await;
        timed.unwrap_or((Probe::TimedOut, None))
    }
}

async fn read(mut response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        body.extend(chunk);
        if body.len() > LONGEST {
            return None;
        }
    }
    Some(body)
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeSet,
        fs,
        path::{Path, PathBuf},
    };

    use serde_json::json;

    use super::*;

    /// The names must match the files in the repository.
    #[test]
    fn job_and_dashboards_are_those_of_the_configuration() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dashboards");
        let text = |path: &str| fs::read_to_string(folder.join(path)).expect(path);
        let uids = |folder: PathBuf| -> BTreeSet<String> {
            let files = fs::read_dir(folder).expect("the dashboards");
            let uids = files.map(|file| {
                let file = fs::read(file.expect("an entry").path()).expect("a file");
                let dashboard: Value = serde_json::from_slice(&file).expect("JSON");
                dashboard["uid"].as_str().expect("a uid").to_owned()
            });
            uids.collect()
        };

        let lab = uids(folder.join("grafana/dashboards"));
        assert_eq!(lab, DASHBOARDS.map(str::to_owned).into());
        let room = uids(folder.join("grafana/room"));
        assert_eq!(room, ROOM.map(str::to_owned).into());
        let jobs = format!("- job_name: {JOB}\n");
        assert!(text("prometheus/prometheus.yml").contains(&jobs));
        let alerts = format!("- name: {ALERTS}\n");
        assert!(text("prometheus/rules/alerts.yml").contains(&alerts));
    }

    #[test]
    fn a_proxy_counts_unless_127_0_0_1_is_exempt() {
        for (variables, expected) in [
            ("", &[][..]),
            ("http_proxy=http://p:1", &["http_proxy"]),
            ("http_proxy=", &[]),
            (
                "HTTP_PROXY=http://p:1;ALL_PROXY=http://p:1",
                &["HTTP_PROXY", "ALL_PROXY"],
            ),
            ("https_proxy=http://p:1", &[]),
            ("http_proxy=http://p:1;NO_PROXY=x, 127.0.0.1", &[]),
            ("http_proxy=http://p:1;no_proxy=*", &[]),
            ("http_proxy=http://p:1;no_proxy=127.0.0.2", &["http_proxy"]),
            ("http_proxy=http://p:1;no_proxy=localhost", &["http_proxy"]),
        ] {
            let found = proxies(|name| {
                let mut set = variables.split(';').filter_map(|it| it.split_once('='));
                let (_, value) = set.find(|(known, _)| *known == name)?;
                Some(value.to_owned())
            });

            assert_eq!(found, expected, "{variables}");
        }
    }

    #[test]
    fn the_lab_is_a_target_by_its_job() {
        let targets = |active: Value| target(&json!({ "data": { "activeTargets": active } }));
        let lab = |health| json!({ "labels": { "job": "lab" }, "health": health });

        assert_eq!(targets(json!([lab("up")])), Target::Up);
        assert_eq!(targets(json!([lab("down"), lab("up")])), Target::Up);
        assert_eq!(targets(json!([lab("down")])), Target::Down);
        assert_eq!(targets(json!([lab("unknown")])), Target::Awaited);
        let other = json!({ "labels": { "job": "node" }, "health": "up" });
        assert_eq!(targets(json!([other])), Target::Absent);
        assert_eq!(target(&json!({ "status": "error" })), Target::Unknown);
    }

    #[test]
    fn a_room_is_written_to_and_counts_its_laptops() {
        let flags = |value| json!({ "data": { "web.enable-remote-write-receiver": value } });
        let counted = |result: Value| count(&json!({ "data": { "result": result } }));

        assert!(is_written_to(&flags("true")));
        assert!(!is_written_to(&flags("false")));
        assert!(!is_written_to(&Value::Null));
        assert_eq!(counted(json!([{ "value": [1.5, "4"] }])), 4);
        assert_eq!(counted(json!([])), 0);
    }

    #[test]
    fn missing_and_failing_alerts_are_found() {
        let rules = |groups: Value| rules(&json!({ "data": { "groups": groups } }));
        let group = |name, health| {
            let rule = json!({ "name": "ServiceDown", "health": health });
            json!({ "name": name, "rules": [rule] })
        };

        assert_eq!(rules(json!([group(ALERTS, "ok")])), Rules::Sound);
        assert_eq!(rules(json!([group(ALERTS, "unknown")])), Rules::Sound);
        let failing = Rules::Failing("ServiceDown".to_owned());
        assert_eq!(rules(json!([group(ALERTS, "err")])), failing);
        let recording = json!([group(ALERTS, "ok"), group("lab-recording", "err")]);
        assert_eq!(rules(recording), failing);
        assert_eq!(rules(json!([group("other", "err")])), Rules::Missing);
        assert_eq!(rules(Value::Null), Rules::Unknown);
    }

    #[test]
    fn a_dashboard_that_is_not_found_is_missing() {
        let found = |uids: &[&str]| {
            let found: Vec<_> = uids.iter().map(|uid| json!({ "uid": uid })).collect();
            dashboards(&DASHBOARDS, &found)
        };

        assert_eq!(found(&DASHBOARDS), Dashboards::Missing(vec![]));
        assert_eq!(
            found(&["lab-client", "other"]),
            Dashboards::Missing(vec!["lab-service", "lab-workshop"])
        );
    }

    #[test]
    fn paths_are_appended_to_a_base_address() {
        for base in ["http://h:1", "http://h:1/"] {
            let base = Url::parse(base).expect("a URL");
            assert_eq!(under(&base, "ready"), "http://h:1/ready");
        }
        let prefixed = Url::parse("http://h:1/prometheus").expect("a URL");
        assert_eq!(under(&prefixed, "-/ready"), "http://h:1/prometheus/-/ready");
    }
}
