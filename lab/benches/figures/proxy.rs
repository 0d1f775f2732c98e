//! The judging proxy beside a bare reverse proxy made of hyper, which also opens one
//! connection to the upstream for each request.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    thread,
    time::Instant,
};

use hyper::{
    Request, body::Incoming, client::conn::http1 as client, server::conn::http1 as server,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use proxy::{Listening, Upstream};
use tokio::net::TcpListener;

use crate::{
    bare_service,
    process::{self, Core, Service},
    spread::Spread,
    table::{Bound, Line, Row},
};

pub(crate) const BARE: &str = "bare-proxy";
pub(crate) const LAB: &str = "lab-proxy";

const RATE: Row = Row("hyper as a proxy, requests a second", "", Bound::None);
const RATIO: Row = Row("proxy / hyper as a proxy", "", Bound::AtLeast(0.5));

/// How often each proxy has a turn, in a process of its own.
const ROUNDS: usize = 9;

/// How many connections a turn has, and how many requests each of them sends: together
/// fewer than a run may have.
const CONNECTIONS: usize = 8;
const REQUESTS: usize = 250;

pub(crate) fn measure() -> Vec<Line> {
    let upstream = Service::start(process::worker_on(Core::Second, bare_service::WORKER, &[]));
    let mut rates = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        for (worker, rates) in [BARE, LAB].into_iter().zip(&mut rates) {
            let arguments = [&*upstream.base_url];
            let proxy = Service::start(process::worker_on(Core::First, worker, &arguments));
            rates.push(turn(&proxy.base_url));
        }
    }
    let [bare, lab] = rates;
    vec![
        RATE.measured(Spread::of(bare.iter().copied())),
        RATIO.measured(Spread::of_ratios(&lab, &bare)),
    ]
}

/// Requests a second.
fn turn(base_url: &str) -> f64 {
    let address = base_url.strip_prefix("http://").expect("plain HTTP");
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| call(address));
        }
    });
    (CONNECTIONS * REQUESTS) as f64 / begun.elapsed().as_secs_f64()
}

fn call(address: &str) {
    let stream = TcpStream::connect(address).expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
    let mut writer = stream;
    let request = format!("GET /items HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let mut body = vec![0; bare_service::PAGE.len()];
    for _ in 0..REQUESTS {
        writer.write_all(request.as_bytes()).expect("it reads");
        let mut line = String::new();
        reader.read_line(&mut line).expect("a status line");
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).expect("a header");
        }
        reader.read_exact(&mut body).expect("the body");
        assert_eq!(body, bare_service::PAGE.as_bytes());
    }
}

pub(crate) fn serve_lab(arguments: &[String]) {
    let upstream = Upstream::new(&arguments[0], &[]).expect("an upstream");
    let runtime = process::runtime();
    let proxy = runtime.block_on(async { Listening::start(&upstream, None, &[], false) });
    let proxy = proxy.expect("a free port");
    thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    process::serve_at(&proxy.base_url());
}

pub(crate) fn serve_bare(arguments: &[String]) {
    let upstream = arguments[0].strip_prefix("http://").expect("plain HTTP");
    let upstream = upstream.to_owned();
    let runtime = process::runtime();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"));
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        runtime.block_on(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                stream.set_nodelay(true).expect("a socket");
                let upstream = upstream.clone();
                let handle = service_fn(move |request| hand_on(request, upstream.clone()));
                tokio::spawn(async move {
                    let served = server::Builder::new();
                    drop(served.serve_connection(TokioIo::new(stream), handle).await);
                });
            }
        });
    });
    process::serve_at(&format!("http://{address}"));
}

async fn hand_on(
    request: Request<Incoming>,
    upstream: String,
) -> Result<hyper::Response<Incoming>, hyper::Error> {
    let stream = tokio::net::TcpStream::connect(upstream).await;
    let stream = stream.expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    let (mut sender, connection) = client::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    sender.send_request(request).await
}
