//! Reads one HTTP/1.1 request to its end, and turns it into one that asks for
//! the connection to be closed after the response.

use std::io;

use tokio::{
    io::{AsyncRead, AsyncReadExt, Take},
    net::TcpStream,
};

/// The most a request may hold. The service takes less.
const LARGEST: u64 = 1024 * 1024;

/// The reason why a request cannot be sent on.
#[derive(Debug)]
pub(super) enum Unread {
    /// It is refused with this status.
    Refused(&'static str),
    /// The connection broke, or ended too early.
    Broken(io::Error),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

const BAD_REQUEST: Unread = Unread::Refused("400 Bad Request");
const LENGTH_REQUIRED: Unread = Unread::Refused("411 Length Required");
const TOO_LARGE: Unread = Unread::Refused("413 Content Too Large");
const EXPECTATION_FAILED: Unread = Unread::Refused("417 Expectation Failed");

/// The whole request in the form in which it is sent on.
pub(super) async fn read(client: &mut TcpStream) -> Result<Vec<u8>, Unread> {
    let mut client = client.take(LARGEST);
    let mut bytes = Vec::new();
    let head = loop {
        match head_length(&bytes) {
            Some(head) => break head,
            None => read_more(&mut client, &mut bytes).await?,
        }
        // A ClientHello has no empty line, so the proxy would wait for ever.
        if !bytes.first().is_some_and(u8::is_ascii_alphabetic) {
            return Err(BAD_REQUEST);
        }
    };
    let mut body = bytes.split_off(head);
    let (mut request, length) = close_after(&bytes)?;
    while body.len() < length {
        read_more(&mut client, &mut body).await?;
    }
    body.truncate(length);
    request.append(&mut body);
    Ok(request)
}

async fn read_more(
    client: &mut Take<impl AsyncRead + Unpin>,
    bytes: &mut Vec<u8>,
) -> Result<(), Unread> {
    if client.limit() == 0 {
        return Err(TOO_LARGE);
    }
    match client.read_buf(bytes).await? {
        0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        _ => Ok(()),
    }
}

/// The length of a message's head, the empty line included.
pub(super) fn head_length(message: &[u8]) -> Option<usize> {
    let end = message.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    Some(end + 4)
}

/// The head with `Connection: close` instead of its own, and the length of the body that
/// follows.
fn close_after(head: &[u8]) -> Result<(Vec<u8>, usize), Unread> {
    let head = str::from_utf8(head).map_err(|_| BAD_REQUEST)?;
    // Alone, either would end a line for some readers and for others not.
    if head.replace("\r\n", "").contains(['\r', '\n']) {
        return Err(BAD_REQUEST);
    }
    let mut lines = head.trim_end_matches("\r\n").split("\r\n");
    let request_line = lines.next().unwrap_or_default();
    if !request_line.ends_with(" HTTP/1.1") {
        return Err(BAD_REQUEST);
    }
    let mut closing = format!("{request_line}\r\n");
    let mut length = None;
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(BAD_REQUEST)?;
        // White space would hide a name from a reader (RFC 9112 §5.1, §5.2).
        if name.contains([' ', '\t']) {
            return Err(BAD_REQUEST);
        }
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
fn content_length(value: &str) -> Result<usize, Unread> {
    let digits = value.trim_matches([' ', '\t']);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(BAD_REQUEST);
    }
    digits.parse().map_err(|_| BAD_REQUEST)
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    use super::*;

    /// Parts of valid and nearly valid heads.
    const LINES: [&str; 18] = [
        "Host: a",
        "Connection: keep-alive",
        "connection:close",
        "CONNECTION: x",
        "Keep-Alive: 5",
        "Content-Length: 4",
        "content-length:\t04 ",
        "Content-Length: +4",
        "Content-Length: 4, 4",
        "Content-Length: 18446744073709551616",
        "Transfer-Encoding: chunked",
        "Expect: 100-continue",
        "Content-Length : 4",
        " folded: 4",
        "no colon",
        "X: a\nConnection: b",
        "X: a\rb",
        "X: \u{e9}",
    ];

    proptest! {
        /// A request that is sent on has one `Connection` and one length for every reader;
        /// sending it on again does not change it.
        #[test]
        fn a_head_that_is_sent_on_has_one_meaning(
            first in "(GET|POST) /[a-z]{0,3} HTTP/1\\.[01]", lines in vec(select(&LINES[..]), 0..4),
        ) {
            let head = format!("{first}\r\n{}\r\n", lines.iter().map(|it| format!("{it}\r\n")).collect::<String>());

            let Ok((sent, length)) = close_after(head.as_bytes()) else {
                return Ok(());
            };

            let text = String::from_utf8(sent.clone())?;
            let named = |name: &str| {
                let lines = text.split(['\r', '\n']).map(|line| line.trim().to_ascii_lowercase());
                lines.filter(|line| line.split(':').next().map(str::trim) == Some(name)).count()
            };
            prop_assert_eq!(head_length(&sent), Some(sent.len()));
            prop_assert_eq!((named("connection"), named("keep-alive")), (1, 0));
            prop_assert_eq!((named("transfer-encoding"), named("expect")), (0, 0));
            prop_assert_eq!((named("content-length"), length), (usize::from(length > 0), length));
            prop_assert_eq!(lines.iter().any(|line| line.ends_with(['4', ' '])), length == 4);
            let again = close_after(&sent).expect("a head");
            prop_assert_eq!(again, (sent, length));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(head: Vec<u8>) {
            let head = [b"GET / HTTP/1.1\r\n", &head[..], b"\r\n\r\n"].concat();

            if let Ok((sent, _)) = close_after(&head) {
                prop_assert!(close_after(&sent).is_ok());
            }
        }
    }
}
