//! Where runs are exported to: the log, as `RUST_LOG` says, and a receiver of traces.

use std::env;

use tracing_subscriber::filter::Targets;

use super::{
    exit::Exit,
    terminal::{self, OrExit},
};
use crate::otlp::Endpoint;

/// The targets to log. An invalid `RUST_LOG` causes a warning.
pub(crate) fn logs() -> Option<Targets> {
    host::logging::asked().unwrap_or_else(|error| {
        terminal::warn(&error);
        None
    })
}

/// The endpoint for exports: `otlp`, or else the one in the environment, if any. An
/// invalid address is a usage error.
pub(crate) fn endpoint(otlp: Option<&str>) -> Result<Option<Endpoint>, Exit> {
    let variable = |name| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    Endpoint::choose(otlp, variable).or_exit(Exit::Usage)
}
