//! The command `lab`: see [`lab::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    lab::cli::main()
}
