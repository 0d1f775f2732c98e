//! The cards of a class as a table.

use render::fit;
use wire::counted;

use crate::Summary;

/// The width of names.
const NAME: usize = 27;

/// Renders a summary as a table in 80 columns: of the cards that attempted a task, how
/// many reached its goal and kept each of its rules.
#[must_use]
pub fn summary(summary: &Summary) -> String {
    let cards = counted(summary.cards as u64, "card");
    let mut text = format!("{cards}; of those that attempted a task:\n");
    text += &row(
        "",
        "attempted",
        "reached or kept",
        "missed or broken",
        "neither",
    );
    for task in &summary.tasks {
        text += &counts(&task.task, task.attempted, task.reached, task.missed);
        for rule in &task.rules {
            let name = format!("  {}", rule.id);
            text += &counts(&name, rule.attempted, rule.kept, rule.broken);
        }
    }
    text
}

fn counts(name: &str, attempted: usize, good: usize, bad: usize) -> String {
    // The text of a card is untrusted.
    let name = fit(name, NAME - 1, true);
    let [all, good, bad, open] =
        [attempted, good, bad, attempted - good - bad].map(|count| count.to_string());
    row(&name, &all, &good, &bad, &open)
}

fn row(name: &str, attempted: &str, good: &str, bad: &str, open: &str) -> String {
    format!("{name:<NAME$}{attempted:>9}  {good:>15}  {bad:>16}  {open:>7}\n")
}
