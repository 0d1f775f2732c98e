//! `lab doctor`: checks what a workshop needs, and says what to do.

use clap::Args;
use evidence::Level;

use super::{Exit, OrExit, terminal};
use crate::doctor::{self, Addresses};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    addresses: Addresses,

    /// Print the findings as JSON
    #[arg(long)]
    json: bool,

    /// Use ASCII only
    #[arg(long)]
    ascii: bool,
}

pub(super) fn doctor(arguments: &Arguments) -> Result<Exit, Exit> {
    let addresses = &arguments.addresses;
    if addresses.service == addresses.page {
        let both = format!(
            "--port and --page-port are both {}; the service and the web UI need one each",
            addresses.page
        );
        return Err(terminal::fail(both, Exit::Usage));
    }
    let runtime = terminal::runtime()?;
    let facts = runtime.block_on(doctor::look(addresses, terminal::facts()));
    // A DNS lookup cannot be cancelled, only left running.
    runtime.shutdown_background();
    let facts = facts.or_exit(Exit::Environment)?;
    let findings = doctor::findings(&facts, addresses);

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
