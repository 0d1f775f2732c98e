//! The board of a class: a row for each card of a folder, and a count of all of them.
//!
//! A card is a file from another person. Only verdicts are taken from it, and the names of
//! tasks and rules that this lab knows. The name of a learner is that of the file, and is shown
//! as text.

use std::time::Duration;

use judge::rules::Verdict;
use maud::{Markup, html as markup};
use render::{
    Table, TableRow, fit, number,
    page::{marked, panel, refreshing_document, table},
    words,
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
        learners.sort_by_cached_key(|learner| (natural(&learner.name), learner.name.clone()));
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

    /// Of the cards that attempted a task, how many reached its goal and kept each of its rules.
    fn totals(&self) -> Vec<Total> {
        let mut totals = Vec::new();
        for task in &self.tasks {
            let name = task.words.name;
            let attempted: Vec<_> = self
                .cards()
                .filter_map(|card| card.task(name))
                .filter(|task| task.was_attempted())
                .collect();
            let goals = attempted.iter().map(|task| task.goal.verdict.as_verdict());
            totals.push(Total::of(name, false, goals));
            for rule in task.rules() {
                let judged = attempted.iter().flat_map(|task| &task.rules);
                let judged = judged.filter(|judged| judged.id == rule.id);
                let verdicts = judged.map(|judged| judged.verdict);
                totals.push(Total::of(rule.id, true, verdicts));
            }
        }
        totals
    }

    /// The rule that most cards broke in a task, in a sentence; none if none was broken.
    fn most_broken(&self) -> Option<String> {
        let totals = self.totals();
        let rules = totals.iter().filter(|total| total.is_rule && total.bad > 0);
        // The first of several that were broken as often.
        let worst = rules.rev().max_by_key(|total| total.bad)?;
        let Total { name, bad, all, .. } = worst;
        Some(format!("broken most often: {name}, by {bad} of {all}"))
    }

    /// Renders the totals as a table in 80 columns.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}; of those that attempted a task:\n", self.count());
        text += &row("", TOTALS);
        for total in self.totals() {
            let indent = if total.is_rule { "  " } else { "" };
            let numbers = total.numbers();
            let numbers = numbers.each_ref().map(String::as_str);
            text += &row(&format!("{indent}{}", total.name), numbers);
        }
        if let Some(most_broken) = self.most_broken() {
            text += &format!("{most_broken}\n");
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
                    p.result { (self.count()) }
                }
                main {
                    (panel("learners", "Learners", "by name, not by rank", &self.results()))
                    (panel(
                        "totals",
                        "Goals and rules",
                        self.most_broken().unwrap_or_default(),
                        &self.totals_table(),
                    ))
                }
                footer {
                    p { "This page reads itself again every " (REFRESH.as_secs()) " s." }
                }
            },
        )
    }

    /// The result of each learner in each task.
    fn results(&self) -> Markup {
        let totals = self.totals();
        let goals: Vec<_> = totals.iter().filter(|total| !total.is_rule).collect();
        markup! {
            table.board {
                caption.unseen { "The result of each learner in each task" }
                thead { tr {
                    th scope="col" { "learner" }
                    @for task in &self.tasks { th scope="col" { (task.words.name) } }
                } }
                tbody {
                    tr.all {
                        th scope="row" { "goals reached" }
                        @for goal in goals { td { (goal.good) " of " (goal.all) } }
                    }
                    @for learner in &self.learners { (self.learner(learner)) }
                }
            }
        }
    }

    fn totals_table(&self) -> Markup {
        let [attempted, good, bad, cannot_tell] = TOTALS.map(number);
        let rows = self.totals().into_iter().map(|total| {
            let [attempted, good, bad, cannot_tell] = total.numbers().map(Some);
            let indent = if total.is_rule {
                "\u{a0}\u{a0}\u{a0}"
            } else {
                ""
            };
            let name = Some(format!("{indent}{}", total.name));
            TableRow {
                cells: vec![name, attempted, good, bad, cannot_tell],
                failed: false,
            }
        });
        let of = Table {
            columns: vec![words("task, rule"), attempted, good, bad, cannot_tell],
            rows: rows.collect(),
        };
        let caption = "Of the cards that attempted a task. A rule that was not exercised, or that a client skipped, is in no column but the first.";
        table(None, ("totals-caption", caption), &of)
    }

    fn learner(&self, learner: &Learner) -> Markup {
        markup! {
            tr {
                th scope="row" { (fit(&learner.name, LONGEST, false)) }
                @match &learner.card {
                    Ok(card) => {
                        @for task in &self.tasks {
                            td { @if let Some(printed) = card.task(task.words.name) { (result(task, printed)) } }
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

/// The verdicts of a class on a goal or a rule.
struct Total {
    name: &'static str,
    is_rule: bool,
    all: usize,
    good: usize,
    bad: usize,
    cannot_tell: usize,
}

/// The titles of its numbers.
const TOTALS: [&str; 4] = ["attempted", "reached/kept", "missed/broken", "cannot tell"];

impl Total {
    fn of(name: &'static str, is_rule: bool, verdicts: impl Iterator<Item = Verdict>) -> Self {
        let verdicts: Vec<_> = verdicts.collect();
        let of = |verdict| verdicts.iter().filter(|found| **found == verdict).count();
        Self {
            name,
            is_rule,
            all: verdicts.len(),
            good: of(Verdict::Kept),
            bad: of(Verdict::Broken),
            cannot_tell: of(Verdict::CannotTell),
        }
    }

    fn numbers(&self) -> [String; 4] {
        [self.all, self.good, self.bad, self.cannot_tell].map(|number| number.to_string())
    }
}

fn row(name: &str, [attempted, good, bad, cannot_tell]: [&str; 4]) -> String {
    format!("{name:<NAME$}{attempted:>9}  {good:>12}  {bad:>13}  {cannot_tell:>11}\n")
}

/// A key that sorts names as people do: `student-2` stands before `student-10`.
fn natural(name: &str) -> Vec<(bool, usize, String)> {
    let letters: Vec<_> = name.to_lowercase().chars().collect();
    let runs = letters.chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit());
    let keys = runs.map(|run| {
        let text: String = run.iter().collect();
        if text.starts_with(|letter: char| letter.is_ascii_digit()) {
            let digits = text.trim_start_matches('0').to_owned();
            (false, digits.len(), digits)
        } else {
            (true, 0, text)
        }
    });
    keys.collect()
}

/// The result of a task: its goal, then each rule that was broken or cannot be told. A rule that
/// this lab does not know is not named.
fn result(task: &Task, printed: &PrintedTask) -> Markup {
    let judged = |id: &str, verdict| {
        let mut rules = printed.rules.iter();
        rules.any(|rule| rule.id == id && rule.verdict == verdict)
    };
    let with = |verdict| task.rules().filter(move |rule| judged(rule.id, verdict));
    let is_clean = printed
        .rules
        .iter()
        .all(|rule| rule.verdict != Verdict::Broken);
    markup! {
        @match printed.goal.verdict {
            GoalVerdict::Reached if !is_clean => {},
            GoalVerdict::Reached => div { (marked(Some(true), "done")) },
            GoalVerdict::Missed | GoalVerdict::Crashed => div { (marked(Some(false), "goal missed")) },
            GoalVerdict::Skipped => div { "skipped" },
            GoalVerdict::NotJudged if printed.was_attempted() => div { (marked(None, "goal: cannot tell")) },
            GoalVerdict::NotJudged => div { "not attempted" },
        }
        @for rule in with(Verdict::Broken) { div { (marked(Some(false), rule.id)) } }
        @if !is_clean && with(Verdict::Broken).next().is_none() { div { (marked(Some(false), "an unknown rule")) } }
        @for rule in with(Verdict::CannotTell) {
            div { (marked(None, format_args!("{}: cannot tell", rule.id))) }
        }
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

        let texts = ["ann", "backoff-waits", "done", "zoe", "goal missed"];
        let places = texts.map(|text| page.find(text).expect(text));
        assert!(places.is_sorted(), "{places:?}");
        // A part of a page that scrolls by itself is at its beginning after each refresh.
        let (board, _) = page.split_once("</table>").expect("the board");
        assert!(board.contains("class=\"board\"") && !board.contains("class=\"wide\""));
    }

    #[test]
    fn names_stand_in_the_order_in_which_people_count() {
        let expected = [
            "3",
            "ann",
            "Ben",
            "student-2",
            "student-9",
            "student-010",
            "student-10b",
        ];
        let mut names = expected.map(str::to_owned);
        names.reverse();
        let learners = names.iter().map(|name| learner(name, card(&[])));

        let board = Board::new(learners.collect(), &[]);

        let sorted = board.learners.iter().map(|learner| &*learner.name);
        assert_eq!(sorted.collect::<Vec<_>>(), expected);
    }

    /// Every verdict is shown as what it is: by the name of its rule, or by its own words.
    #[test]
    fn a_cell_names_what_was_broken_and_what_cannot_be_told() {
        let cell = |goal, verdict| {
            let rules = vec![("backoff-jitter", verdict), ("xyzzy", "cannot_tell")];
            let cards = card(&[("flaky", goal, 3, rules)]);
            let board = Board::new(vec![learner("ann", cards)], &[]);
            let page = board.html();
            let (_, cell) = page.split_once(">ann</th><td>").expect("the row");
            let (cell, _) = cell.split_once("</td>").expect("its end");
            let texts = cell.split('<').filter_map(|part| part.split_once('>'));
            texts.map(|(_, text)| text).collect::<String>()
        };

        for (goal, verdict, shown) in [
            ("reached", "kept", "✓ done"),
            ("reached", "not_exercised", "✓ done"),
            ("reached", "broken", "✗ backoff-jitter"),
            (
                "reached",
                "cannot_tell",
                "✓ done· backoff-jitter: cannot tell",
            ),
            ("missed", "kept", "✗ goal missed"),
            ("missed", "broken", "✗ goal missed✗ backoff-jitter"),
            (
                "crashed",
                "cannot_tell",
                "✗ goal missed· backoff-jitter: cannot tell",
            ),
            ("skipped", "not_exercised", "skipped"),
            ("not_judged", "kept", "· goal: cannot tell"),
        ] {
            assert_eq!(cell(goal, verdict), shown, "{goal}, {verdict}");
        }
    }

    #[test]
    fn the_rule_that_was_broken_most_often_is_named() {
        let broken = |rules: &[&'static str]| {
            let rules = rules.iter().map(|id| (*id, "broken"));
            learner("ann", card(&[("flaky", "reached", 3, rules.collect())]))
        };
        let board = |learners: Vec<Learner>| Board::new(learners, &[]);
        let some = board(vec![
            broken(&["backoff-waits", "backoff-jitter"]),
            broken(&["backoff-jitter"]),
            broken(&[]),
        ]);

        let said = "broken most often: backoff-jitter, by 2 of 2";
        assert!(some.text().contains(said), "{}", some.text());
        assert!(some.html().contains(said));
        assert_eq!(board(vec![broken(&[])]).most_broken(), None);
    }

    #[test]
    fn the_columns_are_those_of_the_cards_or_those_that_are_chosen() {
        let columns = |chosen: &[&Task]| {
            let cards = card(&[
                ("down", "reached", 1, vec![]),
                ("flaky", "reached", 1, vec![]),
            ]);
            let page = Board::new(vec![learner("ann", cards)], chosen).html();
            let (board, _) = page.split_once("</table>").expect("the board");
            let titles = board.split("<th scope=\"col\">").skip(2);
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
            flaky("reached", "cannot_tell", 2),
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
        assert!(text.starts_with("8 cards; of those"), "{text}");
        assert!(rows.contains(&vec!["flaky", "5", "2", "2", "1"]), "{text}");
        assert!(
            rows.contains(&vec!["backoff-waits", "5", "2", "1", "1"]),
            "{text}"
        );
        assert!(text.lines().all(|row| row.chars().count() <= 80), "{text}");
    }
}
