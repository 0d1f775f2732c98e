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
mod exposition;
pub mod faults;
pub mod grade;
mod nearest;
mod network;
mod policy;
mod process_recorder;
mod prometheus;
pub mod proxy;
pub mod recorder;
mod request_limit;
mod run;
mod run_error;
mod run_recorder;
mod sample;
pub mod scenario;
mod shared_time;
pub mod storm;
mod timeouts;
mod tls_refusal;
mod unused_setting;
mod vocabulary;

pub use clients::{
    CLIENTS, ClientUnderTest, Connection, NAIVE, NAIVE_METRICS, Naive, RELIABLE, Reliable,
    ScenarioClient, Task, WITHOUT, Without,
};
pub use exposition::Exposition;
pub use nearest::{UnknownName, nearest};
pub use policy::DEFAULT_POLICY;
pub use prometheus::prometheus_recorder;
pub use run::{GENERATOR, Session, Settings, run, run_until};
pub use run_error::RunError;
pub use sample::sample;
pub use shared_time::SharedTime;
pub use tls_refusal::TlsRefusal;
pub use unused_setting::{UnusedSetting, check_overrides};
pub use vocabulary::metrics;
