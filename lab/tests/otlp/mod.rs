//! The export of a run, as a receiver sees it: the real binary, and a receiver
//! that decodes what arrives.

mod content;
mod delivery;
mod opentelemetry;
mod receiver;

use std::process::Output;

use tokio::process::Command;

use crate::program;

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

/// Runs a scenario with the real binary, in an environment whose only settings for
/// exports are `variables`.
async fn lab(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::from(program::lab())
        .arg("scenario")
        .args(arguments)
        .args(["--pace", "virtual", "--seed", "7"])
        .envs(variables.iter().copied())
        .output()
        .await
        .expect("lab runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}
