//! The board of a class: a row for each card of a folder, and a count of all of them.
//!
//! A card is a file from another person. Only verdicts are taken from it, and the names of
//! tasks and rules that this lab knows. The name of a learner is that of the file, and is shown
//! as text.

use std::time::Duration;

use judge::rules::Verdict;
use maud::{Markup, html as markup};
use render::{
    fit,
    page::{marked, refreshing_document},
};
use wire::counted;

use crate::{GoalVerdict, PrintedCard, TASKS, Task, printed_card::PrintedTask};

/// The card of one learner.
#[derive(Clone, Debug)]
pub struct Learner {
    /// The name, of any length and with any characters.
    pub name: String,
    /// The card, or why it cannot be read.
    pub card: Result<PrintedCard, String>,
}

/// The cards of a class, by name and not by rank.
#[derive(Clone, Debug)]
pub struct Board {
    learners: Vec<Learner>,
    /// The tasks that are shown, in the order of the course.
    tasks: Vec<&'static Task>,
}

/// The longest name that is shown in full, in columns.
const LONGEST: usize = 40;

/// The width of names in a terminal.
const NAME: usize = 27;

/// How often a browser reads the page again.
const REFRESH: Duration = Duration::from_secs(5);

impl Board {
    /// The cards of a class. Without `chosen` tasks it shows those that any card has.
    #[must_use]
    pub fn new(mut learners: Vec<Learner>, chosen: &[&Task]) -> Self {
        learners.sort_by(|one, other| one.name.cmp(&other.name));
        let mut board = Self {
            learners,
            tasks: Vec::new(),
        };
        let tasks = TASKS.iter().copied().filter(|task| {
            let name = task.words.name;
            if chosen.is_empty() {
                board.cards().any(|card| card.task(name).is_some())
            } else {
                chosen.iter().any(|chosen| chosen.words.name == name)
            }
        });
        board.tasks = tasks.collect();
        board
    }

    fn cards(&self) -> impl Iterator<Item = &PrintedCard> {
        let learners = self.learners.iter();
        learners.filter_map(|learner| learner.card.as_ref().ok())
    }

    /// The names of the files that are no cards, and why they are not.
    pub fn unreadable(&self) -> impl Iterator<Item = (&str, &str)> {
        let learners = self.learners.iter();
        learners.filter_map(|learner| Some((&*learner.name, &**learner.card.as_ref().err()?)))
    }

    /// How many cards there are, and how many files are none.
    fn count(&self) -> String {
        let cards = counted(self.cards().count() as u64, "card");
        match self.unreadable().count() as u64 {
            0 => cards,
            files => format!(
                "{cards}, and {} that cannot be read",
                counted(files, "file")
            ),
        }
    }

    /// Renders a table in 80 columns: of the cards that attempted a task, how many reached its
    /// goal and kept each of its rules.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}; of those that attempted a task:\n", self.count());
        text += &row(
            "",
            "attempted",
            "reached or kept",
            "missed or broken",
            "neither",
        );
        for task in &self.tasks {
            let name = task.words.name;
            let attempted: Vec<_> = self
                .cards()
                .filter_map(|card| card.task(name))
                .filter(|task| task.was_attempted())
                .collect();
            let goals = attempted.iter().map(|task| task.goal.verdict.as_verdict());
            text += &counts(name, goals);
            for rule in task.rules() {
                let judged = attempted.iter().flat_map(|task| &task.rules);
                let judged = judged.filter(|judged| judged.id == rule.id);
                text += &counts(
                    &format!("  {}", rule.id),
                    judged.map(|judged| judged.verdict),
                );
            }
        }
        text
    }

    /// Renders a page that a browser reads again and again. The page itself scrolls, so that a
    /// browser keeps its place.
    #[must_use]
    pub fn html(&self) -> String {
        refreshing_document(
            "Board",
            REFRESH,
            markup! {
                header {
                    p.kind { "Class" }
                    h1 { "Board" }
                    p.title { "By name, not by rank" }
                    p.result { (self.count()) }
                }
                main {
                    table.board {
                        caption { "The result of each learner in each task" }
                        thead { tr {
                            th scope="col" { "learner" }
                            @for task in &self.tasks { th scope="col" { (task.words.name) } }
                        } }
                        tbody { @for learner in &self.learners { (self.learner(learner)) } }
                    }
                }
                footer {
                    p { "This page reads itself again every " (REFRESH.as_secs()) " s." }
                }
            },
        )
    }

    fn learner(&self, learner: &Learner) -> Markup {
        markup! {
            tr {
                th scope="row" { (fit(&learner.name, LONGEST, false)) }
                @match &learner.card {
                    Ok(card) => {
                        @for task in &self.tasks {
                            td { @if let Some(task) = card.task(task.words.name) { (result(task)) } }
                        }
                    }
                    Err(why) => {
                        td colspan=(self.tasks.len().max(1)) {
                            "cannot be read: " (fit(why, 2 * LONGEST, false))
                        }
                    }
                }
            }
        }
    }
}

