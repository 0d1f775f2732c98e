//! `--ask`: the question first, and the reader's prediction.
//!
//! A reader who has predicted the outcome learns more from the run.

use std::io::{self, BufRead, IsTerminal, Read};

use evidence::{Asked, Prediction, Question};
use runner::{Exposition, Session, Settings, scenario::Scenario};

use super::{Exit, terminal};

/// The longest prediction, in bytes; the rest of the line is not read.
const LONGEST: u64 = 4 * 1024;

/// Puts the question on stderr, with what the client is allowed, and reads a prediction
/// from stdin, one line; `?` shows the hint and reads again, and so does what is no
/// answer. An empty line, or the end of the input, is no prediction.
pub(super) fn ask(scenario: &Scenario, settings: &Settings) -> Result<Option<Prediction>, Exit> {
    let question = &scenario.words.question;
    terminal::paragraph(question.text);
    for (letter, choice) in question.lettered() {
        terminal::paragraph(&format!("  {letter}  {}", choice.text));
    }
    let terms = Session::new(scenario, settings, &Exposition::new()).terms();
    terminal::paragraph(&format!("({})", terms.join(", ")));
    let mut stdin = io::stdin().lock();
    let kind = kind(question);
    let mut prompt = format!("Your prediction, {kind} (? for a hint): ");
    loop {
        terminal::prompt(&prompt);
        let typed = line(&mut stdin).map_err(|error| terminal::fail(&error, Exit::Environment))?;
        if !stdin.is_terminal() {
            // Without a person who presses Enter the prompt lacks its line end.
            terminal::note("");
        }
        match &*typed {
            "" => return Ok(None),
            "?" => terminal::paragraph(scenario.words.hint),
            typed => match question.predict(typed) {
                Ok(prediction) => return Ok(Some(prediction)),
                Err(error) => terminal::warn(&error),
            },
        }
        prompt = format!("Your prediction, {kind}: ");
    }
}

/// What is to be typed.
fn kind(question: &Question) -> String {
    match question.asked {
        Asked::Number(number) => format!("a number of {}", number.of),
        Asked::Choices(_) => {
            let letters: Vec<_> = question.lettered().map(|it| it.0.to_string()).collect();
            letters.join("/")
        }
    }
}

fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    input.take(LONGEST).read_until(b'\n', &mut line)?;
    Ok(String::from_utf8_lossy(&line).trim().to_owned())
}
