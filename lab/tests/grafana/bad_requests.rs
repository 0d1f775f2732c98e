//! Requests that no lesson is about: each kind of them once, to a fresh lab.

use std::{collections::BTreeMap, net::SocketAddr};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::fresh_lab::FreshLab;

/// How many of them count as submissions of a job, all of them rejected.
pub(crate) const REJECTED_JOBS: u64 = 5;
/// How many of them meet a fault: HEAD of `/flaky` and of `/redirect`.
pub(crate) const FAULTS: u64 = 2;

/// The heads and bodies, each with the status and the route label of its response.
fn requests() -> Vec<(String, u16, &'static str)> {
    let local = "Host: localhost";
    let job = "Host: localhost\r\nContent-Type: application/json\r\nIdempotency-Key: k";
    let with_body = |head: &str, body: &str| {
        let length = body.len();
        format!("{head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
    };
    let bare = |line: &str, headers: &str| with_body(&format!("{line} HTTP/1.1\r\n{headers}"), "");
    let post =
        |headers: &str, body: &str| with_body(&format!("POST /jobs HTTP/1.1\r\n{headers}"), body);
    let unkeyed = "Host: localhost\r\nContent-Type: application/json";
    vec![
        (bare("GET /nowhere", local), 404, "other"),
        (bare("HEAD /nowhere", local), 404, "other"),
        (bare("BREW /nowhere", local), 404, "other"),
        (bare("BREW /items", local), 405, "other"),
        (bare("DELETE /jobs", local), 405, "other"),
        (bare("POST /metrics", local), 405, "other"),
        (bare("HEAD /items", local), 200, "/items"),
        (bare("HEAD /flaky", local), 503, "/flaky"),
        (bare("HEAD /redirect", local), 302, "/redirect"),
        (bare("GET /items?limit=0", local), 400, "/items"),
        (bare("HEAD /items?cursor=x", local), 400, "/items"),
        (bare("GET /items", "Accept: */*"), 400, "refused"),
        (bare("GET /items", "Host: a.example"), 421, "refused"),
        (
            bare("GET /items", "Host: localhost\r\nOrigin: http://a.example"),
            403,
            "refused",
        ),
        (post(unkeyed, "{}"), 400, "/jobs"),
        (
            post("Host: localhost\r\nIdempotency-Key: k", "{}"),
            415,
            "/jobs",
        ),
        (post(job, "{"), 400, "/jobs"),
        (post(job, "[]"), 422, "/jobs"),
        (post(job, &" ".repeat(70_000)), 413, "/jobs"),
    ]
}

/// Sends each of them, and returns how many there are.
pub(crate) async fn send(address: SocketAddr) -> usize {
    let requests = requests();
    for (request, status, _) in &requests {
        let mut wire = TcpStream::connect(address).await.expect("a connection");
        // The service may respond and close before it has read a long body.
        let _ = wire.write_all(request.as_bytes()).await;
        let mut response = [0; 12];
        wire.read_exact(&mut response).await.expect("a status line");
        let line = String::from_utf8_lossy(&response);
        assert_eq!(line, format!("HTTP/1.1 {status}"), "{request:.80}");
    }
    requests.len()
}

/// The responses of the service by series.
fn responses(scrape: &str) -> BTreeMap<&str, u64> {
    let family = "http_server_request_duration_seconds_count{";
    let series = scrape.lines().filter(|line| line.starts_with(family));
    let series = series.filter_map(|line| line.rsplit_once(' '));
    series
        .map(|(name, value)| (name, value.parse().expect("a whole number")))
        .collect()
}

#[tokio::test]
async fn every_response_of_the_host_raises_a_series_that_stood_at_zero() {
    let lab = FreshLab::start();
    let before = lab.scrape().await;
    let before = responses(&before);

    let sent = send(lab.address()).await;

    let after = lab.scrape().await;
    let after = responses(&after);
    assert!(before.values().all(|count| *count == 0), "{before:#?}");
    assert!(after.keys().eq(before.keys()), "a series was born");
    assert_eq!(after.values().sum::<u64>(), sent as u64);
    for (_, status, route) in requests() {
        let labels = format!("http_route=\"{route}\",http_response_status_code=\"{status}\"");
        let mut risen = after.iter().filter(|(_, count)| **count > 0);
        assert!(
            risen.any(|(series, _)| series.contains(&labels)),
            "{labels}"
        );
    }
}
