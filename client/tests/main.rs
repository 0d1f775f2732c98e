//! The client as its callers meet it, one subject a file: over a wiremock server
//! (`bench`), or over bytes where HTTP itself is broken (`support::wire`).
//!
//! Nothing here waits for real time to pass, except where a socket's own
//! timeout is the subject.

#![expect(
    clippy::disallowed_methods,
    reason = "a test stands outside the walls of the crate, and real sockets have real timers"
)]
#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "a reset is tried on Linux alone")
)]

extern crate reliable_api_client as client;

#[expect(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "the package `tests` compiles it too, and uses the rest of it"
)]
mod bench;
mod body;
mod calls;
mod cancellation;
mod checkpoint_file;
mod crawl;
mod cut;
mod deadline;
mod events;
mod examples;
mod from_reqwest_retry;
mod listing;
mod measured;
mod own_endpoints;
mod policy;
mod redaction;
#[cfg(target_os = "linux")]
mod resources;
mod settings;
mod shared_limits;
mod spans;
mod support;
mod tls;
