//! `--ask`: asks a scenario's question and reads the reader's prediction.
//!
//! A reader who has predicted the outcome learns more from the run.

use std::io::{self, BufRead, IsTerminal, Read};

use scenario::{
    Answer, Asked, Client, Exposition, Question, Session, Settings, catalogue::Scenario,
};

use crate::cli::{
    exit::Exit,
    terminal::{self, OrExit},
};

/// The maximum length of a prediction, in bytes; the rest of the line is ignored.
const LONGEST: u64 = 4 * 1024;

/// Asks the question on stderr, shows the client's limits, and reads one line from stdin as the
/// prediction; if two clients are compared, `of` is the one to predict. `?` shows the hint and
/// asks again, as does an invalid prediction. An empty line or the end of the input means no
/// prediction.
pub(super) fn ask(
    scenario: &Scenario,
    settings: &Settings,
    of: Option<Client>,
) -> Result<Option<Answer>, Exit> {
    let question = &scenario.words.question;
    terminal::paragraph(question.text);
    for (letter, choice) in question.lettered() {
        terminal::paragraph(&format!("  {letter}  {}", choice.text));
    }
    let terms = Session::new(scenario, settings, &Exposition::new()).terms();
    terminal::paragraph(&format!("({})", terms.join(", ")));
    if let Some(client) = of {
        terminal::paragraph(&format!("Predict the run of {}.", client.title()));
    }
    let mut stdin = io::stdin().lock();
    let kind = kind(question);
    let mut prompt = format!("Your prediction, {kind} (? for a hint): ");
    loop {
        terminal::prompt(&prompt);
        let typed = line(&mut stdin).or_exit(Exit::Environment)?;
        if leaves_the_line_open(&typed, stdin.is_terminal()) {
            terminal::note("");
        }
        match typed.trim() {
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

/// The kind of prediction to type.
fn kind(question: &Question) -> String {
    match question.asked {
        Asked::Number { of, .. } => format!("a number of {of}"),
        Asked::Choices(_) => {
            let letters: Vec<_> = question
                .lettered()
                .map(|choice| choice.0.to_string())
                .collect();
            letters.join("/")
        }
    }
}

/// The next line, with its line end. At the end of the input it has none.
fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
    if read as u64 == LONGEST && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// Whether the next output would start on the prompt's line. Only a terminal shows the line
/// end that was typed, and Ctrl+D types none.
fn leaves_the_line_open(typed: &str, is_terminal: bool) -> bool {
    !is_terminal || !typed.ends_with('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctrl_d_leaves_the_line_open_and_enter_does_not() {
        for (input, is_terminal, expected) in [
            ("3\n", true, false),
            ("\n", true, false),
            ("", true, true),
            ("3", true, true),
            ("3\n", false, true),
        ] {
            let typed = line(&mut input.as_bytes()).expect("it reads");

            let open = leaves_the_line_open(&typed, is_terminal);
            assert_eq!(open, expected, "{input:?} {is_terminal}");
        }
    }

    #[test]
    fn the_rest_of_a_long_line_is_ignored() {
        let mut input: &[u8] = &[&[b' '; 5_000][..], b"3\n2\n"].concat();

        let lines = [(); 2].map(|()| line(&mut input).expect("it reads"));

        assert_eq!(lines, [" ".repeat(4_096), "2\n".to_owned()]);
    }
}
