//! A load: requests for `/items`, as fast as the responses come, on a number of connections.
//! It takes much less time for a request than any of the measured programs.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Instant,
};

use crate::process::take_turns;

/// Sends so many requests in each turn, whose number is how many a second were answered.
pub(crate) fn send(base_url: &str, connections: &str, requests: &str) {
    let address = base_url.strip_prefix("http://").expect("plain HTTP");
    let request = format!("GET /items HTTP/1.1\r\nhost: {address}\r\n\r\n");
    let connections: usize = connections.parse().expect("a number");
    let requests: usize = requests.parse().expect("a number");
    take_turns(|| {
        let streams = (0..connections).map(|_| TcpStream::connect(address).expect("it listens"));
        let streams: Vec<_> = streams.collect();
        let begun = Instant::now();
        // Each connection waits for one response. They are read in the order of the requests.
        for number in 0..requests + connections {
            let mut stream = &streams[number % connections];
            if number >= connections {
                read_response(stream);
            }
            if number < requests {
                stream.write_all(request.as_bytes()).expect("it reads");
            }
        }
        requests as f64 / begun.elapsed().as_secs_f64()
    });
}

/// The measured bodies are JSON objects, and no head ends with a brace.
fn read_response(mut stream: &TcpStream) {
    let (mut response, mut chunk) = (Vec::new(), [0; 4096]);
    while !response.ends_with(b"}") {
        let read = stream.read(&mut chunk).expect("a response");
        assert_ne!(read, 0, "the connection was closed");
        response.extend_from_slice(&chunk[..read]);
    }
    assert!(response.starts_with(b"HTTP/1.1 200 "));
}
