//! The languages of the starters.

use std::path::Path;

use clap::ValueEnum;
use wire::quoted;

/// The language of a starter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    /// Python 3.8 or later, with only its standard library
    Python,
    /// Node 18 or later, without packages
    #[value(aliases = ["js", "node"])]
    Javascript,
    /// Go 1.18 or later, with only its standard library
    Go,
    /// Rust, with `reqwest`: a folder that is a package of Cargo
    Rust,
}

impl Language {
    /// The file, or the folder, that the starter is written to by default.
    pub(super) fn default_path(self) -> &'static Path {
        Path::new(match self {
            Self::Python => "client.py",
            Self::Javascript => "client.mjs",
            Self::Go => "main.go",
            Self::Rust => "client",
        })
    }

    /// The source code of the starter.
    pub(super) fn starter(self) -> &'static str {
        match self {
            Self::Python => include_str!("../../../starters/client.py"),
            Self::Javascript => include_str!("../../../starters/client.mjs"),
            Self::Go => include_str!("../../../starters/main.go"),
            Self::Rust => include_str!("../../../starters/rust/src/main.rs"),
        }
    }

    /// The commands that run the starter in this file or folder, the last of which runs
    /// the client. Their programs are named as each system's installer names them.
    pub(super) fn commands(self, path: &Path) -> Vec<String> {
        let quoted = |path: &Path| quoted(&path.to_string_lossy());
        let with = |program: &str| vec![format!("{program} {}", quoted(path))];
        match self {
            Self::Python if cfg!(windows) => with("python"),
            Self::Python => with("python3"),
            Self::Javascript => with("node"),
            Self::Go => with("go run"),
            Self::Rust => {
                let manifest = quoted(&path.join("Cargo.toml"));
                let program = quoted(&path.join("target/debug/client"));
                vec![format!("cargo build --manifest-path {manifest}"), program]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_starter_is_short_and_run_by_the_program_of_its_language() {
        let python = if cfg!(windows) { "python" } else { "python3" };
        for (language, runs) in [
            (Language::Python, &[&*format!("{python} client.py")][..]),
            (Language::Javascript, &["node client.mjs"]),
            (Language::Go, &["go run main.go"]),
            (
                Language::Rust,
                &[
                    "cargo build --manifest-path client/Cargo.toml",
                    "client/target/debug/client",
                ],
            ),
        ] {
            assert_eq!(language.commands(language.default_path()), runs);
            assert!(language.starter().lines().count() < 100, "{language:?}");
        }
    }
}
