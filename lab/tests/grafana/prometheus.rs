//! A real Prometheus with the repository's configuration, which scrapes a real `lab
//! serve`, on free ports.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufRead, BufReader},
    path::Path,
    process::Stdio,
    thread,
    time::Duration,
};

use reqwest::Url;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    sync::mpsc,
    time::timeout,
};

use crate::{files, rules::RULES};

/// How long anything may take before the test gives up on it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a program, and reads its output until `found` returns a value.
async fn start<T>(mut command: Command, mut found: impl FnMut(&str) -> Option<T>) -> (Child, T) {
    let (reader, writer) = io::pipe().expect("a pipe");
    let both = writer.try_clone().expect("a pipe");
    command.kill_on_drop(true).stdout(both).stderr(writer);
    let child = command.spawn();
    let child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    // Dropping the command closes this process's end of the pipe.
    drop(command);
    let (sender, mut lines) = mpsc::unbounded_channel();
    // It keeps reading after the search, because a program blocks when its pipe is full.
    thread::spawn(move || {
        for line in BufReader::new(reader).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let mut said = String::new();
    let search = async {
        while let Some(line) = lines.recv().await {
            if let Some(found) = found(&line) {
                return Some(found);
            }
            said += &format!("{line}\n");
        }
        None
    };
    let result = timeout(PATIENCE, search).await.ok().flatten();
    (
        child,
        result.unwrap_or_else(|| panic!("it is not ready:\n{said}")),
    )
}

/// `lab serve`, while it runs.
pub(crate) struct Lab {
    _process: Child,
    /// Where the service listens, as host and port.
    pub(crate) service: String,
    /// The address of the web UI.
    pub(crate) page: String,
}

impl Lab {
    pub(crate) async fn start() -> Self {
        Self::at("0").await
    }

    /// With its service at this port.
    pub(crate) async fn at(port: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
        command
            .args(["serve", "--port", port, "--page-port", "0"])
            .env_remove("RUST_LOG")
            .env_remove("OTEL_EXPORTER_OTLP_ENDPOINT")
            .env_remove("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let mut service = None;
        let (process, (service, page)) = start(command, |line| {
            let (_, address) = line.split_once(" at http://")?;
            match service.take() {
                None => service = Some(address.to_owned()),
                Some(service) => return Some((service, format!("http://{address}"))),
            }
            None
        })
        .await;
        Self {
            _process: process,
            service,
            page,
        }
    }

    /// A command line, as a person types it, for this lab.
    pub(crate) fn command(&self, line: &str) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
        command
            .args(line.split(' ').skip(1))
            .args(["--page", &self.page])
            .kill_on_drop(true)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().expect("lab")
    }
}

/// Prometheus, while it runs.
pub(crate) struct Prometheus {
    process: Child,
    url: String,
    http: reqwest::Client,
    /// It is removed after Prometheus has ended.
    _folder: TempDir,
}

impl Prometheus {
    /// Starts Prometheus with the repository's configuration, with three changes: these
    /// targets, this scrape interval in seconds, and alerts that fire after one interval.
    pub(crate) async fn start(targets: &[String], interval: u8) -> Self {
        Self::with(targets, interval, |rules| {
            rules
                .replace(" for: 30s", " for: 1s")
                .replace(" for: 15s", " for: 1s")
        })
        .await
    }

    /// Starts Prometheus with the repository's configuration and rules, for these targets.
    pub(crate) async fn as_shipped(targets: &[String]) -> Self {
        Self::with(targets, 5, |rules| rules).await
    }

    async fn with(targets: &[String], interval: u8, change: fn(String) -> String) -> Self {
        let folder = TempDir::new().expect("a folder");
        configure(folder.path(), targets, interval, change);
        let within = |name: &str| folder.path().join(name).display().to_string();
        let mut command = Command::new("prometheus");
        command
            .arg(format!("--config.file={}", within("prometheus.yml")))
            .arg(format!("--storage.tsdb.path={}", within("data")))
            .arg("--web.listen-address=127.0.0.1:0");
        let mut address = None;
        let (process, address) = start(command, |line| {
            if let Some((_, rest)) = line.split_once("Listening on\" address=") {
                address = rest.split_whitespace().next().map(str::to_owned);
            }
            let ready = line.contains("Server is ready to receive web requests");
            address.take_if(|_| ready)
        })
        .await;
        Self {
            process,
            url: format!("http://{address}/api/v1"),
            http: http(),
            _folder: folder,
        }
    }

    /// Queries its API.
    async fn ask(&self, path: &str, fields: &[(&str, &str)]) -> Result<Value, String> {
        let url = format!("{}/{path}", self.url);
        let url = Url::parse_with_params(&url, fields).expect("a URL");
        let response = self.http.get(url).send().await.expect("a response");
        let text = response.text().await.expect("a body");
        let mut body: Value = serde_json::from_str(&text).expect("JSON");
        match body["status"].as_str() {
            Some("success") => Ok(body["data"].take()),
            _ => Err(body["error"].to_string()),
        }
    }

    /// The values of an expression now, one for each series.
    pub(crate) async fn now(&self, expression: &str) -> Result<Vec<f64>, String> {
        let data = self.ask("query", &[("query", expression)]).await?;
        let series = files::list(&data, "/result").iter();
        Ok(series.map(|series| number(&series["value"])).collect())
    }

    /// The series of an expression now: their labels, and the value of each.
    pub(crate) async fn series(&self, expression: &str) -> Vec<(BTreeMap<String, String>, f64)> {
        let data = self.ask("query", &[("query", expression)]).await;
        let data = data.unwrap_or_else(|error| panic!("{expression}: {error}"));
        let series = files::list(&data, "/result").iter();
        series
            .map(|series| {
                let labels = serde_json::from_value(series["metric"].clone());
                (labels.expect("labels"), number(&series["value"]))
            })
            .collect()
    }

    /// The health and the error of each rule at its last evaluation.
    pub(crate) async fn rules(&self) -> BTreeMap<String, Value> {
        let data = self.ask("rules", &[]).await.expect("rules");
        let rules = files::list(&data, "/groups")
            .iter()
            .flat_map(|group| files::list(group, "/rules"));
        rules
            .map(|rule| {
                let name = files::string(rule, "/name").to_owned();
                (name, json!([rule["health"], rule.get("lastError")]))
            })
            .collect()
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.process.start_kill();
    }
}

/// The value of a sample: `[time, "value"]`.
fn number(sample: &Value) -> f64 {
    files::string(sample, "/1").parse().expect("a number")
}

/// Copies the configuration, and makes the changes.
fn configure(folder: &Path, targets: &[String], interval: u8, change: fn(String) -> String) {
    let source = "dashboards/prometheus";
    for part in ["rules", "targets"] {
        fs::create_dir_all(folder.join(part)).expect("a folder");
    }
    let configuration = files::text(&format!("{source}/prometheus.yml"));
    let quick = configuration
        .replace("_interval: 5s", &format!("_interval: {interval}s"))
        .replace("_timeout: 4s", &format!("_timeout: {interval}s"));
    assert_eq!(
        quick.matches(&format!(": {interval}s")).count(),
        3,
        "{quick}"
    );
    let linux = files::text(&format!("{source}/targets/linux.yml"));
    let targets = targets.join("\", \"");
    let here = linux.replace(&format!("127.0.0.1:{}", server::DEFAULT_PORT), &targets);
    assert!(here.contains(&targets), "{here}");

    fs::write(folder.join("prometheus.yml"), quick).expect("a file");
    fs::write(folder.join("targets/lab.yml"), here).expect("a file");
    for file in files::folder(RULES, ".yml") {
        let name = file.strip_prefix(source).expect("it is in the folder");
        fs::write(folder.join(&name[1..]), change(files::text(&file))).expect("a file");
    }
}

/// A client for addresses on loopback.
pub(crate) fn http() -> reqwest::Client {
    client::install_tls_provider();
    let builder = reqwest::Client::builder().no_proxy().tls_certs_only([]);
    builder.build().expect("legal")
}
