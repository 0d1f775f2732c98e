//! The languages of the starters and the solutions.

use std::path::Path;

use clap::ValueEnum;
use wire::quoted;

/// The language of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    /// Python 3.8 or later, with only its standard library
    Python,
    /// Node 18 or later, without packages
    #[value(alias = "js")]
    Javascript,
    /// Go 1.18 or later, with only its standard library
    Go,
    /// Rust, with `reqwest`: a folder that is a package of Cargo
    Rust,
}

impl Language {
    const ALL: [Self; 4] = [Self::Python, Self::Javascript, Self::Go, Self::Rust];

    /// The name of the option's value.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Javascript => "javascript",
            Self::Go => "go",
            Self::Rust => "rust",
        }
    }

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

    /// A client that does every task, in parts that name their tasks.
    pub(super) fn solutions(self) -> &'static str {
        match self {
            Self::Python => include_str!("../../../clients/correct/client.py"),
            Self::Javascript => include_str!("../../../clients/correct/client.mjs"),
            Self::Go => include_str!("../../../clients/correct/main.go"),
            Self::Rust => include_str!("../../../clients/correct/main.rs"),
        }
    }

    /// The sign that begins a comment.
    pub(super) fn comment(self) -> &'static str {
        match self {
            Self::Python => "#",
            Self::Javascript | Self::Go | Self::Rust => "//",
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

    /// The language of a command that runs a client, as far as the names of files and
    /// programs tell.
    pub(super) fn of_command(words: &[String]) -> Option<Self> {
        let has_name = |names: &[&str]| {
            let mut words = words.iter().map(Path::new);
            words.any(|word| {
                let parts = [word.extension(), word.file_name()];
                let mut parts = parts.into_iter().flatten();
                parts.any(|part| names.iter().any(|name| part == *name))
            })
        };
        let of = |language: &Self| match language {
            Self::Python => has_name(&["py"]),
            Self::Javascript => has_name(&["mjs", "js"]),
            Self::Go => has_name(&["go"]),
            Self::Rust => {
                let mut words = words.iter();
                let is_built = |word: &String| word.replace('\\', "/").contains("target/debug/");
                has_name(&["rs", "cargo"]) || words.any(is_built)
            }
        };
        Self::ALL.into_iter().find(of)
    }

    /// The language whose starter lies in this folder.
    pub(super) fn in_folder(folder: &Path) -> Option<Self> {
        let is_there = |language: &Self| match language {
            Self::Rust => folder.join("client/Cargo.toml").exists(),
            other => folder.join(other.default_path()).exists(),
        };
        Self::ALL.into_iter().find(is_there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_command_is_seen_in_its_words() {
        for (command, expected) in [
            ("python3 client.py", Some(Language::Python)),
            ("node src/client.mjs --fast", Some(Language::Javascript)),
            ("go run main.go", Some(Language::Go)),
            ("client/target/debug/client", Some(Language::Rust)),
            ("cargo run -q", Some(Language::Rust)),
            ("curl -sf {url}", None),
        ] {
            let words: Vec<_> = command.split(' ').map(str::to_owned).collect();

            assert_eq!(Language::of_command(&words), expected, "{command}");
        }
    }
}
