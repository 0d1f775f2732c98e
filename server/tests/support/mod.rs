//! The least HTTP client that will do: bytes out, bytes in.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How long a response is waited for. It is long enough for every machine; without it
/// a test would hang rather than fail.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What came back, up to the end of the body.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Header lines, with names in lower case.
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let prefix = format!("{name}: ");
        self.headers
            .iter()
            .find_map(|line| line.strip_prefix(&prefix))
    }
}

/// Sends bytes and reads one response, on a connection that stays open.
pub(crate) fn exchange(stream: &TcpStream, request: &[u8]) -> Response {
    let mut writer = stream;
    writer.write_all(request).expect("the service reads");
    read_response(stream)
}

pub(crate) fn read_response(stream: &TcpStream) -> Response {
    stream
        .set_read_timeout(Some(PATIENCE))
        .expect("it is not zero");
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("the service responses");
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let status = lines
        .remove(0)
        .split(' ')
        .nth(1)
        .expect("a status line")
        .parse()
        .unwrap();
    let mut response = Response {
        status,
        headers: lines,
        body: String::new(),
    };
    let length = response
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a whole body");
    response.body = String::from_utf8(body).unwrap();
    response
}

/// The bytes of a request. Each extra header ends with CRLF.
pub(crate) fn request(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
}
