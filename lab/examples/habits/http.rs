//! A minimal implementation of HTTP/1.1, sufficient for the tasks.

use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

/// The largest body that it accepts, in bytes. It accepts none of unknown length.
const MOST_BODY: usize = 64 * 1024;

/// A request, without the parts that all requests share.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: HashMap<String, String>,
    /// The body, unless it broke off.
    pub(crate) body: io::Result<Vec<u8>>,
}

#[derive(Debug)]
pub(crate) struct Connection(BufReader<TcpStream>);

impl Request {
    pub(crate) fn get(target: &str) -> Self {
        Self::plain("GET", target)
    }

    pub(crate) fn plain(method: &'static str, target: &str) -> Self {
        Self {
            method,
            target: target.to_owned(),
            headers: Vec::new(),
            body: String::new(),
        }
    }

    fn written(&self, version: &str, host: &str) -> String {
        let (method, target) = (self.method, &self.target);
        let mut text = format!("{method} {target} {version}\r\nHost: {host}\r\n");
        let length = ("Content-Length", self.body.len().to_string());
        let length = (!self.body.is_empty()).then_some(length);
        for (name, value) in self.headers.iter().chain(&length) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text + "\r\n" + &self.body
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Whether its connection can be reused.
    pub(crate) fn keeps_open(&self) -> bool {
        let closes = self.header("connection") == Some("close");
        !closes && self.body.is_ok()
    }
}

impl Connection {
    pub(crate) fn open(host: &str, timeout: Option<Duration>) -> io::Result<Self> {
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(timeout)?;
        Ok(Self(BufReader::new(stream)))
    }

    pub(crate) fn send(&mut self, request: &Request, version: &str) -> io::Result<()> {
        let host = self.0.get_ref().peer_addr()?.to_string();
        let text = request.written(version, &host);
        self.0.get_mut().write_all(text.as_bytes())
    }

    /// The response to a request with this method.
    pub(crate) fn receive(&mut self, method: &str) -> io::Result<Response> {
        let first = self.line()?;
        let status = first
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let status = status.ok_or(io::ErrorKind::InvalidData)?;
        let mut headers = HashMap::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let length = headers.get("content-length");
        let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        if length > MOST_BODY || headers.contains_key("transfer-encoding") {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let is_bodyless = method == "HEAD" || status == 204;
        let mut body = vec![0; if is_bodyless { 0 } else { length }];
        let read = self.0.read_exact(&mut body);
        Ok(Response {
            status,
            headers,
            body: read.map(|()| body),
        })
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.0.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}
