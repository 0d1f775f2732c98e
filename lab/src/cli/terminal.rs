//! The terminal: its capabilities, and the functions that write to it.

use std::{
    env,
    error::Error,
    io::{self, IsTerminal, Write},
};

use anstream::{AutoStream, ColorChoice};
use host::{EndSignal, Signals};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use render::Options;
use scenario::RunError;
use terminal_size::{Height, Width};
use tokio::runtime::{Builder, Runtime};

use super::exit::Exit;
use crate::invocation;

/// Writes data to stdout. A reader that closes the pipe early, as `head` does, is not an
/// error, and neither is a terminal that was closed.
pub(crate) fn print(text: &str) -> Result<(), Exit> {
    written(io::stdout().lock().write_all(text.as_bytes()))?;
    flush()
}

/// Flushes stdout.
pub(crate) fn flush() -> Result<(), Exit> {
    written(io::stdout().flush())
}

/// Turns the result of a write to stdout into an exit code.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Exit> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(_) if EndSignal::first() == Some(EndSignal::HangUp) => Ok(()),
        result => result.or_exit(Exit::Environment),
    }
}

/// Prints an error and its causes on stderr, and returns `exit`.
pub(crate) fn fail<'a>(error: impl Into<Box<dyn Error + 'a>>, exit: Exit) -> Exit {
    say("error", &*error.into());
    exit
}

pub(crate) trait OrExit<T> {
    /// Prints an error, if there is one, and turns it into this exit code.
    fn or_exit(self, exit: Exit) -> Result<T, Exit>;
}

impl<T, E: Into<Box<dyn Error>>> OrExit<T> for Result<T, E> {
    fn or_exit(self, exit: Exit) -> Result<T, Exit> {
        self.map_err(|error| fail(error, exit))
    }
}

/// Prints a warning on stderr, in one line; the command goes on.
pub(crate) fn warn<'a>(error: impl Into<Box<dyn Error + 'a>>) {
    say("warning", &*error.into());
}

/// Listens for Ctrl+C, SIGTERM and SIGHUP from now on. If one of them has to end this process,
/// it ends the clients that run as well.
pub(crate) fn signals() -> Result<Signals, Exit> {
    Signals::listen(process::kill_all).or_exit(Exit::Environment)
}

/// Prints a line on stderr, for a person rather than a program.
pub(crate) fn note(words: &str) {
    let _ = writeln!(io::stderr(), "{words}");
}

/// Prints sentences on stderr, wrapped at the width of the terminal.
pub(crate) fn paragraph(words: &str) {
    let width = terminal_size::terminal_size_of(io::stderr());
    let width = width.map_or(Options::WIDTH, |(width, _)| width.0.into());
    for line in textwrap::wrap(words, width.min(Options::WIDTH)) {
        note(&line);
    }
}

/// Prints a prompt on stderr, so that the input is on the same line.
pub(crate) fn prompt(words: &str) {
    let mut stderr = io::stderr();
    let _ = write!(stderr, "{words}").and_then(|()| stderr.flush());
}

fn say(kind: &str, error: &dyn Error) {
    let mut text = format!("{kind}: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    // If stderr cannot be written, there is no other place to report it.
    let _ = writeln!(io::stderr(), "{}", render::harmless(&without_users(&text)));
}

/// A text without the user parts of the URLs in it, which may hold passwords. A password may
/// hold any character that ends a URL, so a line is hidden from its first URL to its last `@`.
pub(crate) fn without_users(text: &str) -> String {
    let shown = |line: &str| {
        let (before, url) = line.split_once("://")?;
        let (_, host) = url.rsplit_once('@')?;
        Some(format!("{before}://…@{host}"))
    };
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| shown(line).unwrap_or_else(|| line.to_owned()))
        .collect()
}

/// Prints why a scenario could not be run.
pub(crate) fn fail_run(error: &RunError) -> Exit {
    let exit = match error {
        RunError::Settings(_) => Exit::Usage,
        _ => Exit::Environment,
    };
    fail(error, exit)
}

/// A progress bar on stderr, which is hidden if stderr is not a terminal, and cleared when
/// it is dropped.
pub(crate) fn progress(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{pos:>3}/{len} {bar:30} {wide_msg}");
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// A hidden bar, for a terminal that shows something else.
pub(crate) fn no_progress() -> ProgressBar {
    ProgressBar::hidden()
}

/// The runtime on which a command runs its scenarios.
pub(crate) fn runtime() -> Result<Runtime, Exit> {
    host::check_descriptors().or_exit(Exit::Environment)?;
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.or_exit(Exit::Environment)
}

/// How to draw on this stdout: in its width or that of `COLUMNS`, with colour if it is a
/// terminal and `NO_COLOR` does not forbid it, and in ASCII if the locale is not UTF-8 or
/// `ascii` is set.
pub(crate) fn options(ascii: bool) -> Options {
    let size = size();
    Options {
        width: columns()
            .or(size.map(|(width, _)| width.0.into()))
            .unwrap_or(Options::WIDTH),
        color: AutoStream::choice(&io::stdout()) != ColorChoice::Never,
        ascii: ascii || !locale_is_utf8(),
        lab: invocation::lab(),
        ..Options::default()
    }
}

/// The width that the environment asks for.
fn columns() -> Option<usize> {
    let columns = env::var("COLUMNS").ok()?.parse().ok();
    columns.filter(|columns| *columns > 0)
}

/// The size of stdout, if it is a terminal.
fn size() -> Option<(Width, Height)> {
    terminal_size::terminal_size().filter(|_| io::stdout().is_terminal())
}

/// Whether the locale is UTF-8, which is assumed if no variable is set. As in POSIX, the
/// first variable that is set decides.
fn locale_is_utf8() -> bool {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(set)
        .is_none_or(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::without_users;

    proptest! {
        #[test]
        fn an_error_shows_all_but_the_user_part_of_a_url(
            (before, behind) in ("[a-z@': \n]{0,9}", "[a-z': ]{0,9}"),
            user in "[ -~]{1,12}",
            host in "[a-z0-9.:/'?]{1,12}",
        ) {
            let sentence = |user: &str| format!("{before} http://{user}@{host} {behind}\nme@home");

            prop_assert_eq!(without_users(&sentence(&user)), sentence("…"));
            let anonymous = format!("{before} http://{host} {behind}\nme@home");
            prop_assert_eq!(without_users(&anonymous), anonymous);
        }
    }
}
