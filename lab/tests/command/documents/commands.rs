//! The commands of the lab that documents contain.

use std::fs;

use super::{assert_current, document, documents, lines, parts};
use crate::command::printed;

/// The prompt and the command of a transcript.
const PROMPT: &str = "console\n$ cargo run -p lab -- ";

/// A document whose transcripts show what their commands print, and how many it has.
fn with_current_output(text: &str) -> (String, usize) {
    let mut count = 0;
    let shown = parts(text).map(|(_, part)| {
        let Some(rest) = part.strip_prefix(PROMPT) else {
            return part.to_owned();
        };
        count += 1;
        let arguments = rest.lines().next().expect("split yields at least one part");
        let output = printed(arguments);
        format!("{PROMPT}{arguments}\n{}", output.trim_end_matches('\n'))
    });
    let shown: Vec<_> = shown.collect();
    (shown.join("\n```"), count)
}

#[test]
fn a_transcript_is_the_output_of_its_command() {
    let mut transcripts = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");

        let (current, count) = with_current_output(&text);

        assert_eq!(count, text.matches("```console").count());
        if count > 0 {
            assert_current(&path, &current);
        }
        transcripts += count;
    }

    assert_eq!(transcripts, 2);
}

/// The words of a command line of the lab, its own name first; none if a shell has to put
/// something in.
fn lab_words(line: &str) -> Option<Vec<String>> {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let line = line.strip_prefix("- run: ").unwrap_or(line);
    let cargo = line
        .strip_prefix("cargo run -p lab -- ")
        .or_else(|| line.strip_prefix("cargo run -q -p lab -- "))
        .or_else(|| line.strip_prefix("cargo run --release -p lab -- "));
    let arguments = cargo.or_else(|| line.strip_prefix("lab "))?;
    let words = shlex::split(arguments)?;
    if words.iter().any(|word| word.starts_with('$')) {
        return None;
    }
    Some(["lab".to_owned()].into_iter().chain(words).collect())
}

#[test]
fn every_command_of_the_lab_is_valid() {
    let mut checked = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");
        let text = text.replace("\\\n", "");
        let prose = parts(&text).filter(|(is_block, _)| !is_block);
        let inline = prose.flat_map(|(_, prose)| prose.split('`').skip(1).step_by(2));
        let blocks = lines(&text, &["sh", "console", "yaml"]);

        for words in blocks.chain(inline).filter_map(lab_words) {
            let valid = lab::cli::check(words.iter().map(String::as_str));
            assert_eq!(valid, Ok(()), "{}: {words:?}", path.display());
            checked += 1;
        }
    }

    assert!(checked > 60, "{checked} commands");
}

#[test]
fn the_readme_counts_the_tests_of_the_client() {
    let readme = document("README.md");
    let folder = super::root().join("tests/client");
    let files = fs::read_dir(folder).expect("the folder");
    let tests = files.map(|file| {
        let text = fs::read_to_string(file.expect("a file").path()).expect("a file");
        text.matches("#[test]").count() + text.matches("#[tokio::test").count()
    });

    let counted = format!(
        "the {} tests that define the reference client",
        tests.sum::<usize>()
    );

    assert!(readme.contains(&counted), "{counted}");
}
