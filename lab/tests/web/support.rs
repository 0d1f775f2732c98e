//! A minimal browser: it sends the requests of a browser, or any that a test needs.

use http::{HeaderMap, Method, StatusCode};
use lab::web::{GradedProgram, WebUi, WebUiConfig};
use reqwest::{Client, Response, redirect::Policy};
use serde_json::{Value, json};
use testkit::PATIENCE;
use tokio::time::timeout;

/// The headers of JSON from the page itself.
const OWN_JSON: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("sec-fetch-site", "same-origin"),
];

/// A server on free ports, and a browser for it.
pub(crate) async fn serve() -> (WebUi, Browser) {
    serve_grading(None).await
}

/// The same, which grades a program.
pub(crate) async fn serve_grading(client: Option<GradedProgram>) -> (WebUi, Browser) {
    let config = WebUiConfig {
        port: 0,
        page_port: 0,
        client,
        ..WebUiConfig::default()
    };
    let dashboard = WebUi::start(config).await.expect("free ports");
    let browser = Browser::of(&dashboard.page_url());
    (dashboard, browser)
}

/// Sends requests to one server, each on its own connection.
#[derive(Clone)]
pub(crate) struct Browser {
    url: String,
    http: Client,
}

pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl TestResponse {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// The machine-readable code of a problem.
    pub(crate) fn code(&self) -> String {
        assert_eq!(self.headers["content-type"], "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["status"], self.status.as_u16());
        problem["code"].as_str().expect("a code").to_owned()
    }
}

impl Browser {
    pub(crate) fn of(url: &str) -> Self {
        client::install_tls_provider();
        let http = Client::builder().no_proxy().tls_certs_only([]);
        // A test sees where a form leads.
        let http = http.redirect(Policy::none());
        let http = http.pool_max_idle_per_host(0).read_timeout(PATIENCE);
        Self {
            url: url.to_owned(),
            http: http.build().expect("a client"),
        }
    }

    /// The server's address.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send(Method::GET, path, &[], "").await
    }

    /// Requests a run as the page does.
    pub(crate) async fn start(&self, run: &Value) -> TestResponse {
        self.post("/api/runs", run).await
    }

    /// Sends JSON as the page does.
    pub(crate) async fn post(&self, path: &str, value: &Value) -> TestResponse {
        let value = value.to_string();
        self.send(Method::POST, path, &OWN_JSON, &value).await
    }

    /// The run with this id.
    pub(crate) async fn run(&self, id: &str) -> Value {
        self.get(&format!("/api/runs/{id}")).await.json()
    }

    /// Starts a run, and returns its id.
    pub(crate) async fn begin(&self, run: &Value) -> String {
        let response = self.start(run).await;
        assert_eq!(response.status, StatusCode::ACCEPTED, "{:?}", response.body);
        response.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Starts a run in virtual time, and returns its id.
    pub(crate) async fn run_scenario(&self, scenario: &str) -> String {
        let run = json!({ "scenario": scenario, "pace": "virtual", "seed": 7 });
        self.begin(&run).await
    }

    /// Starts a run that waits for two minutes, with these clients, and returns its id.
    pub(crate) async fn begin_waiting(&self, client: &str) -> String {
        let run = json!({
            "scenario": "retry-later", "client": client, "settings": { "max_retry_after_seconds": 600 },
        });
        self.begin(&run).await
    }

    /// Sends a form as a browser does, and returns the response, which may lead elsewhere.
    pub(crate) async fn submit(&self, path: &str, form: &str) -> TestResponse {
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("sec-fetch-site", "same-origin"),
            ("accept", "text/html"),
        ];
        self.send(Method::POST, path, &headers, form).await
    }

    /// A page as a browser asks for it.
    pub(crate) async fn page(&self, path: &str) -> TestResponse {
        let headers = [("accept", "text/html"), ("sec-fetch-site", "same-origin")];
        self.send(Method::GET, path, &headers, "").await
    }

    /// The page of a run as soon as it has this text.
    pub(crate) async fn shown(&self, id: &str, text: &str) -> String {
        // Listening starts before the first look, so that no change is missed in between.
        let mut changes = self.listen().await;
        loop {
            let page = self.page(&format!("/runs/{id}")).await.text();
            if page.contains(text) {
                return page;
            }
            changes.changed().await;
        }
    }

    /// The page of the graded client as soon as it has this text.
    pub(crate) async fn client_with(&self, text: &str) -> String {
        let mut changes = self.listen().await;
        loop {
            let page = self.page("/client").await.text();
            if page.contains(text) {
                return page;
            }
            changes.changed().await;
        }
    }

    /// A run as soon as it is over.
    pub(crate) async fn ended(&self, id: &str) -> Value {
        let mut changes = self.listen().await;
        loop {
            let run = self.run(id).await;
            if run["state"] != "running" {
                return run;
            }
            changes.changed().await;
        }
    }

    /// Sends a request without a body that changes state, as the page does.
    pub(crate) async fn change(&self, method: Method, path: &str) -> TestResponse {
        let headers = [("sec-fetch-site", "same-origin")];
        self.send(method, path, &headers, "").await
    }

    /// Sends exactly this request; the `Host` is the server's unless another is given.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> TestResponse {
        let response = self.open(method, path, headers, body).await;
        TestResponse {
            status: response.status(),
            headers: response.headers().clone(),
            body: response.bytes().await.expect("a whole body").to_vec(),
        }
    }

    /// Listens for changes.
    pub(crate) async fn listen(&self) -> Events {
        let listening = self.try_listen_to("/live").await;
        listening.unwrap_or_else(|status| panic!("{status}"))
    }

    /// Listens to an event stream, or returns the status of its refusal.
    pub(crate) async fn try_listen_to(&self, path: &str) -> Result<Events, StatusCode> {
        let response = self.open(Method::GET, path, &[], "").await;
        match response.status() {
            StatusCode::OK => Ok(Events::of(response)),
            refused => Err(refused),
        }
    }

    async fn open(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response {
        let request = self.http.request(method, format!("{}{path}", self.url));
        let request = headers.iter().fold(request, |request, (name, value)| {
            request.header(*name, *value)
        });
        let response = request.body(body.to_owned()).send().await;
        response.expect("a response in time")
    }

    /// The sum of the series of `/metrics` that begin like this.
    pub(crate) async fn total(&self, series: &str) -> u64 {
        let scrape = self.get("/metrics").await.text();
        let found = scrape.lines().filter(|line| line.starts_with(series));
        let values = found.map(|line| line.rsplit(' ').next().expect("a value"));
        values
            .map(|value| value.parse::<u64>().expect("a number"))
            .sum()
    }
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) kind: String,
    pub(crate) data: Value,
}

