//! `--ask`: the question first, and then what the reader makes of it.
//!
//! Who has committed to an answer learns more from the run than who has not.

use std::io::{self, BufRead, IsTerminal, Read};

use super::{Exit, terminal};
use runner::scenario::Scenario;

/// More of an answer is not read.
const LONGEST: u64 = 4 * 1024;

/// Puts the question on stderr and reads one line from stdin; `?` shows the
/// hint, and then the line after it is the answer. An empty line, or the end of
/// the input, is no prediction.
pub(super) fn ask(scenario: &Scenario) -> Result<Option<String>, Exit> {
    terminal::paragraph(scenario.words.question);
    let mut stdin = io::stdin().lock();
    let mut prompt = "Your prediction (? for a hint): ";
    loop {
        terminal::prompt(prompt);
        let answer = line(&mut stdin).map_err(|error| terminal::fail(&error, Exit::Environment))?;
        if !stdin.is_terminal() {
            // Nobody has pressed Enter, so the prompt still lacks its line end.
            terminal::note("");
        }
        if answer == "?" {
            terminal::paragraph(scenario.words.hint);
            prompt = "Your prediction: ";
            continue;
        }
        return Ok((!answer.is_empty()).then_some(answer));
    }
}

fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    input.take(LONGEST).read_until(b'\n', &mut line)?;
    Ok(String::from_utf8_lossy(&line).trim().to_owned())
}
