//! The judging proxy beside a bare reverse proxy made of hyper, which also opens one
//! connection to the upstream for each request.

use std::{thread, time::Instant};

use futures_util::future::join_all;
use hyper::{
    Request, body::Incoming, client::conn::http1 as client, server::conn::http1 as server,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use proxy::{Listening, Setup, Upstream};
use tokio::net::{TcpListener, TcpStream};

use crate::{
    bare,
    client::session,
    process::{self, FIRST, SECOND, Worker},
    table::{Bound, ratios, show},
};

/// The judging proxy.
pub(crate) const LAB: &str = "lab-proxy";

/// How often each proxy has a turn, in a process of its own.
const ROUNDS: usize = 9;

/// How many connections a turn has, and how many requests each of them sends: together
/// fewer than a run may have.
const CONNECTIONS: usize = 8;
const REQUESTS: usize = 250;

pub(crate) fn measure() {
    let upstream = Worker::start(SECOND, bare::SERVICE, &[]);
    let mut rates = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        for (worker, rates) in [bare::PROXY, LAB].into_iter().zip(&mut rates) {
            rates.push(turn(&Worker::start(FIRST, worker, &[&upstream.base_url])));
        }
    }
    let [bare, lab] = rates;
    let of_lab = ratios(&lab, &bare);
    show("hyper as a proxy, requests a second", "", Bound::None, bare);
    show("proxy / hyper as a proxy", "", Bound::AtLeast(0.5), of_lab);
}

/// Requests a second.
fn turn(proxy: &Worker) -> f64 {
    let url = format!("{}/items", proxy.base_url);
    let http = session();
    let call = async || {
        for _ in 0..REQUESTS {
            let response = http.get(&url).send().await.expect("a response");
            let response = response.error_for_status().expect("a success");
            response.bytes().await.expect("a body");
        }
    };
    let begun = Instant::now();
    process::runtime().block_on(join_all((0..CONNECTIONS).map(|_| call())));
    (CONNECTIONS * REQUESTS) as f64 / begun.elapsed().as_secs_f64()
}

pub(crate) fn serve_lab(upstream: &str) {
    let upstream = Upstream::new(upstream, &[]).expect("an upstream");
    let runtime = process::runtime();
    let proxy = runtime.block_on(async { Listening::start(&Setup::before(upstream), None) });
    let proxy = proxy.expect("a free port");
    thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    process::serve_at(&proxy.base_url());
}

pub(crate) fn serve_bare(upstream: &str) {
    let upstream = upstream
        .strip_prefix("http://")
        .expect("plain HTTP")
        .to_owned();
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
    let stream = TcpStream::connect(upstream).await.expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    let (mut sender, connection) = client::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    sender.send_request(request).await
}
