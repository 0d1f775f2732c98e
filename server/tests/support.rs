//! The least HTTP client that will do: bytes out, bytes in.

use std::borrow::Borrow;
use std::io::{BufRead, BufReader, Write};
use std::iter;
use std::net::TcpStream;
use std::time::Duration;

/// How long a response is waited for. It is long enough for every machine; without it
/// a test would hang rather than fail.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The response, up to the end of the body.
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
pub(crate) fn exchange(stream: impl Borrow<TcpStream>, request: impl AsRef<[u8]>) -> Response {
    let mut stream = stream.borrow();
    stream
        .write_all(request.as_ref())
        .expect("the service reads");
    read_response(stream)
}

/// Asks for what is at this path.
pub(crate) fn get(stream: impl Borrow<TcpStream>, path: &str) -> Response {
    exchange(stream, request("GET", path, "", ""))
}

pub(crate) fn read_response(stream: &TcpStream) -> Response {
    let is_set = stream.set_read_timeout(Some(PATIENCE));
    is_set.expect("it is not zero");
    next_response(&mut BufReader::new(stream))
}

/// The response that comes next. Fails where it breaks off.
pub(crate) fn next_response(reader: &mut impl BufRead) -> Response {
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).expect("the service responds");
        line.strip_suffix("\r\n").expect("a whole line").to_owned()
    };
    let status = line();
    let status = status.split(' ').nth(1).expect("a status line");
    let mut response = Response {
        status: status.parse().unwrap(),
        headers: iter::from_fn(|| Some(line()).filter(|line| !line.is_empty())).collect(),
        body: String::new(),
    };
    let length = response.header("content-length");
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
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
