//! Reads one HTTP/1.1 request to its end, and turns it into one that asks for
//! the connection to be closed after the answer.

use std::io;

use tokio::{
    io::{AsyncRead, AsyncReadExt},
    net::TcpStream,
};

/// The most a request may hold. The service takes less.
const LARGEST: u64 = 1024 * 1024;

/// The status of an answer that the proxy gives by itself.
type Refusal = &'static str;

const BAD_REQUEST: Refusal = "400 Bad Request";
const LENGTH_REQUIRED: Refusal = "411 Length Required";
const TOO_LARGE: Refusal = "413 Content Too Large";
const EXPECTATION_FAILED: Refusal = "417 Expectation Failed";

/// The whole request as it is to be sent on, or why it is not.
///
/// An error is one of the connection, which may also end too early.
pub(super) async fn read(client: &mut TcpStream) -> io::Result<Result<Vec<u8>, Refusal>> {
    let mut client = client.take(LARGEST);
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(head) = head_length(&bytes) {
            break head;
        }
        if let Err(refusal) = read_more(&mut client, &mut bytes).await? {
            return Ok(Err(refusal));
        }
    };
    let (mut request, length) = match close_after(&bytes[..head]) {
        Ok(closing) => closing,
        Err(refusal) => return Ok(Err(refusal)),
    };
    while bytes.len() - head < length {
        if let Err(refusal) = read_more(&mut client, &mut bytes).await? {
            return Ok(Err(refusal));
        }
    }
    request.extend_from_slice(&bytes[head..head + length]);
    Ok(Ok(request))
}

async fn read_more(
    client: &mut tokio::io::Take<impl AsyncRead + Unpin>,
    bytes: &mut Vec<u8>,
) -> io::Result<Result<(), Refusal>> {
    if client.limit() == 0 {
        return Ok(Err(TOO_LARGE));
    }
    match client.read_buf(bytes).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        // Whoever sends a ClientHello would wait for ever for an empty line.
        _ if !bytes[0].is_ascii_alphabetic() => Ok(Err(BAD_REQUEST)),
        _ => Ok(Ok(())),
    }
}

/// The length of a message's head, the empty line included.
pub(super) fn head_length(message: &[u8]) -> Option<usize> {
    let end = message.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    Some(end + 4)
}

/// The head with `Connection: close` for whatever it said about the connection,
/// and the length of the body that follows it.
fn close_after(head: &[u8]) -> Result<(Vec<u8>, usize), Refusal> {
    let head = str::from_utf8(head).map_err(|_| BAD_REQUEST)?;
    let mut lines = head.trim_end_matches("\r\n").split("\r\n");
    let request_line = lines.next().unwrap_or_default();
    if !request_line.ends_with(" HTTP/1.1") {
        return Err(BAD_REQUEST);
    }
    let mut closing = format!("{request_line}\r\n");
    let mut length = None;
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(BAD_REQUEST)?;
        match name.to_ascii_lowercase().as_str() {
            "connection" | "keep-alive" => continue,
            "transfer-encoding" => return Err(LENGTH_REQUIRED),
            "expect" => return Err(EXPECTATION_FAILED),
            "content-length" if length.is_some() => return Err(BAD_REQUEST),
            "content-length" => length = Some(content_length(value)?),
            _ => {}
        }
        closing.push_str(line);
        closing.push_str("\r\n");
    }
    closing.push_str("Connection: close\r\n\r\n");
    Ok((closing.into_bytes(), length.unwrap_or(0)))
}

/// `parse` alone would take a sign, which RFC 9110 §8.6 does not allow.
fn content_length(value: &str) -> Result<usize, Refusal> {
    let digits = value.trim_matches([' ', '\t']);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(BAD_REQUEST);
    }
    digits.parse().map_err(|_| BAD_REQUEST)
}
