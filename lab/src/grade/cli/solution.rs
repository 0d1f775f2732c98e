//! `lab grade --solution TASK`: one correct way to do a task.
//!
//! A solution is made of the parts of a client that does every task. A comment with the names
//! of tasks in brackets begins a part, which lasts until the next such comment; `[all]` begins
//! one that every task needs.

use std::env;

use grade::Task;

use super::language::Language;

/// The part that every task needs.
const ALL: &str = "all";

/// The solution of a task, as a program that does this task alone.
pub(super) fn solution(task: &Task, language: Option<Language>) -> String {
    let here = || Language::in_folder(&env::current_dir().ok()?);
    let language = language.or_else(here).unwrap_or(Language::Python);
    let mut is_wanted = true;
    let lines = language.solutions().lines().filter(|line| {
        let names = names(line, language);
        if let Some(names) = &names {
            is_wanted = names
                .iter()
                .any(|name| [ALL, task.words.name].contains(name));
        }
        is_wanted && names.is_none()
    });
    let lines: Vec<_> = lines.collect();
    lines.join("\n") + "\n"
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
                assert!(find(name).is_ok(), "{language:?}: {name}");
            }
            assert!(
                named.contains(ALL) && named.len() > 10,
                "{language:?}: {named:?}"
            );
        }
    }

    #[test]
    fn a_solution_has_what_its_task_needs_and_no_more() {
        let of = |name| solution(find(name).expect("a task"), Some(Language::Python));

        let (flaky, listing) = (of("flaky"), of("read-all"));

        assert!(flaky.contains("def call(") && !flaky.contains("def listing("));
        assert!(listing.contains("def listing(") && !listing.contains("def crowded("));
        assert!(!listing.contains("# ["), "{listing}");
    }
}