/// A row with the number of these verdicts, and how many of them are good, bad or neither.
fn counts(name: &str, verdicts: impl Iterator<Item = Verdict>) -> String {
    let verdicts: Vec<_> = verdicts.collect();
    let of = |verdict| verdicts.iter().filter(|found| **found == verdict).count();
    let (all, good, bad) = (verdicts.len(), of(Verdict::Kept), of(Verdict::Broken));
    let [all, good, bad, neither] = [all, good, bad, all - good - bad].map(|n| n.to_string());
    row(name, &all, &good, &bad, &neither)
}

fn row(name: &str, attempted: &str, good: &str, bad: &str, neither: &str) -> String {
    format!("{name:<NAME$}{attempted:>9}  {good:>15}  {bad:>16}  {neither:>7}\n")
}

/// The result of a task in a few words.
fn result(task: &PrintedTask) -> Markup {
    let broken = task.broken().count();
    match task.goal.verdict {
        GoalVerdict::Missed | GoalVerdict::Crashed => marked(Some(false), "goal missed"),
        _ if broken > 0 => marked(Some(false), counted(broken as u64, "rule") + " broken"),
        GoalVerdict::Reached => marked(Some(true), "done"),
        GoalVerdict::Skipped => markup! { "skipped" },
        GoalVerdict::NotJudged if task.was_attempted() => markup! { "not judged" },
        GoalVerdict::NotJudged => markup! { "not attempted" },
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};
    use serde_json::json;

    use super::*;
    use crate::{CARD_VERSION, find};

    /// The name of a task, the verdict on its goal, the number of requests, and its rules with
    /// their verdicts.
    type Printed<'a> = (&'a str, &'a str, u64, Vec<(&'a str, &'a str)>);

    fn card(tasks: &[Printed<'_>]) -> PrintedCard {
        let tasks = tasks.iter().map(|(task, goal, requests, rules)| {
            let rules = rules
                .iter()
                .map(|(id, verdict)| json!({"id": id, "verdict": verdict}));
            json!({
                "task": task, "goal": {"verdict": goal}, "rules": rules.collect::<Vec<_>>(),
                "cases": [{"wire": {"total": requests}}],
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
        }
    }

    fn unreadable(name: &str) -> Learner {
        Learner {
            name: name.to_owned(),
            card: Err("<u>no".to_owned()),
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
        let ids = select(vec!["backoff-waits", "one-job", "same-body", "xyzzy"]);
        let tasks = select(vec!["flaky", "down", "create", "<b>task</b>"]);
        let task = (tasks, goals, 0..3_u64, vec((ids, verdicts), 0..4));
        vec(task, 0..4).prop_map(|tasks| card(&tasks))
    }

    proptest! {
        /// Neither a name nor a text of a card becomes markup, and no unknown name is shown.
        #[test]
        fn the_text_of_a_file_stays_text(name in "[a-z<>&\"'\u{202e}\u{1b}]{1,12}", card in cards()) {
            let learners = vec![learner(&format!("<i>{name}"), card), unreadable("q")];
            let board = Board::new(learners, &[]);

            let (page, text) = (board.html(), board.text());

            for marked in ["<i>", "<u>", "<b>", "\u{202e}", "\u{1b}", "xyzzy"] {
                prop_assert!(!page.contains(marked), "{marked}");
                prop_assert!(!text.contains(marked), "{marked}");
            }
            prop_assert!(page.contains("&lt;i&gt;"));
        }

        /// What cannot be read is no card.
        #[test]
        fn only_cards_are_counted_as_cards(cards in 0..4_usize, others in 0..4_usize) {
            let all = (0..cards + others).map(|number| match number {
                card_number if card_number < cards => learner(&number.to_string(), card(&[])),
                _ => unreadable(&number.to_string()),
            });

            let count = Board::new(all.collect(), &[]).count();

            let start = counted(cards as u64, "card");
            let files = counted(others as u64, "file");
            let rest = if others > 0 { format!(", and {files} that cannot be read") } else { String::new() };
            prop_assert_eq!(count, start + &rest);
        }
    }

    #[test]
    fn learners_stand_by_name_with_their_results() {
        let rules = || vec![("backoff-waits", "broken"), ("one-job", "kept")];
        let learners = vec![
            learner("zoe", card(&[("down", "missed", 1, vec![])])),
            learner(
                "ann",
                card(&[
                    ("flaky", "reached", 3, rules()),
                    ("down", "reached", 4, vec![]),
                ]),
            ),
        ];

        let page = Board::new(learners, &[]).html();

        let texts = ["ann", "1 rule broken", "done", "zoe", "goal missed"];
        let places = texts.map(|text| page.find(text).expect(text));
        assert!(places.is_sorted(), "{places:?}");
        // A part of a page that scrolls by itself is at its beginning after each refresh.
        assert!(page.contains("class=\"board\"") && !page.contains("class=\"wide\""));
    }

    #[test]
    fn the_columns_are_those_of_the_cards_or_those_that_are_chosen() {
        let columns = |chosen: &[&Task]| {
            let cards = card(&[
                ("down", "reached", 1, vec![]),
                ("flaky", "reached", 1, vec![]),
            ]);
            let page = Board::new(vec![learner("ann", cards)], chosen).html();
            let titles = page.split("<th scope=\"col\">").skip(2);
            let titles = titles.filter_map(|title| Some(title.split_once('<')?.0.to_owned()));
            titles.collect::<Vec<_>>()
        };
        let chosen = ["create", "down"].map(|task| find(task).expect("a task"));

        assert_eq!(columns(&[]), ["flaky", "down"]);
        assert_eq!(columns(&chosen), ["down", "create"]);
    }

    #[test]
    fn only_cards_that_attempted_a_task_are_counted_in_it() {
        let rule = |verdict| vec![("backoff-waits", verdict)];
        let flaky = |goal, verdict, requests| card(&[("flaky", goal, requests, rule(verdict))]);
        let cards = [
            flaky("reached", "kept", 2),
            flaky("missed", "broken", 9),
            flaky("crashed", "not_exercised", 0),
            flaky("skipped", "not_exercised", 0),
            flaky("not_judged", "kept", u64::MAX),
            flaky("not_judged", "not_exercised", 0),
            card(&[]),
        ];
        let learners = cards.into_iter().map(|card| learner("ann", card));

        let text = Board::new(learners.collect(), &[]).text();

        let rows = text
            .lines()
            .map(|row| row.split_whitespace().collect::<Vec<_>>());
        let rows: Vec<_> = rows.collect();
        assert!(text.starts_with("7 cards; of those"), "{text}");
        assert!(rows.contains(&vec!["flaky", "4", "1", "2", "1"]), "{text}");
        assert!(
            rows.contains(&vec!["backoff-waits", "4", "2", "1", "1"]),
            "{text}"
        );
        assert!(text.lines().all(|row| row.chars().count() <= 80), "{text}");
    }
}
