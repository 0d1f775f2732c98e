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

use clap::Args;
use reqwest::Url;

use crate::{cli::number, web::DEFAULT_PAGE_PORT};

pub(crate) use facts::Terminal;
pub(crate) use findings::findings;
pub(crate) use look::look;

/// Heading in the help for the addresses to check.
const PLACES: &str = "Addresses";

#[derive(Clone, Debug, Args)]
pub(crate) struct Addresses {
    /// Require Docker, Prometheus, Tempo and Grafana: a missing one is then a problem
    /// instead of a note
    #[arg(long = "with-grafana")]
    pub(crate) wanted: bool,

    /// The port of the teaching service
    #[arg(long = "port", help_heading = PLACES, value_name = "PORT", default_value_t = server::DEFAULT_PORT, value_parser = number::port, allow_hyphen_values = true)]
    pub(crate) service: u16,

    /// The port of the web UI
    #[arg(long = "page-port", help_heading = PLACES, value_name = "PORT", default_value_t = DEFAULT_PAGE_PORT, value_parser = number::port, allow_hyphen_values = true)]
    pub(crate) page: u16,

    /// The base address of Prometheus
    #[arg(long, help_heading = PLACES, value_name = "URL", default_value = "http://127.0.0.1:9090", value_parser = base)]
    pub(crate) prometheus: Url,

    /// The base address of Tempo
    #[arg(long, help_heading = PLACES, value_name = "URL", default_value = "http://127.0.0.1:3200", value_parser = base)]
    pub(crate) tempo: Url,

    /// The base address of the receiver of traces over OTLP/HTTP
    #[arg(long, help_heading = PLACES, value_name = "URL", default_value = "http://127.0.0.1:4318", value_parser = base)]
    pub(crate) otlp: Url,

    /// The base address of Grafana
    #[arg(long, help_heading = PLACES, value_name = "URL", default_value = "http://127.0.0.1:3000", value_parser = base)]
    pub(crate) grafana: Url,
}

fn base(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok().filter(|url| {
        let anonymous = url.username().is_empty() && url.password().is_none();
        let bare = url.query().is_none() && url.fragment().is_none();
        url.scheme() == "http" && anonymous && bare
    });
    url.ok_or_else(|| "it must be an address such as http://127.0.0.1:9090".to_owned())
}
