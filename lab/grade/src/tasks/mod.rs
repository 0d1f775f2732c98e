//! The tasks, in the order of the course.

mod create;
mod create_twice;
mod crowded;
pub(crate) mod down;
pub(crate) mod flaky;
mod half_a_list;
mod invalid_body;
mod long_list;
mod r#loop;
mod lost_response;
mod maintenance;
mod many_calls;
mod no_body;
mod post_once;
mod read_all;
mod redirect_post;
mod redirected;
mod refused;
mod retry_after;
mod retry_at;
pub(crate) mod silence;
mod unbounded;

use wire::UnknownName;

use crate::Task;

/// The tasks, in the order of the course.
pub static TASKS: &[&Task] = &[
    &read_all::TASK,
    &flaky::TASK,
    &retry_after::TASK,
    &retry_at::TASK,
    &maintenance::TASK,
    &down::TASK,
    &refused::TASK,
    &invalid_body::TASK,
    &no_body::TASK,
    &r#loop::TASK,
    &long_list::TASK,
    &half_a_list::TASK,
    &create::TASK,
    &create_twice::TASK,
    &lost_response::TASK,
    &post_once::TASK,
    &many_calls::TASK,
    &crowded::TASK,
    &silence::TASK,
    &unbounded::TASK,
    &redirected::TASK,
    &redirect_post::TASK,
];

/// The task of this name.
///
/// # Errors
///
/// [`UnknownName`], with the nearest name if one is near.
pub fn find(name: &str) -> Result<&'static Task, UnknownName> {
    let found = TASKS.iter().find(|task| task.words.name == name);
    found.copied().ok_or_else(|| {
        let names = TASKS.iter().map(|task| task.words.name);
        UnknownName::new("task", name, names, "lab list tasks")
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use http::Method;

    use super::*;

    #[test]
    fn the_order_of_cases_is_drawn_and_the_cases_are_not() {
        let refused = find("refused").expect("a task");
        let names = |seed| {
            let cases = refused.cases(seed).into_iter();
            cases.map(|case| case.name).collect::<Vec<_>>()
        };

        let drawn: HashSet<_> = (0..20).map(names).collect();

        assert!(drawn.len() > 10, "{} orders", drawn.len());
        assert_eq!(names(7), names(7));
        let all: BTreeSet<_> = refused.case_names().collect();
        for names in drawn {
            assert_eq!(names.len(), all.len());
            assert_eq!(names.into_iter().collect::<BTreeSet<_>>(), all);
        }
    }

    #[test]
    fn every_task_says_what_it_is() {
        let mut names = HashSet::new();
        for task in TASKS {
            let words = &task.words;
            assert!(names.insert(words.name), "{} stands twice", words.name);
            for text in [words.text, words.goal, words.hint, words.request] {
                assert!(!text.is_empty(), "{} leaves something out", words.name);
            }
            assert!(words.path.starts_with('/'), "{}", words.name);
            for case in task.cases {
                let zone = case
                    .time_zone
                    .is_none_or(|zone| case.name.ends_with(zone.name));
                assert!(zone, "{} does not name its time zone", case.name);
            }
            let has_body = task.method == Method::POST;
            assert_eq!(words.body.is_some(), has_body, "{}", words.name);
            assert!(!task.cases.is_empty(), "{}", words.name);
        }
    }
}
