//! `lab scenario`: a fault on the wire, a client, and what both sides recorded of it.
//!
//! [`catalogue`] is the list of what can be run. [`run()`] runs one scenario on a fresh service
//! and returns a [`ScenarioRun`]: the outcome, the [trace], the record of the wire, the
//! counters and the [verdict]. [`recorder`] turns spans into values. [`Comparison`] sets two
//! runs side by side. [`text()`] and [`Story`] render them.
//!
//! ```
//! use scenario::{Reliable, Settings, catalogue, run};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings::in_virtual_time(&Reliable, 7);
//! let run = run(catalogue::find("flaky")?, &settings).await?;
//!
//! assert!(run.passed());
//! assert_eq!(run.wire.total, 3);
//! # Ok(())
//! # }
//! ```

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

pub mod catalogue;
pub mod chart;
mod clients;
pub mod compare;
pub mod counters;
pub mod defence;
mod exchange;
mod html;
mod identity;
pub mod judged_rules;
mod lesson;
pub mod metric;
mod network;
pub mod number;
pub mod outcome;
mod overrides;
pub mod policy;
pub mod question;
pub mod recorder;
pub mod run;
mod run_phrases;
pub mod scenario_words;
mod session;
mod signs;
mod stop_reason;
mod telemetry;
mod text;
pub mod trace;
pub mod verdict;
mod wire_facts;
pub mod wire_table;

pub use clients::{
    CLIENTS, ClientUnderTest, Connection, NAIVE, Naive, RELIABLE, Reliable, ScenarioClient, Task,
    WITHOUT, Without,
};
pub use compare::{Compared, Comparison};
pub use counters::{Counter, Counters};
pub use defence::Defence;
pub use html::{Side, Story};
pub use identity::Client;
pub use lesson::Lesson;
pub use metric::Metric;
pub use outcome::{Ending, Fact, Outcome};
pub use overrides::Overrides;
pub use policy::ScenarioPolicy;
pub use question::{Answer, Asked, Choice, Question, Score};
pub use run::{Pace, SCHEMA_VERSION, ScenarioRun};
pub use scenario_words::ScenarioWords;
pub use session::{DEFAULT_POLICY, RunError, Session, Settings, SharedTime, run, run_until};
pub use stop_reason::StopReason;
pub use telemetry::{Exposition, metrics, prometheus_recorder};
pub use text::{comparison, table, text, waterfall, waterfalls};
pub use verdict::{Check, Evidence, Expectation, judge};
