//! `lab scenario`: a fault on the wire, a client, and what both sides recorded of it.
//!
//! [`catalogue`] is the list of what can be run. [`run()`] runs one scenario on a fresh service
//! and returns a [`ScenarioRun`]: the outcome, the [trace], the record of the wire, the
//! counters and the verdict. A [`Recorder`] turns spans into values. [`Comparison`] sets two
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
mod chart;
mod clients;
pub mod compare;
mod counters;
mod exchange;
mod html;
mod identity;
mod lesson;
mod network;
pub mod number;
mod outcome;
mod overrides;
mod policy;
mod question;
mod recorder;
mod run;
mod session;
mod stop_reason;
mod telemetry;
mod text;
pub mod trace;
mod verdict;
mod wire_facts;
pub mod wire_table;

pub use clients::{
    CLIENTS, ClientUnderTest, NAIVE, Naive, RELIABLE, Reliable, Task, WITHOUT, Without,
};
pub use compare::{Compared, Comparison};
pub use html::{Revealed, ShownRun, Story};
pub use identity::Client;
pub use lesson::ScenarioWords;
pub use outcome::{Ending, Fact, Outcome};
pub use overrides::Overrides;
pub use question::{Answer, Asked, Question, Score};
pub use recorder::Recorder;
pub use run::{Pace, ScenarioRun};
pub use session::{RunError, Session, Settings, SharedTime, run, run_until};
pub use stop_reason::StopReason;
pub use telemetry::{Exposition, metrics, prometheus_recorder};
pub use text::{comparison, table, text, waterfall, waterfalls};
pub use verdict::Check;

pub(crate) use counters::{Counter, Counters};
pub(crate) use identity::Defence;
pub(crate) use lesson::Lesson;
pub(crate) use policy::{DEFAULT_POLICY, ScenarioPolicy};
pub(crate) use question::Choice;
pub(crate) use run::SCHEMA_VERSION;
pub(crate) use telemetry::Metric;
pub(crate) use verdict::{Evidence, Expectation, judge};
