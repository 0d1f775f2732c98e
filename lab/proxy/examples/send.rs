//! `send URL [-d BODY] [-H 'NAME: VALUE']…`: sends one request and prints the status of its
//! response.
//!
//! The applications in the tests of the proxy are small shell scripts, and this is how they
//! send. It knows no retry. Without a response it prints nothing and exits with 1.

use std::{
    env,
    io::{Read, Write},
    net::TcpStream,
    process::ExitCode,
    time::Duration,
};

/// How long a read may take: longer than any fault lasts.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// What the command line asks for.
#[derive(Default)]
struct Request {
    url: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
}

impl Request {
    /// The request of these arguments, or none if they make no sense.
    fn of(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut request = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "-d" => request.body = Some(arguments.next()?),
                "-H" => {
                    let header = arguments.next()?;
                    let (name, value) = header.split_once(": ")?;
                    request.headers.push((name.to_owned(), value.to_owned()));
                }
                _ => request.url = argument,
            }
        }
        Some(request)
    }

    /// Sends it and reads the whole response. Returns the status.
    fn send(&self) -> Option<String> {
        let (host, path) = self.url.strip_prefix("http://")?.split_once('/')?;
        let method = if self.body.is_some() { "POST" } else { "GET" };
        let body = self.body.as_deref().unwrap_or_default();
        let mut head = format!("{method} /{path} HTTP/1.1\r\nConnection: close\r\n");
        let is_named = |wanted: &str| self.headers.iter().any(|(name, _)| name == wanted);
        if !is_named("Host") {
            head += &format!("Host: {host}\r\n");
        }
        if self.body.is_some() {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let mut stream = TcpStream::connect(host).ok()?;
        stream.set_read_timeout(Some(READ_TIMEOUT)).ok()?;
        write!(stream, "{head}\r\n{body}").ok()?;
        let mut response = String::new();
        stream.read_to_string(&mut response).ok()?;
        Some(response.split(' ').nth(1)?.to_owned())
    }
}

#[expect(clippy::print_stdout, reason = "the status is what it is run for")]
fn main() -> ExitCode {
    let request = Request::of(env::args().skip(1));
    let Some(status) = request.and_then(|request| request.send()) else {
        return ExitCode::FAILURE;
    };
    println!("{status}");
    ExitCode::SUCCESS
}
