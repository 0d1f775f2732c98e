//! The board of a class: a page with the cards of a folder, by learner.
//!
//! A card is a file from somebody else. Only verdicts are taken from it, and the names of tasks
//! and rules that this lab knows. The name of a learner is that of the file, and is shown as
//! text.

use std::{collections::BTreeMap, time::Duration};

use judge::rules;
use maud::{Markup, html as markup};
use render::{
    fit,
    page::{marked, refreshing_document, wide_table},
};
use wire::counted;

use crate::{
    GoalVerdict, PrintedCard, all,
    summary::{PrintedRule, PrintedTask},
};

/// The card of one learner.
#[derive(Clone, Debug)]
pub struct Learner {
    /// The name, of any length and with any characters.
    pub name: String,
    /// The card, or why it cannot be read.
    pub card: Result<PrintedCard, String>,
    /// For how long the card has not changed, if that is known.
    pub unchanged: Option<Duration>,
}

/// The longest name that is shown in full, in columns.
const LONGEST: usize = 40;

/// How many of the broken rules are shown.
const RULES: usize = 10;

/// How often a browser reads the page again.
const REFRESH: Duration = Duration::from_secs(5);

/// The result of a task in one word or a few.
fn result(task: &PrintedTask) -> Markup {
    let broken = task.broken().count();
    match task.goal.verdict {
        GoalVerdict::Missed | GoalVerdict::Crashed if task.was_attempted() => {
            marked(Some(false), "goal missed")
        }
        _ if broken > 0 => marked(Some(false), counted(broken as u64, "rule") + " broken"),
        GoalVerdict::Reached => marked(Some(true), "done"),
        GoalVerdict::Skipped => markup! { "skipped" },
        GoalVerdict::NotJudged if task.was_attempted() => markup! { "not judged" },
        _ => markup! { "not attempted" },
    }
}

/// Renders the cards of a class, in the order of the names, and says how many more were left
/// out. With `hides_names`, learners are numbered instead.
#[must_use]
pub fn html_board(learners: &[Learner], left_out: usize, hides_names: bool) -> String {
    let mut learners: Vec<_> = learners.iter().collect();
    learners.sort_by(|one, other| one.name.cmp(&other.name));
    let count = counted(learners.len() as u64, "card");
    let left_out = match left_out {
        0 => String::new(),
        left_out => format!(", and {left_out} more that are not shown"),
    };
    refreshing_document(
        "Board",
        REFRESH,
        markup! {
            header {
                p.kind { "Class" }
                h1 { "Board" }
                @if !hides_names { p.title { "By name, not by rank" } }
                p.result { (count) (left_out) }
            }
            main {
                (results(&learners, hides_names))
                (broken(&learners))
            }
            footer {
                p { "This page reads itself again every " (REFRESH.as_secs()) " s." }
            }
        },
    )
}

fn results(learners: &[&Learner], hides_names: bool) -> Markup {
    let cards = || {
        learners
            .iter()
            .filter_map(|learner| learner.card.as_ref().ok())
    };
    let tasks: Vec<_> = all()
        .map(|task| task.words.name)
        .filter(|name| cards().any(|card| card.task(name).is_some()))
        .collect();
    let columns = ["learner", "card"].into_iter().chain(tasks.iter().copied());
    let titles = columns.map(|title| (title, false));
    markup! {
        section.panel aria-labelledby="results" {
            h2 #results { "Learners and tasks" }
            (wide_table(None, ("result", "The result of each learner in each task"), titles, markup! {
                tbody {
                    @for (number, learner) in learners.iter().enumerate() {
                        tr {
                            th scope="row" { (name(learner, number, hides_names)) }
                            td { (unchanged(learner.unchanged)) }
                            @match &learner.card {
                                Ok(card) => {
                                    @for task in &tasks {
                                        td { @if let Some(task) = card.task(task) { (result(task)) } }
                                    }
                                }
                                Err(why) => {
                                    td colspan=(tasks.len().max(1)) {
                                        "cannot be read: " (fit(why, 2 * LONGEST, false))
                                    }
                                }
                            }
                        }
                    }
                }
            }))
        }
    }
}

fn name(learner: &Learner, number: usize, is_hidden: bool) -> String {
    if is_hidden {
        format!("learner {}", number + 1)
    } else {
        fit(&learner.name, LONGEST, false)
    }
}

/// For how long a card has not changed, in one unit.
fn unchanged(time: Option<Duration>) -> String {
    let Some(time) = time else {
        return "unknown".to_owned();
    };
    let minutes = time.as_secs() / 60;
    match minutes {
        0 => "new".to_owned(),
        1..60 => format!("unchanged for {minutes} min"),
        60..1440 => format!("unchanged for {} h", minutes / 60),
        _ => format!("unchanged for {} d", minutes / 1440),
    }
}

/// The rules that were broken in most cards, as far as there is space.
fn broken(learners: &[&Learner]) -> Markup {
    let rules = most_broken(learners);
    markup! {
        section.panel aria-labelledby="broken" {
            h2 #broken { "Most often broken rules" }
            @if rules.is_empty() {
                p { "No card shows a broken rule." }
            } @else {
                (wide_table(None, ("rules", "Broken rules"),
                    [("rule", false), ("cards", true), ("requirement", false)], markup! {
                        tbody {
                            @for (id, text, cards) in rules.iter().take(RULES) {
                                tr {
                                    th.rule scope="row" { (id) }
                                    td.number { (cards) }
                                    td { (text) }
                                }
                            }
                        }
                    }))
            }
        }
    }
}

