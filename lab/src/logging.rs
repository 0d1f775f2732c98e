//! Logs: the spans of client, service and lab on stderr, as `RUST_LOG` says.

use tracing_subscriber::{Layer, Registry, filter::Targets};

/// The crates that may log.
const CRATES: &[&str] = &[
    "client", "grade", "lab", "process", "proxy", "scenario", "server", "storm",
];

/// The layer that logs the requested targets of this workspace.
pub(crate) fn layer(asked: Targets) -> impl Layer<Registry> {
    host::logging::layer(asked, CRATES)
}
