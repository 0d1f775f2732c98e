//! `--ask`: the question first, and the reader's prediction.
//!
//! A reader who has predicted the outcome learns more from the run.

use std::io::{self, BufRead, IsTerminal, Read};

use super::{Exit, terminal};
use runner::scenario::Scenario;

/// The longest prediction, in bytes; the rest of the line is not read.
const LONGEST: u64 = 4 * 1024;

/// Puts the question on stderr and reads a prediction from stdin, one line; `?`
/// shows the hint and reads again. An empty line, or the end of the input, is no
/// prediction.
pub(super) fn ask(scenario: &Scenario) -> Result<Option<String>, Exit> {
    terminal::paragraph(scenario.words.question);
    let mut stdin = io::stdin().lock();
    let mut prompt = "Your prediction (? for a hint): ";
    loop {
        terminal::prompt(prompt);
        let typed = line(&mut stdin).map_err(|error| terminal::fail(&error, Exit::Environment))?;
        if !stdin.is_terminal() {
            // Without a person who presses Enter the prompt lacks its line end.
            terminal::note("");
        }
        if typed == "?" {
            terminal::paragraph(scenario.words.hint);
            prompt = "Your prediction: ";
            continue;
        }
        return Ok((!typed.is_empty()).then_some(typed));
    }
}

fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    input.take(LONGEST).read_until(b'\n', &mut line)?;
    Ok(String::from_utf8_lossy(&line).trim().to_owned())
}
