//! The languages of `lab starter` that a machine has, by what their programs print.

use std::{process::Stdio, time::Duration};

use tokio::{process::Command, time::timeout};

use super::facts::{Language, Version};

/// How long a program may take to print its version.
const PATIENCE: Duration = Duration::from_millis(1_500);

pub(super) const PYTHON: Language = Language {
    name: "Python",
    program: if cfg!(windows) { "python" } else { "python3" },
    asks: "--version",
    version: None,
    least: Version(3, 8),
    site: "python.org",
};

pub(super) const NODE: Language = Language {
    name: "Node",
    program: "node",
    asks: "--version",
    version: None,
    least: Version(18, 0),
    site: "nodejs.org",
};

pub(super) const GO: Language = Language {
    name: "Go",
    program: "go",
    asks: "version",
    version: None,
    least: Version(1, 18),
    site: "go.dev",
};

/// Asks the programs that the shell would find, all at once.
pub(super) async fn languages() -> Vec<Language> {
    let (python, node, go) = tokio::join!(language(PYTHON), language(NODE), language(GO));
    vec![python, node, go]
}

async fn language(of: Language) -> Language {
    let mut command = Command::new(of.program);
    command
        .arg(of.asks)
        // Go would download the version that a go.mod in this folder asks for.
        .env("GOTOOLCHAIN", "local")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let printed = match timeout(PATIENCE, command.output()).await {
        Ok(Ok(output)) if output.status.success() => output.stdout,
        _ => Vec::new(),
    };
    Language {
        version: version(&String::from_utf8_lossy(&printed)),
        ..of
    }
}

/// The first version in a text such as `Python 3.12.3`, `v22.1.0` or
/// `go version go1.24.1 linux/amd64`.
fn version(printed: &str) -> Option<Version> {
    printed.split_whitespace().find_map(|word| {
        let mut parts = word.trim_start_matches(char::is_alphabetic).split('.');
        let (major, minor) = (parts.next()?, parts.next()?);
        // A release candidate of Go is 1.26rc1.
        let minor = minor.split(|it: char| !it.is_ascii_digit()).next()?;
        Some(Version(major.parse().ok()?, minor.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_each_programs_output() {
        for (printed, expected) in [
            ("Python 3.12.3\n", Some(Version(3, 12))),
            ("v22.1.0\n", Some(Version(22, 1))),
            ("go version go1.24.1 linux/amd64\n", Some(Version(1, 24))),
            ("go version go1.26rc1 linux/amd64\n", Some(Version(1, 26))),
            ("", None),
            ("Python was not found; run without arguments\n", None),
        ] {
            assert_eq!(version(printed), expected, "{printed}");
        }
    }
}
