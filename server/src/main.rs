//! The teaching API as a program: flags, start, Ctrl+C, stop.
//!
//! Standard output carries exactly two lines; everything else goes to standard
//! error, logs included if `RUST_LOG` asks for them. Exit status: 0 after a stop, 1
//! if the stop failed, 2 for a usage error, 3 if the service could not start; 129, 130 or
//! 143 if a second signal ended it, or if it had not stopped within three seconds.

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

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;
use host::{ServiceConfig, Signals, StartError, StopError, logging};
use server::{DEFAULT_PORT, TeachingApi};
use tracing_subscriber::Registry;
use tracing_subscriber::layer::SubscriberExt as _;

const EXIT_NOT_STOPPED: u8 = 1;
const EXIT_NOT_STARTED: u8 = 3;

/// A local HTTP API with faults on purpose. It listens on 127.0.0.1 only.
#[derive(Debug, Parser)]
#[command(name = "server", version)]
struct Arguments {
    /// The port to listen on; 0 picks a free one.
    #[arg(long, default_value_t = DEFAULT_PORT)]
    port: u16,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("could not set up signal handling or write to the console")]
    Console(#[from] io::Error),
    #[error(transparent)]
    Stop(#[from] StopError),
}

impl Failure {
    fn exit_status(&self) -> u8 {
        match self {
            Self::Start(_) | Self::Console(_) => EXIT_NOT_STARTED,
            Self::Stop(_) => EXIT_NOT_STOPPED,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    log();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            report(&failure);
            ExitCode::from(failure.exit_status())
        }
    }
}

/// Logs what `RUST_LOG` asks for.
fn log() {
    match logging::asked() {
        Ok(None) => {}
        Ok(Some(asked)) => {
            let subscriber = Registry::default().with(logging::layer(asked, &["server"]));
            #[expect(clippy::expect_used, reason = "nothing else in this program sets one")]
            tracing::subscriber::set_global_default(subscriber).expect("it is the first");
        }
        // Without stderr there is nowhere to report it.
        Err(error) => drop(writeln!(io::stderr(), "warning: {error}")),
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let config = ServiceConfig {
        port: arguments.port,
        ..ServiceConfig::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        // A reader of the two lines may rely on the signals being handled.
        let mut signals = Signals::listen(|| {})?;
        let service = TeachingApi::start(config)?;
        let mut console = io::stdout();
        writeln!(console, "Teaching API started at {}", service.base_url())?;
        writeln!(console, "Press Ctrl+C to stop.")?;
        console.flush()?;

        signals.next().await;
        let busy = service.stop().await?.cut_off;
        if busy > 0 {
            // Without stderr there is nowhere to report it.
            let cut_off = format!("connections that were busy and were cut off: {busy}");
            drop(writeln!(io::stderr(), "{cut_off}"));
        }
        Ok(())
    })
}

fn report(failure: &Failure) {
    // There is nowhere else to report this failure.
    let mut console = io::stderr();
    drop(match failure {
        Failure::Start(error @ StartError::PortInUse { .. }) => {
            writeln!(
                console,
                "error: {error}; choose another with --port, or --port 0 for a free one"
            )
        }
        other => {
            let cause = std::error::Error::source(other).map(|cause| format!(": {cause}"));
            writeln!(console, "error: {other}{}", cause.unwrap_or_default())
        }
    });
}
