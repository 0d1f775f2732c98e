//! One connection, from the request to the fault.

use std::{future, io, net::SocketAddr, sync::Arc};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy, sink},
    net::TcpStream,
};

use super::{
    Fault, Passed, Seen,
    request::{self, Unread},
};

/// The content type of a TLS record that carries a handshake (RFC 8446 §5.1).
const HANDSHAKE: u8 = 22;

/// The header that identifies a response.
const REQUEST_ID: &str = "x-request-id";

/// A TLS record that carries an alert: fatal (2), `handshake_failure` (40).
const HANDSHAKE_FAILURE: [u8; 7] = [21, 3, 3, 0, 2, 2, 40];

/// Does `fault` to a connection. An error ends the connection and nothing else:
/// client and service each see it on their own side.
pub(super) async fn serve(client: TcpStream, upstream: SocketAddr, fault: Fault, seen: Arc<Seen>) {
    let _ = match fault {
        Fault::CloseAtOnce => Ok(()),
        Fault::RefuseTls => refuse_tls(client).await,
        Fault::Stall => stall(client, &seen).await,
        Fault::PassThrough | Fault::LoseResponse | Fault::ResetMidBody | Fault::CloseMidBody => {
            exchange(client, upstream, fault, &seen).await
        }
    };
}

/// Passes on the request, and the response as far as the fault allows.
async fn exchange(
    mut client: TcpStream,
    upstream: SocketAddr,
    fault: Fault,
    seen: &Seen,
) -> io::Result<()> {
    let request = match request::read(&mut client).await {
        Ok(request) => request,
        Err(unread) => return refuse(client, unread).await,
    };
    let Ok(response) = send(upstream, &request).await else {
        return respond(client, "502 Bad Gateway").await;
    };
    let passed = match fault {
        Fault::LoseResponse => None,
        Fault::ResetMidBody | Fault::CloseMidBody => Some(first_half(&response)),
        _ => Some(&*response),
    };
    seen.note(note(&response, passed));
    if let Some(passed) = passed {
        client.write_all(passed).await?;
    }
    if fault == Fault::ResetMidBody {
        client.set_zero_linger()?;
    }
    Ok(())
}

/// The whole response of the service, which ends with the connection, because the
/// request asked for that.
async fn send(upstream: SocketAddr, request: &[u8]) -> io::Result<Vec<u8>> {
    let mut service = TcpStream::connect(upstream).await?;
    service.write_all(request).await?;
    let mut response = Vec::new();
    service.read_to_end(&mut response).await?;
    Ok(response)
}

/// The head and the first half of the body, rounded down.
fn first_half(response: &[u8]) -> &[u8] {
    let head = request::head_length(response).unwrap_or(response.len());
    let half = head + (response.len() - head) / 2;
    response.get(..half).unwrap_or(response)
}

/// The record of a response of which this many bytes are passed on.
fn note(response: &[u8], passed: Option<&[u8]>) -> Passed {
    let length = request::head_length(response).unwrap_or(response.len());
    let head = String::from_utf8_lossy(response.get(..length).unwrap_or(response));
    let id = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case(REQUEST_ID).then(|| value.trim())
    });
    Passed {
        request_id: id.unwrap_or_default().to_owned(),
        body: passed.map(|passed| passed.len().saturating_sub(length) as u64),
    }
}

async fn stall(mut client: TcpStream, seen: &Seen) -> io::Result<()> {
    match request::read(&mut client).await {
        Ok(_) => {
            seen.silence.notify_one();
            future::pending().await
        }
        Err(unread) => refuse(client, unread).await,
    }
}

async fn refuse_tls(mut client: TcpStream) -> io::Result<()> {
    let mut header = [0; 5];
    client.read_exact(&mut header).await?;
    let [content_type, _, _, high, low] = header;
    if content_type != HANDSHAKE {
        return Ok(());
    }
    let mut hello = vec![0; usize::from(u16::from_be_bytes([high, low]))];
    client.read_exact(&mut hello).await?;
    client.write_all(&HANDSHAKE_FAILURE).await?;
    close(client).await
}

async fn refuse(client: TcpStream, unread: Unread) -> io::Result<()> {
    match unread {
        Unread::Refused(status) => respond(client, status).await,
        Unread::Broken(error) => Err(error),
    }
}

/// Sends a response that the proxy makes.
async fn respond(mut client: TcpStream, status: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    client.write_all(head.as_bytes()).await?;
    close(client).await
}

/// Closes for writing and reads on until the client closes, too. Closing with
/// something unread would reset the connection, and the client might lose what was
/// just written (RFC 9112 §9.6).
async fn close(mut client: TcpStream) -> io::Result<()> {
    client.shutdown().await?;
    copy(&mut client, &mut sink()).await?;
    Ok(())
}
