//! The program, in an environment without settings.

use std::process::{Command, Stdio};

/// The command `lab`, whose output is piped.
pub(crate) fn lab() -> Command {
    without_settings(Command::new(env!("CARGO_BIN_EXE_lab")))
}

/// A command whose environment has nothing that `lab` reads.
pub(crate) fn without_settings(mut command: Command) -> Command {
    command
        .env("LC_ALL", "C.UTF-8")
        .env_remove("COLUMNS")
        .env_remove("RUST_LOG")
        .env_remove("http_proxy")
        .env_remove("HTTP_PROXY")
        .env_remove("all_proxy")
        .env_remove("ALL_PROXY")
        .env_remove("OTEL_EXPORTER_OTLP_ENDPOINT")
        .env_remove("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
