//! Support for the tests: the client's own bench, and a service with a client on
//! one clock.
//!
//! Nothing here waits, reaches beyond loopback or is shared between two tests.

#[path = "../../client/tests/bench/mod.rs"]
mod bench;
#[cfg(test)]
mod client_suite;
mod loopback;

pub use bench::{
    Bench, Draw, NOW, Nobody, Script, Series, SpanRecord, Spans, Tally, Watch, call, client_of,
    clock, contract_error, cursor, every_text, http_error, json, line, never_resolving, page, read,
    response_problem, retry_after, silently, status, sum, transport_error, typed,
};
pub use loopback::{Loopback, story};
