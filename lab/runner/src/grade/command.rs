//! The command that runs a client, and what a play puts into it.

use std::{ffi::OsString, fmt};

/// The command that runs a client, once for each play. In its arguments `{task}`,
/// `{url}` and `{base_url}` stand for what they name; the same is in its environment,
/// as `LAB_TASK`, `LAB_URL` and `LAB_BASE_URL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCommand {
    program: OsString,
    arguments: Vec<OsString>,
}

/// There is no command without a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the command that runs the client is empty")]
pub struct CommandError;

/// What a play tells its process.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) task: &'static str,
    pub(super) url: String,
    pub(super) base_url: String,
    pub(super) token: Option<String>,
}

impl ClientCommand {
    /// The command of these words, of which the first is the program.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if there is no word.
    pub fn new(words: impl IntoIterator<Item = OsString>) -> Result<Self, CommandError> {
        let mut words = words.into_iter();
        let program = words.next().filter(|program| !program.is_empty());
        Ok(Self {
            program: program.ok_or(CommandError)?,
            arguments: words.collect(),
        })
    }

    /// The words, for people.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        words
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    pub(super) fn program(&self) -> &OsString {
        &self.program
    }

    /// The arguments of one play.
    pub(super) fn arguments(&self, context: &Context) -> impl Iterator<Item = OsString> {
        let marks = [
            ("{task}", context.task),
            ("{url}", &*context.url),
            ("{base_url}", &*context.base_url),
        ];
        self.arguments.iter().map(move |argument| {
            // What is no Unicode holds no mark, either.
            let Some(text) = argument.to_str() else {
                return argument.clone();
            };
            let filled = marks.iter().fold(text.to_owned(), |text, (mark, value)| {
                text.replace(mark, value)
            });
            filled.into()
        })
    }
}

impl fmt::Display for ClientCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().join(" "))
    }
}

impl Context {
    /// The variables of one play. No proxy is asked for a loopback address, whatever
    /// else the environment says.
    pub(super) fn variables(&self) -> impl Iterator<Item = (&'static str, &str)> {
        const LOOPBACK: &str = "127.0.0.1,localhost";
        let token = self.token.as_deref().map(|token| ("LAB_TOKEN", token));
        let always = [
            ("LAB_TASK", self.task),
            ("LAB_URL", &self.url),
            ("LAB_BASE_URL", &self.base_url),
            ("NO_PROXY", LOOPBACK),
            ("no_proxy", LOOPBACK),
        ];
        always.into_iter().chain(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_play_names_takes_the_place_of_its_mark() {
        let words = [
            "curl",
            "-s",
            "{base_url}/items?task={task}",
            "{url}",
            "{other}",
        ];
        let command = ClientCommand::new(words.map(OsString::from)).expect("a command");
        let context = Context {
            task: "flaky",
            url: "http://127.0.0.1:1/a/flaky".to_owned(),
            base_url: "http://127.0.0.1:1/a".to_owned(),
            token: None,
        };

        let arguments: Vec<_> = command.arguments(&context).collect();

        let expected = [
            "-s",
            "http://127.0.0.1:1/a/items?task=flaky",
            "http://127.0.0.1:1/a/flaky",
            "{other}",
        ];
        assert_eq!(arguments, expected.map(OsString::from));
        assert!(context.variables().all(|(name, _)| name != "LAB_TOKEN"));
    }

    #[test]
    fn a_command_has_a_program() {
        for words in [vec![], vec![OsString::new()]] {
            assert_eq!(ClientCommand::new(words), Err(CommandError));
        }
    }
}
