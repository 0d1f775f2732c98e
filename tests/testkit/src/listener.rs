//! A server that has one response.

use std::{
    io::{Read, Write, copy, sink},
    net::TcpListener,
    thread,
};

/// The base URL of a server that sends these bytes once something has come on a connection,
/// until the end of the tests.
#[must_use]
pub fn responding(response: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || {
                // A close with bytes unread would be a reset. The client may have gone.
                let _ = stream.read(&mut [0; 4_096]);
                let _ = stream.write_all(response.as_bytes());
                let _ = copy(&mut stream, &mut sink());
            });
        }
    });
    url
}
