//! The judging proxy beside a bare reverse proxy made of hyper, which also opens one
//! connection to the upstream for each request.

use std::thread;

use hyper::{
    Request, body::Incoming, client::conn::http1 as client, server::conn::http1 as server,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use proxy::{Listening, Setup, Upstream};
use tokio::net::{TcpListener, TcpStream};

use crate::{
    process::{FIRST, SECOND, Worker, runtime, serve_at},
    table::{Bound, ratios, show},
};

pub(crate) fn measure() {
    let upstream = Worker::start(SECOND, &["bare-service"]);
    let mut rates = [const { Vec::new() }; 2];
    for _ in 0..9 {
        for (worker, rates) in ["bare-proxy", "lab-proxy"].into_iter().zip(&mut rates) {
            let proxy = Worker::start(FIRST, &[worker, &upstream.base_url]);
            // Fewer requests than a run may have.
            let load = ["load", &proxy.base_url, "8", "2000"];
            rates.push(Worker::start(SECOND, &load).ask());
        }
    }
    let [bare, lab] = rates;
    let label = "proxy / hyper as a proxy, requests a second";
    show(label, "", Bound::AtLeast(0.75), ratios(&lab, &bare));
}

pub(crate) fn serve_lab(upstream: &str) {
    let upstream = Upstream::new(upstream, &[]).expect("an upstream");
    let runtime = runtime();
    let proxy = runtime.block_on(async { Listening::start(&Setup::before(upstream), None) });
    let proxy = proxy.expect("a free port");
    thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    serve_at(proxy.base_url());
}

pub(crate) fn serve_bare(upstream: &str) {
    let upstream = upstream
        .strip_prefix("http://")
        .expect("plain HTTP")
        .to_owned();
    let runtime = runtime();
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
    serve_at(&format!("http://{address}"));
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
