//! A real Prometheus with the repository's configuration, which scrapes a real `lab
//! serve`, on free ports.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufRead, BufReader},
    process::Stdio,
    thread,
    time::Duration,
};

use reqwest::Url;
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    sync::mpsc,
    time::{Instant, sleep, timeout},
};

use crate::{grafana::files, program::lab};

/// How long anything may take before the test gives up on it.
const PATIENCE: Duration = Duration::from_secs(60);

/// The series of a result: their labels, and the value of each.
pub(crate) type Series = Vec<(BTreeMap<String, String>, f64)>;

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
    let search = async {
        loop {
            let line = lines.recv().await.expect("it ended");
            if let Some(found) = found(&line) {
                return found;
            }
        }
    };
    let ready = timeout(PATIENCE, search).await.expect("it is not ready");
    (child, ready)
}

/// `lab serve`, while it runs.
pub(crate) struct Lab {
    process: Child,
    /// Where the service listens, as host and port: its label `instance`.
    pub(crate) service: String,
    /// The address of the web UI.
    page: String,
}

impl Lab {
    pub(crate) async fn start() -> Self {
        Self::at("0").await
    }

    /// With its service at this port.
    pub(crate) async fn at(port: &str) -> Self {
        let mut command = Command::from(lab());
        command.args(["serve", "--port", port, "--page-port", "0"]);
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
            process,
            service,
            page,
        }
    }

    /// Ends it, and returns its port.
    pub(crate) async fn stop(mut self) -> String {
        self.process.kill().await.expect("it ends");
        let (_, port) = self.service.split_once(':').expect("a port");
        port.to_owned()
    }

    /// Does what a person types, for this lab, and waits for its end.
    pub(crate) async fn run(&self, line: &str) {
        let mut command = Command::from(lab());
        command
            .args(line.split(' ').skip(1))
            .args(["--page", &self.page])
            .kill_on_drop(true)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().await.expect("lab");
    }
}

/// Prometheus, while it runs.
pub(crate) struct Prometheus {
    _process: Child,
    url: String,
    http: reqwest::Client,
    /// It is removed after Prometheus has ended.
    _folder: TempDir,
}

impl Prometheus {
    /// Starts Prometheus with the repository's configuration and rules, for these targets and
    /// with this interval between scrapes in seconds; the repository has 5.
    pub(crate) async fn start(labs: &[&Lab], interval: u8) -> Self {
        let folder = TempDir::new().expect("a folder");
        let targets = labs.iter().map(|lab| lab.service.clone());
        let targets = targets.collect::<Vec<_>>().join("\", \"");
        let own = format!("127.0.0.1:{}", server::DEFAULT_PORT);
        for (file, from, to) in [
            (
                "prometheus.yml",
                "_interval: 5s",
                format!("_interval: {interval}s"),
            ),
            ("targets/linux.yml", &*own, targets),
            ("rules/recording.yml", "", String::new()),
            ("rules/alerts.yml", "", String::new()),
        ] {
            let text = files::text(&format!("dashboards/prometheus/{file}"));
            assert!(text.contains(from), "{file}");
            let text = text.replace("_timeout: 4s", &format!("_timeout: {interval}s"));
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text.replace(from, &to)).expect("a file");
        }
        let within = |name: &str| folder.path().join(name).display().to_string();
        let mut command = Command::new("prometheus");
        command
            .arg(format!("--config.file={}", within("prometheus.yml")))
            .arg(format!("--storage.tsdb.path={}", within("data")))
            .arg("--web.listen-address=127.0.0.1:0");
        // It says both at the same time, in either order.
        let (mut address, mut is_ready) = (None, false);
        let (process, address) = start(command, |line| {
            if let Some((_, rest)) = line.split_once("Listening on\" address=") {
                address = rest.split_whitespace().next().map(str::to_owned);
            }
            is_ready |= line.contains("Server is ready to receive web requests");
            address.take_if(|_| is_ready)
        })
        .await;
        Self {
            _process: process,
            url: format!("http://{address}/api/v1/query"),
            http: http(),
            _folder: folder,
        }
    }

    /// The series of an expression now.
    pub(crate) async fn series(&self, expression: &str) -> Series {
        let url = Url::parse_with_params(&self.url, [("query", expression)]).expect("a URL");
        let response = self.http.get(url).send().await.expect("a response");
        let text = response.text().await.expect("a body");
        let body: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(body["status"], "success", "{expression}: {body}");
        let series = files::list(&body, "/data/result").iter();
        series
            .map(|series| {
                let labels = serde_json::from_value(series["metric"].clone());
                let value = files::string(series, "/value/1").parse();
                (labels.expect("labels"), value.expect("a number"))
            })
            .collect()
    }

    /// The value of an expression without labels now.
    pub(crate) async fn value(&self, expression: &str) -> f64 {
        let series = self.series(expression).await;
        let [(_, value)] = series.as_slice() else {
            panic!("{expression}: {series:?}");
        };
        *value
    }

    /// Waits until each lab has been scraped so many times more.
    pub(crate) async fn scrapes(&self, labs: &[&Lab], times: f64) {
        let mut goals = Vec::new();
        for lab in labs {
            goals.push((lab, self.scraped(&lab.service).await + times));
        }
        let deadline = Instant::now() + PATIENCE;
        for (lab, goal) in goals {
            while self.scraped(&lab.service).await < goal {
                assert!(Instant::now() < deadline, "{} is not scraped", lab.service);
                sleep(Duration::from_millis(200)).await;
            }
        }
    }

    /// How often a lab has been scraped.
    pub(crate) async fn scraped(&self, instance: &str) -> f64 {
        let scrapes = format!("sum_over_time(up{{instance=\"{instance}\"}}[1h])");
        let series = self.series(&scrapes).await;
        series.first().map_or(0.0, |(_, times)| *times)
    }

    /// The firing alerts of a lab.
    pub(crate) async fn firing(&self, instance: &str) -> Vec<String> {
        let firing = format!(r#"ALERTS{{alertstate="firing",instance="{instance}"}}"#);
        let series = self.series(&firing).await.into_iter();
        series
            .map(|(labels, _)| labels["alertname"].clone())
            .collect()
    }
}

/// A client for addresses on loopback.
fn http() -> reqwest::Client {
    client::install_tls_provider();
    let builder = reqwest::Client::builder().no_proxy().tls_certs_only([]);
    builder.build().expect("legal")
}
