//! Checks whether a machine is ready for a workshop, and says what to do about each
//! problem.
//!
//! [`look`] gathers facts and changes nothing. [`findings`] judges them, and is
//! a pure function.

mod docker;
mod facts;
mod findings;
mod holder;
mod languages;
mod look;

use reqwest::Url;

pub(crate) use facts::Terminal;
pub(crate) use findings::findings;
pub(crate) use look::look;

/// The addresses to check.
#[derive(Clone, Debug)]
pub(crate) struct Addresses {
    /// The ports that `lab serve` will use.
    pub(crate) service: u16,
    pub(crate) page: u16,
    /// The base addresses of Prometheus, Tempo and Grafana.
    pub(crate) prometheus: Url,
    pub(crate) tempo: Url,
    /// The address that traces are sent to.
    pub(crate) otlp: Url,
    pub(crate) grafana: Url,
    /// Whether the dashboards are required.
    pub(crate) wanted: bool,
}
