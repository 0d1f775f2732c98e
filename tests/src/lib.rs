//! Support for the tests: the client's own bench, a service with a client on one clock, a
//! service without a socket and a client without one.
//!
//! Nothing here waits, reaches beyond loopback or is shared between two tests.

#[path = "../../client/tests/bench/mod.rs"]
mod bench;
mod loopback;
mod service;
mod transport;

pub use bench::{
    Bench, Draw, NOW, NOWHERE, Reply, Script, Series, SpanRecord, Spans, Tally, Watch, call,
    client_of, clock, contract_error, cursor, every_text, http_error, json, line, never_resolving,
    page, read, response_problem, retry_after, silently, status, sum, transport_error, typed,
};
pub use loopback::Loopback;
pub use service::{job, respond, wait};
pub use transport::{client, says};
