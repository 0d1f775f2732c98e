//! What a workshop needs of a machine before it starts: looked at, judged, and
//! said with what to do about it.
//!
//! [`look`] gathers facts and changes nothing. [`findings`] judges them, and is
//! a pure function.

mod docker;
mod facts;
mod findings;
mod holder;
mod look;

use reqwest::Url;

pub(crate) use facts::Terminal;
pub(crate) use findings::findings;
pub(crate) use look::look;

/// What is to be looked at.
#[derive(Clone, Debug)]
pub(crate) struct Addresses {
    /// The ports that `lab serve` is to have.
    pub(crate) service: u16,
    pub(crate) page: u16,
    /// The base addresses of what goes with the dashboards.
    pub(crate) prometheus: Url,
    pub(crate) tempo: Url,
    /// Where traces are sent to.
    pub(crate) otlp: Url,
    pub(crate) grafana: Url,
    /// Whether those are meant to be there.
    pub(crate) wanted: bool,
}
