//! Gathers the facts about a machine, all at once and within seconds.

use std::{env, io, net::Ipv4Addr, time::Duration};

use reqwest::{Client, Response, Url, header::CONTENT_TYPE};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::{
    Addresses,
    docker::docker,
    facts::{Api, Facts, Port, Probe, Terminal},
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
    Ok(Facts {
        system,
        service: ports.0,
        page: ports.1,
        loopback,
        proxies: proxies(|name| env::var(name).ok()),
        languages,
        docker,
        prometheus: prometheus.0,
        api: prometheus.1,
        tempo: tempo.0,
        otlp: tempo.1,
        grafana: grafana.0,
        dashboards: grafana.1,
        terminal,
    })
}

async fn ports(http: &Http, addresses: &Addresses) -> (Port, Port) {
    let service = async {
        let text = http.text(local(addresses.service, "metrics")).await;
        text.is_some_and(|text| text.contains(host::telemetry::FAULTS.name))
    };
    let page = async {
        let vocabulary = http.json(local(addresses.page, "api/vocabulary")).await;
        vocabulary.get("metrics").is_some_and(Value::is_array)
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

async fn prometheus(http: &Http, base: &Url) -> (Probe, Api) {
    let api = |path: &str| http.json(under(base, &format!("api/v1/{path}")));
    let (ready, targets, rules, flags, laptops) = tokio::join!(
        http.get(under(base, "-/ready")),
        api("targets?state=active"),
        api("rules"),
        api("status/flags"),
        api(&format!("query?query={LAPTOPS}")),
    );
    let api = Api {
        targets,
        rules,
        flags,
        laptops,
    };
    (ready, api)
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

async fn grafana(http: &Http, base: &Url) -> (Probe, Value) {
    tokio::join!(
        http.get(under(base, "api/health")),
        http.json(under(base, "api/search?type=dash-db")),
    )
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

    /// The JSON of a response with status 200, or null.
    async fn json(&self, url: String) -> Value {
        let text = self.text(url).await.unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
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
    use super::*;

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
    fn paths_are_appended_to_a_base_address() {
        for base in ["http://h:1", "http://h:1/"] {
            let base = Url::parse(base).expect("a URL");
            assert_eq!(under(&base, "ready"), "http://h:1/ready");
        }
        let prefixed = Url::parse("http://h:1/prometheus").expect("a URL");
        assert_eq!(under(&prefixed, "-/ready"), "http://h:1/prometheus/-/ready");
    }
}
