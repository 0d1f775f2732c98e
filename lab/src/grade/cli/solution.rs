//! `lab grade --solution TASK`: one correct way to do a task.
//!
//! A solution is made of the parts of a client that does every task. A comment with the names
//! of tasks in brackets begins a part, which lasts until the next such comment; `[all]` begins
//! one that every task needs, and `[retry-at..]` one that is needed from a task on, in the order
//! of the course and of practice.

use std::env;

use grade::{Task, all};

use super::language::Language;

/// The part that every task needs.
const ALL: &str = "all";

/// The end of the name of a task that stands for this task and all after it.
const FROM_THERE: &str = "..";

/// The solution of a task, as a program that does this task alone.
pub(super) fn solution(task: &Task, language: Option<Language>) -> String {
    let here = || Language::in_folder(&env::current_dir().ok()?);
    let language = language.or_else(here).unwrap_or(Language::Python);
    let mut is_wanted = true;
    let lines = language.solutions().lines().filter(|line| {
        let names = names(line, language);
        if let Some(names) = &names {
            is_wanted = names.iter().any(|name| needs(task, name));
        }
        is_wanted && names.is_none()
    });
    let lines: Vec<_> = lines.collect();
    lines.join("\n") + "\n"
}

/// Whether a task is one of those that this name stands for.
fn needs(task: &Task, name: &str) -> bool {
    match name.strip_suffix(FROM_THERE) {
        None => [ALL, task.words.name].contains(&name),
        Some(first) => {
            let mut from_there = all().skip_while(|known| known.words.name != first);
            from_there.any(|known| known.words.name == task.words.name)
        }
    }
}

/// The tasks of the part that this line begins; none if it begins no part.
fn names(line: &str, language: Language) -> Option<Vec<&str>> {
    let comment = line.trim_start().strip_prefix(language.comment())?;
    let names = comment.trim().strip_prefix('[')?.strip_suffix(']')?;
    Some(names.split(' ').collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use clap::ValueEnum;
    use grade::find;

    use super::*;

    #[test]
    fn every_part_names_tasks_that_there_are() {
        for language in Language::value_variants() {
            let lines = language.solutions().lines();
            let named: HashSet<_> = lines
                .flat_map(|line| names(line, *language))
                .flatten()
                .collect();

            for name in named.iter().filter(|name| **name != ALL) {
                let first = name.strip_suffix(FROM_THERE).unwrap_or(name);
                assert!(find(first).is_ok(), "{language:?}: {name}");
            }
            assert!(
                named.contains(ALL) && named.len() > 10,
                "{language:?}: {named:?}"
            );
        }
    }

    /// Whether a program has a line for a task of this name.
    fn does(program: &str, name: &str) -> bool {
        let keys = [
            format!("\"{name}\""),
            format!("  {name}: "),
            format!("  {name},"),
        ];
        keys.iter().any(|key| program.contains(key))
    }

    /// How the languages read the header.
    const RETRY_AFTER: [&str; 3] = ["(\"Retry-After\"", "(\"retry-after\"", "RETRY_AFTER"];

    #[test]
    fn each_solution_in_each_language_names_its_task_and_has_the_parts_from_there() {
        for language in Language::value_variants() {
            let mut reads_the_header = false;
            for task in grade::TASKS {
                let name = task.words.name;
                reads_the_header |= name == "retry-after";

                let solution = solution(task, Some(*language));

                let said = format!("{language:?}, {name}:\n{solution}");
                assert!(does(&solution, name), "{said}");
                assert!(!solution.contains("\n\n\n\n"), "{said}");
                let mut lines = solution.lines();
                assert!(lines.all(|line| names(line, *language).is_none()), "{said}");
                let found = RETRY_AFTER.iter().any(|header| solution.contains(header));
                assert_eq!(found, reads_the_header, "{said}");
                let of_crowded = [
                    "def crowded",
                    "function crowded",
                    "func crowded",
                    "fn crowded",
                ];
                let found = of_crowded.iter().any(|start| solution.contains(start));
                assert_eq!(found, name == "crowded", "{said}");
            }
            for task in grade::PRACTICE {
                let solution = solution(task, Some(*language));
                let name = task.words.name;
                assert!(does(&solution, name), "{language:?}, {name}:\n{solution}");
            }
        }
    }

    #[test]
    fn a_solution_has_what_its_task_needs_and_no_more() {
        let of = |name| solution(find(name).expect("a task"), Some(Language::Python));

        let (flaky, listing) = (of("flaky"), of("read-all"));

        assert!(flaky.contains("def call(") && !flaky.contains("def listing("));
        assert!(listing.contains("def listing(") && !listing.contains("def crowded("));
        assert!(!listing.contains("# ["), "{listing}");
        assert!(flaky.contains("\"flaky\": value") && !flaky.contains("Retry-After"));
        assert!(!of("retry-after").contains("email") && of("retry-at").contains("email"));
        assert!(!listing.contains("seen") && of("loop").contains("seen"));
    }
}
