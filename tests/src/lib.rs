//! Support for the tests: a scripted session, a service with a client on one
//! clock, and what either of them said about itself.
//!
//! Nothing here waits, reaches beyond loopback or is shared between two tests.

mod bench;
#[cfg(test)]
mod client_suite;
mod loopback;
mod outcome;
mod reply;
mod session;
mod spans;
mod tally;

pub use bench::{Bench, Draw, NOW};
pub use loopback::{Loopback, SharedClock, story};
pub use outcome::{contract_error, http_error, response_problem, transport_error};
pub use reply::{Reply, json, page, status};
pub use session::{Sent, Session};
pub use spans::{SpanRecord, Spans, Watch};
pub use tally::{Series, Tally};

use std::error::Error;

/// Everything that an error could put into a log: `Display` and `Debug` of it
/// and of all its causes.
#[must_use]
pub fn every_text(error: &dyn Error) -> String {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        text += &format!("{error}\n{error:?}\n{error:#?}\n");
        next = error.source();
    }
    text
}
