//! Requests that no lesson is about: each kind of them once, to a fresh service.

use std::{collections::BTreeMap, net::SocketAddr};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::metrics::both_sides::BothSides;

/// Each request, its headers and its body, with the status and the route label of its
/// response.
const REQUESTS: &str = r#"
GET /nowhere | Host: localhost |  | 404 other
HEAD /nowhere | Host: localhost |  | 404 other
BREW /nowhere | Host: localhost |  | 404 other
BREW /items | Host: localhost |  | 405 other
DELETE /jobs | Host: localhost |  | 405 other
POST /metrics | Host: localhost |  | 405 other
HEAD /items | Host: localhost |  | 200 /items
HEAD /flaky | Host: localhost |  | 503 /flaky
HEAD /redirect | Host: localhost |  | 302 /redirect
GET /items?limit=0 | Host: localhost |  | 400 /items
HEAD /items?cursor=x | Host: localhost |  | 400 /items
GET /items | Accept: */* |  | 400 refused
GET /items | Host: a.example |  | 421 refused
GET /items | Host: localhost; Origin: http://a.example |  | 403 refused
POST /jobs | Host: localhost; Content-Type: application/json | {} | 400 /jobs
POST /jobs | Host: localhost; Idempotency-Key: k | {} | 415 /jobs
POST /jobs | Host: localhost; Content-Type: application/json; Idempotency-Key: k | { | 400 /jobs
POST /jobs | Host: localhost; Content-Type: application/json; Idempotency-Key: k | [] | 422 /jobs
POST /jobs | Host: localhost; Content-Type: application/json; Idempotency-Key: k | LONG | 413 /jobs
"#;

/// The requests as they are sent, each with the status and the route label of its response.
fn requests() -> Vec<(String, &'static str, &'static str)> {
    let requests = REQUESTS.trim().lines().map(|row| {
        let [line, headers, body, response] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let headers = headers.replace("; ", "\r\n");
        let body = body.replace("LONG", &" ".repeat(70_000));
        let length = body.len();
        let (status, route) = response.split_once(' ').expect("a route");
        let request = format!(
            "{line} HTTP/1.1\r\n{headers}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        (request, status, route)
    });
    requests.collect()
}

/// Sends each of them, and returns how many there are.
async fn send(address: SocketAddr) -> usize {
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
    let both = BothSides::start();
    let before = both.scrape().await;
    let before = responses(&before);

    let sent = send(both.address()).await;

    let after = both.scrape().await;
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
    both.stop().await;
}
