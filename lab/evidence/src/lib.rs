//! The evidence of a run as values, and the texts about it.
//!
//! A [`Run`] consists of the outcome, the [traces](trace), the [record of the wire](wire),
//! the counters and the [verdict]. Everything here is plain data and pure functions of it,
//! without a clock, a socket, a client or a service: the runner fills these values, and the
//! renderers read nothing else.

// No input may end the program: each impossible case states its reason.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

pub mod client;
pub mod compare;
pub mod counters;
pub mod decision;
pub mod defence;
pub mod lesson;
pub mod metric;
pub mod outcome;
pub mod plot;
pub mod policy;
pub mod question;
pub mod run;
pub mod scenario_words;
mod stop_reason;
pub mod storm;
pub mod trace;
pub mod verdict;
mod view;

pub use client::Client;
pub use compare::{Compared, Comparison};
pub use counters::{Counter, Counters};
pub use decision::Decision;
pub use defence::Defence;
pub use lesson::{Condition, Lesson, Sentence};
pub use metric::Metric;
pub use outcome::{Ending, Fact, Outcome};
pub use policy::{Overrides, Policy, Setting, TooMany};
pub use question::{Answer, Asked, Choice, Question, Score};
pub use run::{Pace, Run, SCHEMA_VERSION};
pub use scenario_words::ScenarioWords;
pub use stop_reason::StopReason;
pub use verdict::{Check, Evidence, Expectation, judge};
pub use view::{Part, Phrase, Rise, View, risen};
