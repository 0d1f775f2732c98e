//! Runs: scenarios, with a client against the teaching service, and what stands
//! between them.
//!
//! [`scenario`] is the catalogue of what can be run. [`run()`] runs one on a fresh
//! service and returns an [`evidence::Run`]. [`recorder`] turns spans into values.
//! Nothing here prints or serves a page.
//!
//! ```
//! use runner::{Reliable, Settings, run, scenario};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings::in_virtual_time(&Reliable, 7);
//! let run = run(scenario::find("flaky")?, &settings).await?;
//!
//! assert!(run.passed());
//! assert_eq!(run.wire.total, 3);
//! # Ok(())
//! # }
//! ```

// No input may end the program: what cannot happen says why it cannot.
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

mod clients;
mod exchange;
mod network;
pub mod recorder;
mod run;
pub mod scenario;
pub mod storm;
mod telemetry;

pub use clients::{
    CLIENTS, ClientUnderTest, Connection, NAIVE, Naive, RELIABLE, Reliable, ScenarioClient, Task,
    WITHOUT, Without,
};
pub use run::{
    DEFAULT_POLICY, RunError, Session, Settings, SharedTime, UnusedSetting, check_overrides, run,
    run_until, sample,
};
pub use telemetry::{Exposition, metrics, prometheus_recorder};
