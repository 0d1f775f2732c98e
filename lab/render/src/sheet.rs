//! A page of text: paragraphs beside labels, lists of terms, marks and colours, wrapped
//! at the available width.

use anstyle::{AnsiColor, Style};
use textwrap::{WordSeparator, core::Word};

use super::{
    Options,
    paint::{fit, harmless_except},
};

/// The maximum width of sentences, even on a wider terminal, because longer lines are
/// hard to read.
const MEASURE: usize = 100;

const NO_BREAK: char = '\u{a0}';

fn after_blanks_and_commas(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    Box::new(line.split_inclusive([' ', ',']).map(Word::from))
}

/// Collects text line by line.
#[derive(Debug)]
pub struct Sheet<'a> {
    /// How it is drawn.
    pub options: &'a Options,
    width: usize,
    text: String,
}

impl<'a> Sheet<'a> {
    /// An empty sheet.
    #[must_use]
    pub fn new(options: &'a Options) -> Self {
        Self {
            options,
            width: options.width.clamp(Options::NARROWEST, MEASURE),
            text: String::new(),
        }
    }

    /// The text of a sheet that this fills.
    pub fn filled(options: &'a Options, fill: impl FnOnce(&mut Self)) -> String {
        let mut sheet = Self::new(options);
        fill(&mut sheet);
        sheet.into_text()
    }

    /// The finished text.
    pub fn into_text(self) -> String {
        self.text
    }

    /// An empty line.
    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Adds lines that are already complete.
    pub fn block(&mut self, lines: &str) {
        self.text.push_str(lines);
    }

    /// One line. With `ascii`, this and all other texts lose their other signs.
    pub fn line(&mut self, line: &str) {
        let line = self.plain(line).replace(NO_BREAK, " ");
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// The width of a line.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether the width is below the usual one.
    pub fn is_narrow(&self) -> bool {
        self.width < Options::WIDTH
    }

    /// A bold line, wrapped if necessary.
    pub fn title(&mut self, words: &str) {
        for line in textwrap::wrap(words, self.width) {
            self.line(&self.styled(Style::new().bold(), &line));
        }
    }

    /// A label in a column of its own and a text wrapped beside it.
    pub fn paragraph(&mut self, label: &str, text: &str) {
        let column = if label.len() > 9 || label == "Try next" {
            16
        } else {
            10
        };
        self.beside(&format!("{label:<column$}"), text);
    }

    /// A check mark or a cross, a label, and a wrapped text beside both.
    pub fn check(&mut self, held: bool, label: &str, text: &str) {
        self.marked(Some(held), label, text);
    }

    /// The mark for good, bad, or a note, then a label, and a wrapped text beside both.
    pub fn marked(&mut self, is_good: Option<bool>, label: &str, text: &str) {
        let mark = match is_good {
            Some(_) => self.mark(is_good, Style::new()),
            None => {
                let note = self.options.or_ascii("!", "note");
                self.styled(AnsiColor::Yellow.on_default(), note)
            }
        };
        self.beside(&format!("{mark} {label}"), text);
    }

    /// The mark for good, bad, or neither, which has this style.
    pub fn mark(&self, is_good: Option<bool>, neither: Style) -> String {
        let (style, sign, ascii) = match is_good {
            Some(true) => (AnsiColor::Green.on_default(), "✓", "ok  "),
            Some(false) => (AnsiColor::Red.on_default(), "✗", "FAIL"),
            None => (neither, "·", "-   "),
        };
        self.styled(style, self.options.or_ascii(sign, ascii))
    }

    /// A text after `first`, with its other lines aligned. Words are not broken, so that
    /// they can be copied. No line ends at a no-break space, which is shown as a blank.
    pub fn beside(&mut self, first: &str, text: &str) {
        self.set_beside(first, text, false);
    }

    /// The same for a client's text, whose words may have any length. It is broken after a
    /// comma, too, as JSON without blanks has no other place.
    pub fn beside_foreign(&mut self, first: &str, text: &str) {
        self.set_beside(first, text, true);
    }

    fn set_beside(&mut self, first: &str, text: &str, breaks_words: bool) {
        if text.is_empty() {
            return self.line(first);
        }
        let text = self.plain(text);
        // Escapes have no width, and none may carry over to the next line.
        let indent = " ".repeat(textwrap::core::display_width(first));
        let options = textwrap::Options::new(self.width)
            .initial_indent(first)
            .subsequent_indent(&indent)
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            .break_words(breaks_words);
        let options = if breaks_words {
            options.word_separator(WordSeparator::Custom(after_blanks_and_commas))
        } else {
            options
        };
        for line in textwrap::wrap(&text, options) {
            self.line(&line);
        }
    }

    /// A label and a command to copy, which is therefore never wrapped.
    pub fn command(&mut self, label: &str, command: &str) {
        let line = format!("{label:<16}{command}");
        if line.chars().count() <= self.width {
            self.line(&line);
        } else {
            self.line(label);
            self.line(&format!("  {command}"));
        }
    }

    /// Terms in a row, wrapped between two of them.
    pub fn joined(&mut self, terms: &[String]) {
        let separator = self.options.or_ascii(" · ", " | ");
        let mut line = String::new();
        for term in terms {
            let term = fit(term, usize::MAX, self.options.ascii);
            let longer = line.chars().count() + 3 + term.chars().count();
            if !line.is_empty() && longer > self.width {
                self.line(&std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push_str(separator);
            }
            line.push_str(&term);
        }
        self.line(&line);
    }

    /// A text in this style, if there are colours.
    #[must_use]
    pub fn styled(&self, style: Style, text: &str) -> String {
        if self.options.color {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// A text, in red if what it is about is broken.
    pub(crate) fn red_if(&self, is_broken: bool, text: &str) -> String {
        if is_broken {
            self.styled(AnsiColor::Red.on_default(), text)
        } else {
            text.to_owned()
        }
    }

    /// A dash.
    #[must_use]
    pub fn dash(&self) -> &'static str {
        self.options.or_ascii("—", "-")
    }

    /// A text without harmful characters, and in ASCII if this is asked for. It may be coloured
    /// by now, so escapes remain.
    fn plain(&self, text: &str) -> String {
        let text = harmless_except(text, &['\n', '\t', '\u{1b}']);
        if self.options.ascii {
            let is_kept = |sign: &char| sign.is_ascii() || *sign == NO_BREAK;
            text.chars().filter(is_kept).collect()
        } else {
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_ends_at_a_no_break_space_which_is_shown_as_a_blank() {
        let before = "a".repeat(78);

        for ascii in [false, true] {
            let options = Options {
                ascii,
                ..Options::default()
            };
            let text = Sheet::filled(&options, |sheet| {
                sheet.beside("", &format!("{before} 1{NO_BREAK}s"));
            });
            assert_eq!(text, format!("{before}\n1 s\n"));
        }
    }

    #[test]
    fn json_of_a_client_is_broken_after_a_comma() {
        let options = Options::default();
        let members: Vec<_> = (10..30).map(|number| format!("\"{number}\":1")).collect();
        let json = format!("{{{}}}", members.join(","));

        let text = Sheet::filled(&options, |sheet| sheet.beside_foreign("  ", &json));

        let lines: Vec<_> = text.lines().map(str::trim).collect();
        let (last, before) = lines.split_last().expect("a line");
        assert!(!before.is_empty() && last.ends_with('}'), "{text}");
        assert!(before.iter().all(|line| line.ends_with(',')), "{text}");
        assert_eq!(lines.concat(), json);
    }
}
