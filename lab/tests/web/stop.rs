//! The shutdown: it is prompt in any state, and closes what was open.

use futures_util::future::join_all;
use testkit::PATIENCE;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::web::{
    cancel::WAIT,
    support::{Browser, serve},
    unkept::waiting,
};

fn port(url: &str) -> u16 {
    let (_, port) = url.rsplit_once(':').expect("a port");
    port.parse().expect("a port")
}

/// Pages that read and one that does not, and runs that wait two minutes, of which one is
/// not kept.
#[tokio::test]
async fn nothing_that_goes_on_delays_the_shutdown() {
    let (dashboard, browser) = serve().await;
    let mut pages = join_all((0..20).map(|_| browser.listen())).await;
    let mut deaf = TcpStream::connect(("127.0.0.1", port(&dashboard.page_url())))
        .await
        .expect("a connection");
    let request = "GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n";
    deaf.write_all(request.as_bytes()).await.expect("a request");
    deaf.readable().await.expect("a response begins");
    let id = browser.begin_waiting("reliable").await;
    browser.shown(&id, WAIT).await;
    let service = Browser::of(&dashboard.service_url());
    let waiting = waiting();
    let stop = async {
        while service.total("client_attempts_total{").await < 2 {
            tokio::task::yield_now().await;
        }
        timeout(PATIENCE, dashboard.stop()).await
    };

    let (unkept, stopped) = tokio::join!(browser.start(&waiting), stop);

    stopped.expect("a prompt end").expect("nothing left behind");
    assert_eq!(unkept.code(), "not_run");
    for page in &mut pages {
        while page.next().await.is_some() {}
    }
}

#[tokio::test]
async fn dropping_the_web_ui_closes_every_connection() {
    let (dashboard, _) = serve().await;
    let address = format!("127.0.0.1:{}", port(&dashboard.page_url()));
    let mut page = TcpStream::connect(address).await.expect("a connection");

    drop(dashboard);

    let mut rest = Vec::new();
    let end = timeout(PATIENCE, page.read_to_end(&mut rest)).await;
    assert!(end.expect("an end").is_err() || rest.is_empty());
}
