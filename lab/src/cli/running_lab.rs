//! A running `lab serve`, as another command reaches it.

use std::time::Duration;

use axum::body::Bytes;
use http::{Method, StatusCode, header::CONTENT_TYPE};
use reqwest::{Client, Response, Url};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::timeout;

use crate::{http_client, web::DEFAULT_PAGE_PORT};

/// How long the response headers may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The web UI of a `lab serve`.
pub(crate) struct RunningLab {
    page: String,
    http: Client,
    patience: Duration,
}

/// Why a lab did not respond as one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunningLabError {
    #[error("nothing listens at {0}; type: lab serve")]
    Refused(String),
    #[error("{0} does not respond; stop the program that listens there, and type: lab serve")]
    TimedOut(String),
    #[error(
        "the server at {0} is not the web UI of this `lab serve`; set --page to the \
         address that it printed"
    )]
    NotTheWebUi(String),
    /// Its own words, from the detail of a problem object.
    #[error("{detail}")]
    Problem { status: StatusCode, detail: String },
    #[error("the HTTP client could not be set up")]
    Client(#[from] reqwest::Error),
}

/// The address that `lab serve` uses by default.
pub(crate) fn default_page() -> String {
    format!("http://127.0.0.1:{DEFAULT_PAGE_PORT}")
}

/// The origin of the web UI, which accepts no other host than loopback.
pub(crate) fn page(text: &str) -> Result<String, String> {
    let url = Url::parse(text).ok().filter(|url| {
        let loopback = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let anonymous = url.username().is_empty() && url.password().is_none();
        url.scheme() == "http" && loopback && bare && anonymous
    });
    url.map(|url| url.origin().ascii_serialization())
        .ok_or_else(|| {
            let example = default_page();
            format!("it must be the web UI's address as `lab serve` prints it, such as {example}")
        })
}

impl RunningLab {
    /// The lab with this page.
    pub(crate) fn at(page: &str) -> Result<Self, RunningLabError> {
        Ok(Self {
            page: page.to_owned(),
            // A connection that idles could be closed under a request.
            http: http_client::plain_builder()
                .pool_max_idle_per_host(0)
                .build()?,
            patience: RESPONSE_TIMEOUT,
        })
    }

    /// The same, with another time that the response headers may take.
    pub(crate) fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Sends a request, and returns whatever the server there responds with.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Response, RunningLabError> {
        let request = self
            .http
            .request(method, format!("{}{path}", self.page))
            // As a browser does for an address that a person typed (Fetch Metadata).
            .header("sec-fetch-site", "none");
        let request = match body {
            Some(body) => request
                .header(CONTENT_TYPE, "application/json")
                .body(body.to_string()),
            None => request,
        };
        match timeout(self.patience, request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) if error.is_connect() => {
                Err(RunningLabError::Refused(self.page.clone()))
            }
            // A server listens there and does not speak HTTP.
            Ok(Err(_)) => Err(self.is_another()),
            Err(_) => Err(RunningLabError::TimedOut(self.page.clone())),
        }
    }

    /// Sends a request, and reads the response as JSON of this shape.
    pub(crate) async fn ask<T: for<'de> Deserialize<'de>>(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<T, RunningLabError> {
        let body = self.read(method, path, body).await?;
        serde_json::from_slice(&body).map_err(|_| self.is_another())
    }

    /// The text at this path.
    pub(crate) async fn text(&self, path: &str) -> Result<String, RunningLabError> {
        let body = self.read(Method::GET, path, None).await?;
        String::from_utf8(body.into()).map_err(|_| self.is_another())
    }

    /// Sends a request, and reads the whole response, unless it is a problem object.
    async fn read(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Bytes, RunningLabError> {
        let response = self.send(method, path, body).await?;
        let status = response.status();
        let body = timeout(self.patience, response.bytes()).await;
        let body = body.map_err(|_| RunningLabError::TimedOut(self.page.clone()))?;
        let body = body.map_err(|_| self.is_another())?;
        if status.is_success() {
            return Ok(body);
        }
        let problem: Option<Value> = serde_json::from_slice(&body).ok();
        let detail = problem
            .as_ref()
            .and_then(|problem| problem.get("detail")?.as_str());
        let detail = detail.ok_or_else(|| self.is_another())?.to_owned();
        Err(RunningLabError::Problem { status, detail })
    }

    /// The error for a server that is not this lab's.
    pub(crate) fn is_another(&self) -> RunningLabError {
        RunningLabError::NotTheWebUi(self.page.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_loopback_origin_is_a_valid_page() {
        for (text, expected) in [
            ("http://127.0.0.1:8766", "http://127.0.0.1:8766"),
            ("http://127.0.0.1:8766/", "http://127.0.0.1:8766"),
            ("http://localhost:9", "http://localhost:9"),
            ("http://[::1]:9", "http://[::1]:9"),
        ] {
            assert_eq!(page(text).as_deref(), Ok(expected));
        }
        for text in [
            "",
            "127.0.0.1:8766",
            "localhost:8766",
            "https://127.0.0.1:8766",
            "http://evil.example:8766",
            "http://127.0.0.1.evil.example",
            "http://127.0.0.1@evil.example",
            "http://me:secret@127.0.0.1:8766",
            "http://127.0.0.1:8766/runs/abcdefgh",
            "http://127.0.0.1:8766?x",
            "http://127.0.0.1:8766#x",
            "http://127.0.0.1:99999",
        ] {
            assert!(page(text).is_err(), "{text}");
        }
    }

    #[tokio::test]
    async fn a_silent_server_and_a_missing_one_get_different_errors() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let page = format!("http://{}", silent.local_addr().expect("an address"));
        let lab = RunningLab::at(&page).expect("a client");
        let lab = lab.with_patience(Duration::from_millis(100));
        let refused = async || {
            let sent = lab.send(Method::GET, "/", None).await;
            sent.err().map(|error| error.to_string())
        };

        let waited = refused().await;
        drop(silent);
        let gone = refused().await;

        let stop = "stop the program that listens there, and type: lab serve";
        assert_eq!(waited, Some(format!("{page} does not respond; {stop}")));
        assert_eq!(
            gone,
            Some(format!("nothing listens at {page}; type: lab serve"))
        );
    }
}
