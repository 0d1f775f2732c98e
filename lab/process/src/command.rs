//! The command that runs a client, and what a case puts into it.

use std::{ffi::OsString, fmt, path::PathBuf};

use wire::quoted;

/// The command that runs a client, once for each case. In its arguments `{task}`,
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

/// The variables that a case gives its process.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// None if the command is not graded in a task.
    pub task: Option<&'static str>,
    /// The URL of the case.
    pub url: String,
    /// The URL without the path of the task.
    pub base_url: String,
    /// The token that it has to send; its value is masked in what it prints.
    pub token: Option<String>,
    /// The rest of its environment.
    pub set: Vec<(String, String)>,
    /// The rest of the marks in its arguments, each with its value.
    pub marks: Vec<(&'static str, String)>,
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

    /// The program, as it was named.
    pub fn program(&self) -> &OsString {
        &self.program
    }

    /// The program as a file to be run. On Windows a name may stand for a script, as `npx`
    /// does for `npx.cmd`; the system itself finds only programs that end in `.exe`.
    pub fn file(&self) -> PathBuf {
        #[cfg(windows)]
        if let Ok(found) = which::which(&self.program) {
            return found;
        }
        PathBuf::from(&self.program)
    }

    /// The arguments of one case.
    pub fn arguments(&self, context: &Context) -> impl Iterator<Item = OsString> {
        let marks = [
            ("{task}", context.task.unwrap_or("{task}")),
            ("{url}", &*context.url),
            ("{base_url}", &*context.base_url),
        ];
        let others = context.marks.iter();
        let others = others.map(|(mark, value)| (*mark, &**value));
        let marks: Vec<_> = marks.into_iter().chain(others).collect();
        self.arguments.iter().map(move |argument| {
            // An argument that is not Unicode holds no mark, either.
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
        let words: Vec<_> = self.words().iter().map(|word| quoted(word)).collect();
        f.write_str(&words.join(" "))
    }
}

impl Context {
    /// A line that the client printed, with the name of the token in place of its value.
    pub fn masked(&self, line: String) -> String {
        match &self.token {
            Some(token) => line.replace(token.as_str(), "$LAB_TOKEN"),
            None => line,
        }
    }

    /// The variables of one case. No proxy is asked for a loopback address, whatever
    /// else the environment says.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        const LOOPBACK: &str = "127.0.0.1,localhost";
        let token = self.token.as_deref().map(|token| ("LAB_TOKEN", token));
        let name_of_task = self.task.into_iter();
        let task = name_of_task.flat_map(|task| [("LAB_TASK", task), ("LAB_URL", &self.url)]);
        let always = [
            ("LAB_BASE_URL", &*self.base_url),
            ("NO_PROXY", LOOPBACK),
            ("no_proxy", LOOPBACK),
        ];
        let set = self.set.iter().map(|(name, value)| (&**name, &**value));
        always.into_iter().chain(task).chain(token).chain(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_in_arguments_are_replaced_by_the_values_of_a_case() {
        let words = [
            "curl",
            "-s",
            "{base_url}/items?task={task}",
            "{url}",
            "{port}{other}",
        ];
        let command = ClientCommand::new(words.map(OsString::from)).expect("a command");
        let context = Context {
            task: Some("flaky"),
            url: "http://127.0.0.1:1/a/flaky".to_owned(),
            base_url: "http://127.0.0.1:1/a".to_owned(),
            marks: vec![("{port}", "1".to_owned())],
            ..Context::default()
        };

        let arguments: Vec<_> = command.arguments(&context).collect();

        let expected = [
            "-s",
            "http://127.0.0.1:1/a/items?task=flaky",
            "http://127.0.0.1:1/a/flaky",
            "1{other}",
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
