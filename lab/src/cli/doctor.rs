//! `lab doctor`: checks what a workshop needs, and says what to do.

use clap::Args;
use reqwest::Url;

use super::{Exit, number, terminal};
use crate::{doctor, doctor::Addresses, web::DEFAULT_PAGE_PORT};
use evidence::Level;

/// Heading in the help for the addresses to check.
const PLACES: &str = "Addresses";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Require Docker, Prometheus, Tempo and Grafana: a missing one is then a problem
    /// instead of a note
    #[arg(long)]
    with_grafana: bool,

    /// The port of the teaching service
    #[arg(long, help_heading = PLACES, value_name = "PORT", default_value_t = server::DEFAULT_PORT, value_parser = number::port, allow_hyphen_values = true)]
    port: u16,

    /// The port of the web UI
    #[arg(long, help_heading = PLACES, value_name = "PORT", default_value_t = DEFAULT_PAGE_PORT, value_parser = number::port, allow_hyphen_values = true)]
    page_port: u16,

    /// The base address of Prometheus
    #[arg(long, help_heading = PLACES, value_name = "URL", default_value = "http://127.0.0.1:9090", value_parser = base)]
    prometheus: Url,

    /// The base address of Tempo
    #[arg(long, help_heading = PLACES, value_name = "URL", default_value = "http://127.0.0.1:3200", value_parser = base)]
    tempo: Url,

    /// The base address of the receiver of traces over OTLP/HTTP
    #[arg(long, help_heading = PLACES, value_name = "URL", default_value = "http://127.0.0.1:4318", value_parser = base)]
    otlp: Url,

    /// The base address of Grafana
    #[arg(long, help_heading = PLACES, value_name = "URL", default_value = "http://127.0.0.1:3000", value_parser = base)]
    grafana: Url,

    /// Print the findings as JSON
    #[arg(long)]
    json: bool,

    /// Use ASCII only
    #[arg(long)]
    ascii: bool,
}

fn base(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok().filter(|url| {
        let anonymous = url.username().is_empty() && url.password().is_none();
        let bare = url.query().is_none() && url.fragment().is_none();
        url.scheme() == "http" && anonymous && bare
    });
    url.ok_or_else(|| "it must be an address such as http://127.0.0.1:9090".to_owned())
}

/// The service and the web UI have the same port.
#[derive(Debug, thiserror::Error)]
#[error("--port and --page-port are both {0}; the service and the web UI need one each")]
struct SamePort(u16);

pub(super) fn doctor(arguments: &Arguments) -> Result<Exit, Exit> {
    if arguments.port == arguments.page_port {
        return Err(terminal::fail(&SamePort(arguments.port), Exit::Usage));
    }
    let addresses = Addresses {
        service: arguments.port,
        page: arguments.page_port,
        prometheus: arguments.prometheus.clone(),
        tempo: arguments.tempo.clone(),
        otlp: arguments.otlp.clone(),
        grafana: arguments.grafana.clone(),
        wanted: arguments.with_grafana,
    };
    let runtime = terminal::runtime()?;
    let facts = runtime.block_on(doctor::look(&addresses, terminal::facts()));
    // A DNS lookup cannot be cancelled, only left running.
    runtime.shutdown_background();
    let facts = facts.map_err(|error| terminal::fail(&error, Exit::Environment))?;
    let findings = doctor::findings(&facts, &addresses);

    let text = match arguments.json {
        true => render::json(&findings),
        false => render::findings(&findings, &terminal::options(arguments.ascii)),
    };
    terminal::print(&text)?;
    let problem = findings.iter().any(|it| it.level == Level::Problem);
    Ok(match problem {
        true => Exit::Failed,
        false => Exit::Passed,
    })
}
