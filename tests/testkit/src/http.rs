//! HTTP over raw sockets: bytes out, bytes in, and nothing that repeats or mends them.

use std::{
    borrow::Borrow,
    io::{BufRead, BufReader, Read, Write},
    iter,
    net::{TcpStream, ToSocketAddrs},
};

use crate::PATIENCE;

/// A response, up to the end of its body.
#[derive(Debug)]
pub struct Response {
    /// Its status.
    pub status: u16,
    /// Its header lines, with names in lower case.
    pub headers: Vec<String>,
    /// Its body.
    pub body: String,
}

impl Response {
    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let prefix = format!("{name}: ");
        self.headers
            .iter()
            .find_map(|line| line.strip_prefix(&prefix))
    }
}

/// A connection on which nothing is waited for without end.
pub fn connect(address: impl ToSocketAddrs) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it listens");
    patient(&stream);
    stream
}

/// Bounds how long a connection is waited for.
pub fn patient(stream: &TcpStream) {
    let reads = stream.set_read_timeout(Some(PATIENCE));
    let writes = stream.set_write_timeout(Some(PATIENCE));
    reads.and(writes).expect("it is not zero");
}

/// Sends a request as it stands on a new connection. Returns all that comes until the
/// connection is closed.
pub fn raw(address: impl ToSocketAddrs, request: impl AsRef<[u8]>) -> String {
    let mut stream = connect(address);
    stream.write_all(request.as_ref()).expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    response
}

/// Sends bytes and reads one response, on a connection that stays open.
pub fn exchange(stream: impl Borrow<TcpStream>, request: impl AsRef<[u8]>) -> Response {
    let mut stream = stream.borrow();
    stream.write_all(request.as_ref()).expect("it reads");
    read_response(stream)
}

/// Asks for what is at this path.
pub fn get(stream: impl Borrow<TcpStream>, path: &str) -> Response {
    exchange(stream, request("GET", path, "", ""))
}

/// Reads the response that comes next on a connection.
#[must_use]
pub fn read_response(stream: &TcpStream) -> Response {
    patient(stream);
    next_response(&mut BufReader::new(stream))
}

/// The response that comes next.
///
/// # Panics
///
/// If it breaks off.
pub fn next_response(reader: &mut impl BufRead) -> Response {
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).expect("the service responds");
        line.strip_suffix("\r\n").expect("a whole line").to_owned()
    };
    let status_line = line();
    let status = status_line.split(' ').nth(1).expect("a status line");
    let mut response = Response {
        status: status.parse().expect("a number"),
        headers: iter::from_fn(|| Some(line()).filter(|line| !line.is_empty())).collect(),
        body: String::new(),
    };
    let length = response.header("content-length");
    let length = length.map_or(0, |length| length.parse().expect("a number"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a whole body");
    response.body = String::from_utf8(body).expect("UTF-8");
    response
}

/// The bytes of a request. Each extra header ends with CRLF.
#[must_use]
pub fn request(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
}
