//! Connections: responses that nobody asked for.

use client::teaching::ReliableApiClient;
use tokio::{
    io::{AsyncWriteExt, copy, sink},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

use super::{FORGED, PATIENCE, SOUND, meet};
use crate::support::wire::{Seen, Then};

/// Holds hyper's rule that a connection on which more came than a response is not used
/// again: the next call would take the rest for its own response.
#[tokio::test]
async fn what_follows_a_response_is_the_response_to_no_other_call() {
    for after in [
        FORGED,
        &FORGED.repeat(3),
        "x",
        "\r\n",
        "\0",
        "HTTP/1.1 200 OK\r\n",
    ] {
        let outcome = meet(&format!("{SOUND}{after}"), Then::Again).await;

        assert_eq!(outcome, "3", "{after:?}");
    }
}

/// Holds hyper's watch on a connection that waits for its next request.
#[tokio::test]
async fn what_comes_before_a_request_is_not_its_response() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (called, closed) = (Notify::new(), Notify::new());
    let respond = async || -> TcpStream {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let seen = Seen::default();
        seen.read_request(&mut stream).await.expect("a request");
        stream.write_all(SOUND.as_bytes()).await.expect("it reads");
        stream
    };
    let service = async {
        let mut kept = respond().await;
        called.notified().await;
        kept.write_all(FORGED.as_bytes()).await.expect("it reads");
        drop(copy(&mut kept, &mut sink()).await);
        closed.notify_one();
        drop(respond().await);
    };
    let client = ReliableApiClient::builder(&format!("http://{address}"))
        .timeouts(PATIENCE, PATIENCE)
        .max_attempts(1)
        .build()
        .expect("a client");
    let calls = async {
        let first = client.flaky().await.expect("a response").attempt;
        called.notify_one();
        closed.notified().await;
        [first, client.flaky().await.expect("a response").attempt]
    };

    let (attempts, ()) = tokio::join!(calls, service);

    assert_eq!(attempts, [3, 3]);
}
