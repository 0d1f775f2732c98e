//! The lab: runs a client against the teaching service and shows, as evidence
//! a person can read, what each of them did.
//!
//! Running yields values; rendering consumes them. [`scenario`] is the
//! catalogue of what can be played. [`run()`] plays one on a fresh service and
//! returns a [`Run`]: the outcome, the trace, the ledger of the wire, the
//! counters, the verdict. [`Comparison`] holds two runs side by side, by the
//! reference client and by what people first write. [`render`] turns a run into
//! text. [`trace`] records spans as plain values, and [`fault_proxy`] does to a
//! connection what no well-behaved service can.
//!
//! ```
//! use lab::{Client, Overrides, Pace, Settings, run, scenario};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings {
//!     seed: 7,
//!     client: Client::Reliable,
//!     pace: Pace::Virtual,
//!     overrides: Overrides::default(),
//! };
//! let run = run(scenario::find("flaky")?, &settings).await?;
//!
//! assert!(run.passed());
//! assert_eq!(run.ledger.total, 3);
//! # Ok(())
//! # }
//! ```

pub mod cli;
mod compare;
mod counters;
pub mod dashboard;
mod doctor;
pub mod fault_proxy;
mod http_client;
mod lesson;
mod load;
mod logging;
pub mod otlp;
mod outcome;
mod player;
mod policy;
mod prometheus;
pub mod render;
mod request_limit;
mod run;
pub mod scenario;
mod shared_time;
mod tee;
mod timeouts;
mod totals;
pub mod trace;
mod verdict;
mod wire;

pub use compare::{Aspect, Comparison, Difference, differences};
pub use counters::{Counter, Counters};
pub use lesson::{Condition, Lesson, Sentence};
pub use outcome::{Ending, Fact, Outcome};
pub use player::{Client, NAIVE_METRICS, Task};
pub use policy::{Overrides, Policy, TooMany};
pub use prometheus::prometheus_recorder;
pub use run::{Pace, Run, RunError, Settings, run, run_until};
pub use verdict::{Check, Evidence, Expectation, judge};