/// A reader of an event stream.
pub(crate) struct Events {
    response: Response,
    received: Vec<u8>,
}

impl Events {
    fn of(response: Response) -> Self {
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            received: Vec::new(),
        }
    }

    /// The next block; none at the end, or if the connection broke.
    async fn block(&mut self) -> Option<String> {
        loop {
            // A chunk may end within a character, but a block does not.
            let mut ends = self.received.windows(2).enumerate();
            if let Some((end, _)) = ends.find(|(_, two)| two == b"\n\n") {
                let rest = self.received.split_off(end + 2);
                let block = std::mem::replace(&mut self.received, rest);
                return Some(String::from_utf8(block).expect("UTF-8"));
            }
            let chunk = self.response.chunk().await;
            assert!(
                !chunk.as_ref().is_err_and(reqwest::Error::is_timeout),
                "too late"
            );
            let chunk = chunk.ok().flatten()?;
            self.received.extend_from_slice(&chunk);
        }
    }

    /// Waits for a change.
    pub(crate) async fn changed(&mut self) {
        loop {
            let block = timeout(PATIENCE, self.block()).await;
            let block = block.expect("a change in time");
            if block.expect("a change before the end") == "data: changed\n\n" {
                return;
            }
        }
    }

    /// The next event; none once the server has ended or aborted the stream.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = read(&self.block().await?) {
                return Some(event);
            }
        }
    }
}

/// An event by the rules of the event stream format; none without data.
fn read(block: &str) -> Option<Event> {
    let field = |name: &str| {
        let mut lines = block.lines().filter_map(|line| line.split_once(": "));
        lines.find_map(|(known, value)| (known == name).then(|| value.to_owned()))
    };
    Some(Event {
        kind: field("event")?,
        data: serde_json::from_str(&field("data")?).expect("JSON"),
    })
}
