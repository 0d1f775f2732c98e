//! The command `lab` as a person uses it: the real binary, its output, and its exit
//! codes.

mod apps;
mod ask;
mod cancel;
mod card;
mod documents;
mod exhaustion;
mod grade;
mod help;
mod logging;
mod proxy;
mod scenario;
mod signals;
mod starter;
mod usage;

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Output, Stdio},
};

/// The output of a command, and its exit code.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ended {
    /// Runs a command to its end.
    fn of(command: &mut Command) -> Self {
        command.output().expect("it runs").into()
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// The command with these arguments, in an environment without settings.
fn command(arguments: &str) -> Command {
    let mut command = crate::program::lab();
    command.args(arguments.split_whitespace());
    command
}

/// Runs the command to its end.
fn lab(arguments: &str) -> Ended {
    Ended::of(&mut command(arguments))
}

/// Runs the command to its end, with something to read on stdin.
fn lab_reading(arguments: &str, input: &[u8]) -> Ended {
    let mut lab = command(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .expect("lab runs");
    // A command with invalid arguments ends without reading.
    let _ = lab.stdin.take().expect("a pipe").write_all(input);
    lab.wait_with_output().expect("lab ends").into()
}

/// The URL that a command prints on stderr once it listens.
fn printed_url(lab: &mut Child) -> String {
    let stderr = BufReader::new(lab.stderr.as_mut().expect("a pipe"));
    let mut words = stderr.lines().flat_map(|line| {
        let words = line.expect("text");
        words.split(' ').map(str::to_owned).collect::<Vec<_>>()
    });
    words
        .find(|word| word.starts_with("http://"))
        .expect("a URL")
}

/// The status of the response to a request as it stands.
fn status(address: &str, request: &str) -> String {
    testkit::http::raw(address, request)[9..12].to_owned()
}

/// The output of a command that succeeds and prints only to stdout.
fn printed(arguments: &str) -> String {
    let ended = lab(arguments);
    assert_eq!((ended.code, &*ended.stderr), (Some(0), ""), "{arguments}");
    ended.stdout
}

fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}

fn assert_fits_80_columns(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}