/// Each rule that a card broke, its requirement, and the number of cards, the most first.
fn most_broken(learners: &[&Learner]) -> Vec<(&'static str, &'static str, usize)> {
    let mut cards: BTreeMap<&str, usize> = BTreeMap::new();
    for card in learners
        .iter()
        .filter_map(|learner| learner.card.as_ref().ok())
    {
        let mut ids: Vec<_> = card.broken().map(|rule: &PrintedRule| &*rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            *cards.entry(id).or_default() += 1;
        }
    }
    let known = cards.into_iter().filter_map(|(id, cards)| {
        let rule = rules::find(id)?;
        Some((rule.id, rule.text, cards))
    });
    let mut by_number: Vec<_> = known.collect();
    // Those of equal number stay in alphabetical order.
    by_number.sort_by_key(|(_, _, cards)| std::cmp::Reverse(*cards));
    by_number
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};
    use serde_json::json;

    use super::*;
    use crate::CARD_VERSION;

    /// A task, the verdict on its goal, and its rules with their verdicts.
    type Task<'a> = (&'a str, &'a str, Vec<(&'a str, &'a str)>);

    fn card(tasks: &[Task<'_>]) -> PrintedCard {
        let tasks = tasks.iter().map(|(task, goal, rules)| {
            let rules = rules
                .iter()
                .map(|(id, verdict)| json!({"id": id, "verdict": verdict}));
            json!({
                "task": task, "goal": {"verdict": goal}, "rules": rules.collect::<Vec<_>>(),
                "cases": [{"wire": {"total": 1}}],
            })
        });
        let tasks: Vec<_> = tasks.collect();
        let card = json!({"schema_version": CARD_VERSION, "tasks": tasks});
        PrintedCard::read(&card.to_string()).expect("a card")
    }

    fn learner(name: &str, card: PrintedCard) -> Learner {
        Learner {
            name: name.to_owned(),
            card: Ok(card),
            unchanged: Some(Duration::from_secs(125)),
        }
    }

    fn cards() -> impl Strategy<Value = PrintedCard> {
        let goals = select(vec![
            "reached",
            "missed",
            "crashed",
            "skipped",
            "not_judged",
        ]);
        let verdicts = select(vec!["kept", "broken", "skipped", "cannot_tell"]);
        let ids = select(vec!["retry-503", "one-job", "same-body", "xyzzy"]);
        let tasks = select(vec!["flaky", "down", "create", "<b>task</b>"]);
        let task = (tasks, goals, vec((ids, verdicts), 0..4));
        vec(task, 0..4).prop_map(|tasks| card(&tasks))
    }

    proptest! {
        /// Neither a name nor a text of a card becomes markup, and the page hides names on
        /// request.
        #[test]
        fn the_text_of_a_file_stays_text(name in "[a-z<>&\"'\u{202e}\u{1b}]{1,12}", card in cards()) {
            let learners = [
                learner(&format!("<i>{name}"), card),
                Learner { name: "q".to_owned(), card: Err("<u>no".to_owned()), unchanged: None },
            ];

            let shown = html_board(&learners, 0, false);
            let hidden = html_board(&learners, 5, true);

            for text in ["<i>", "<u>", "<b>", "\u{202e}", "\u{1b}", "xyzzy"] {
                prop_assert!(!shown.contains(text), "{text}");
            }
            prop_assert!(shown.contains("&lt;i&gt;"));
            prop_assert!(!hidden.contains("&lt;i&gt;"));
            prop_assert!(hidden.contains("learner 1"));
            let says_by_name = [&shown, &hidden].map(|page| page.contains("By name"));
            prop_assert_eq!(says_by_name, [true, false]);
            let says_more = [&shown, &hidden].map(|page| page.contains("and 5 more"));
            prop_assert_eq!(says_more, [false, true]);
        }

        /// A rule is counted once for each card that broke it in any task.
        #[test]
        fn rules_are_counted_by_cards(cards in vec(cards(), 0..6)) {
            let learners: Vec<_> = cards.into_iter().map(|card| learner("a", card)).collect();
            let learners: Vec<_> = learners.iter().collect();

            let counted = most_broken(&learners);

            prop_assert!(counted.is_sorted_by(|one, next| one.2 >= next.2));
            for rule in ["retry-503", "one-job", "same-body"] {
                let breaks = |learner: &&&Learner| {
                    let card = learner.card.as_ref().expect("a card");
                    card.tasks.iter().any(|task| task.broken().any(|broken| broken.id == rule))
                };
                let expected = learners.iter().filter(breaks).count();
                let found = counted.iter().find(|(id, _, _)| *id == rule);
                prop_assert_eq!(found.map_or(0, |(_, _, cards)| *cards), expected);
            }
        }
    }

    #[test]
    fn learners_stand_by_name_with_their_results() {
        let rules = || vec![("retry-503", "broken"), ("one-job", "kept")];
        let learners = [
            learner("zoe", card(&[("down", "missed", vec![])])),
            learner(
                "ann",
                card(&[("flaky", "reached", rules()), ("down", "reached", vec![])]),
            ),
        ];

        let page = html_board(&learners, 0, false);

        let places: Vec<_> = [
            "ann",
            "unchanged for 2 min",
            "1 rule broken",
            "done",
            "zoe",
            "goal missed",
            "retry-503",
        ]
        .iter()
        .map(|text| page.find(text).expect(text))
        .collect();
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn a_time_has_one_unit() {
        for (seconds, expected) in [
            (59, "new"),
            (60, "unchanged for 1 min"),
            (3_599, "unchanged for 59 min"),
            (3_600, "unchanged for 1 h"),
            (86_399, "unchanged for 23 h"),
            (172_800, "unchanged for 2 d"),
        ] {
            assert_eq!(unchanged(Some(Duration::from_secs(seconds))), expected);
        }
    }
}
