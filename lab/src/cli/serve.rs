//! `lab serve`: the lab's web UI.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::Args;
use host::StartError;
use process::ClientCommand;
use scenario::Settings;
use tokio::time::timeout;

use super::{
    exit::Exit,
    exporters, intercepting_proxy,
    number::{self, NumberError},
    terminal::{self, OrExit},
};
use crate::{
    web::DEFAULT_PAGE_PORT, web::Exporters, web::GradedProgram, web::WebUi, web::WebUiConfig,
    web::WebUiError,
};

/// How long the whole stop may take: the drain of the connections, and then the exports of
/// runs.
const LONGEST_STOP: Duration = Duration::from_millis(2_700);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The port of the teaching service; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = server::DEFAULT_PORT, value_parser = port, allow_hyphen_values = true)]
    port: u16,

    /// The port of the web UI; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = DEFAULT_PAGE_PORT, value_parser = port, allow_hyphen_values = true)]
    page_port: u16,

    /// Open the web UI in the browser
    #[arg(long)]
    open: bool,

    /// Send the trace of each run to the OTLP/HTTP receiver at this base address,
    /// such as http://127.0.0.1:4318
    /// [default: what the standard variables OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
    /// or OTEL_EXPORTER_OTLP_ENDPOINT say]
    #[arg(long, value_name = "URL")]
    otlp: Option<String>,

    /// Grade the client at once, and again whenever one of these files is saved. Without it the
    /// page has a button for that
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "command")]
    watch: Vec<PathBuf>,

    /// The seed of the ids, cursors and URLs of the client's cards [default: random]
    #[arg(long, value_parser = number::any, allow_hyphen_values = true, requires = "command")]
    seed: Option<u64>,

    /// The command that runs your client, as for `lab grade`: the web UI shows its card
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// A port; 0 stands for a free one.
fn port(text: &str) -> Result<u16, NumberError> {
    number::within(text, 0..=u16::MAX.into())
}

pub(crate) fn serve(arguments: &Arguments) -> Result<Exit, Exit> {
    terminal::runtime()?.block_on(run(arguments))?;
    Ok(Exit::Passed)
}

async fn run(arguments: &Arguments) -> Result<(), Exit> {
    // Signals must be handled once the lines below are printed.
    let mut signals = terminal::signals()?;
    let config = WebUiConfig {
        port: arguments.port,
        page_port: arguments.page_port,
        exporters: Exporters::new(
            exporters::logs(),
            exporters::endpoint(arguments.otlp.as_deref())?,
            |error| terminal::warn(error),
        ),
        client: program(arguments)?,
    };
    let web_ui = WebUi::start(config).await;
    let web_ui = web_ui.map_err(|error| fail_start(&error))?;

    let (page, service) = (web_ui.page_url(), web_ui.service_url());
    let first_page = if arguments.command.is_empty() {
        page.clone()
    } else {
        format!("{page}/client")
    };
    let card = if arguments.command.is_empty() {
        String::new()
    } else {
        format!("The card of your client: {first_page}\n")
    };
    terminal::print(&format!(
        "Teaching API started at {service}\nWeb UI started at {page}\n{card}Press Ctrl+C to stop.\n"
    ))?;
    if arguments.open
        && let Err(error) = open::that_detached(&first_page)
    {
        terminal::warn(format!(
            "no browser could be opened; open {first_page} ({error})"
        ));
    }

    signals.next().await;
    let Ok(stopped) = timeout(LONGEST_STOP, web_ui.stop()).await else {
        terminal::warn("the stop took too long; exports of runs may be missing");
        return Ok(());
    };
    let busy = stopped.or_exit(Exit::Environment)?.cut_off;
    if busy > 0 {
        terminal::note(&format!(
            "connections that were busy and were cut off: {busy}"
        ));
    }
    Ok(())
}

/// The program to grade; none without a command.
fn program(arguments: &Arguments) -> Result<Option<GradedProgram>, Exit> {
    if arguments.command.is_empty() {
        return Ok(None);
    }
    intercepting_proxy::warn();
    let command = ClientCommand::new(arguments.command.iter().cloned());
    let program = GradedProgram::new(
        command.or_exit(Exit::Usage)?,
        arguments.watch.iter().map(PathBuf::as_path),
        arguments.seed.unwrap_or_else(Settings::random_seed),
        |error| terminal::warn(error),
    );
    program.map(Some).or_exit(Exit::Usage)
}

/// Says why the web UI is not served, and suggests a command if a port is taken.
fn fail_start(error: &WebUiError) -> Exit {
    let option = match error {
        WebUiError::Page(StartError::PortInUse { .. }) => "--page-port",
        WebUiError::Service(StartError::PortInUse { .. }) => "--port",
        _ => return terminal::fail(error, Exit::Environment),
    };
    let hint = format!("{error}; choose another with {option}, or {option} 0 for a free one");
    terminal::fail(hint, Exit::Environment)
}
