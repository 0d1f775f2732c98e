//! A storm at several loads as text: a table with a row for each policy and a column for each
//! load.

use anstyle::AnsiColor;
use render::{Options, Sheet};

use super::{NAME, conditions_at, explain_no_word, rows, sentences};
use crate::{
    LoadCell, LoadTable, Settings,
    results::figures::{moment, rate},
};

/// The question that a table answers.
pub(crate) const QUESTION: &str = "At which load does each policy let the service recover?";

/// The blanks between two columns.
const GAP: usize = 2;

/// Renders a table of loads.
#[must_use]
pub fn storm_loads(table: &LoadTable, options: &Options) -> String {
    Sheet::filled(options, |sheet| {
        sheet.title(QUESTION);
        sentences(
            sheet,
            &format!("{}.", conditions(&table.settings).join("; ")),
        );
        let policies = table.policies.iter().map(|row| &row.policy);
        sheet.beside("", &format!("Rows: {}.", rows(table.story, policies)));
        cells(sheet, table);
        sentences(sheet, &legend(table));
        explain_no_word(sheet, &table.no_word);
        if let Some(early) = ended_early(table) {
            sheet.line(&early);
        }
        if let Some((policy, cell)) = example(table) {
            let load = rate(cell.calls_per_second);
            sheet.line(&format!(
                "To see a cell as a storm, such as {policy} at {load} calls/s:"
            ));
            sheet.line(&format!("  {} {}", sheet.options.lab, cell.command));
        }
    })
}

/// The conditions of all loads.
pub(crate) fn conditions(settings: &Settings) -> Vec<String> {
    let spike = format!("{} times as many", rate(settings.spike));
    conditions_at(
        settings,
        "The usual load is that of the column, in calls/s".to_owned(),
        spike,
    )
}

/// What a cell says.
pub(crate) fn legend(table: &LoadTable) -> String {
    let [length, longer] = [table.settings, table.settings.longer()].map(|of| moment(of.length));
    format!(
        "A cell: the results of {} seeds. ok: at {length}, or else at {longer}, at least nine \
         tenths as many calls succeed as before the incident; DOWN: less than half; degraded: \
         between.",
        table.seeds
    )
}

/// How far the table came, if it ended early.
pub(crate) fn ended_early(table: &LoadTable) -> Option<String> {
    let (simulated, all) = table.runs();
    let text = format!("It ended early: {simulated} of {all} runs are counted.");
    (simulated < all).then_some(text)
}

/// The cell that shows most: the first whose seeds differ, or the first without a recovery.
fn example(table: &LoadTable) -> Option<(&str, &LoadCell)> {
    let cells = table.policies.iter().flat_map(|row| {
        let name = &*row.policy.name;
        row.cells.iter().map(move |cell| (name, cell))
    });
    let differs = |(_, cell): &(_, &LoadCell)| {
        let words = &cell.words;
        let came = [words.ok, words.degraded, words.down];
        came.into_iter().filter(|count| *count > 0).count() > 1
    };
    let is_bad = |(_, cell): &(_, &LoadCell)| cell.is_good() == Some(false);
    let mut by_interest = [cells.clone().find(differs), cells.clone().find(is_bad)].into_iter();
    by_interest.find_map(|cell| cell).or(cells.clone().next())
}

/// A load: its heading, and the cells below it.
struct Column<'a> {
    heading: String,
    cells: Vec<&'a LoadCell>,
}

impl Column<'_> {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.text().len());
        cells.chain([self.heading.len()]).max().unwrap_or(0) + GAP
    }
}

/// The rows, with as many loads beside each other as there is room for.
fn cells(sheet: &mut Sheet<'_>, table: &LoadTable) {
    let loads = table.policies.first().map_or(&[][..], |row| &row.cells);
    let columns = loads.iter().enumerate().map(|(number, cell)| Column {
        heading: rate(cell.calls_per_second),
        cells: table
            .policies
            .iter()
            .filter_map(|row| row.cells.get(number))
            .collect(),
    });
    let columns: Vec<_> = columns.collect();
    let mut rest = &columns[..];
    while !rest.is_empty() {
        let mut room = sheet.width().saturating_sub(NAME);
        let fitting = rest.iter().take_while(|column| {
            let fits = column.width() <= room;
            room = room.saturating_sub(column.width());
            fits
        });
        // A column without room is shown alone.
        let (shown, later) = rest.split_at(fitting.count().max(1));
        let is_first = rest.len() == columns.len();
        let heading = if is_first {
            "calls/s"
        } else {
            "calls/s (more)"
        };
        rest = later;
        let headings = shown
            .iter()
            .map(|column| format!("{:<1$}", column.heading, column.width()));
        sheet.line(&format!(
            "{:<NAME$}{}",
            heading,
            headings.collect::<String>()
        ));
        for (number, row) in table.policies.iter().enumerate() {
            let cells = shown.iter().filter_map(|column| {
                let cell = column.cells.get(number)?;
                let color = match cell.is_good() {
                    Some(true) => AnsiColor::Green,
                    Some(false) => AnsiColor::Red,
                    None => AnsiColor::Yellow,
                };
                let text = format!("{:<1$}", cell.text(), column.width());
                Some(sheet.styled(color.on_default(), &text))
            });
            let cells: String = cells.collect();
            sheet.line(&format!("{:<NAME$}{cells}", row.policy.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{LoadRow, STORIES, WordCounts, results::word::NoWord};

    /// A table of so many loads, with the counts of each cell from its number.
    fn table(loads: usize, counts: fn(usize) -> (usize, usize)) -> LoadTable {
        let story = &STORIES[0];
        let rows = story.policies.iter().enumerate().map(|(row, policy)| {
            let cells = (0..loads).map(|column| {
                let (ok, down) = counts(row * loads + column);
                LoadCell {
                    calls_per_second: 10.0 * (column + 1) as f64,
                    words: WordCounts {
                        ok,
                        down,
                        ..WordCounts::default()
                    },
                    cut_short: 0,
                    command: format!("storm {row} {column}"),
                }
            });
            LoadRow {
                policy: policy.clone(),
                cells: cells.collect(),
            }
        });
        LoadTable {
            schema_version: 1,
            story,
            settings: story.settings,
            generator: "",
            seed: 1,
            seeds: 10,
            policies: rows.collect(),
            no_word: BTreeSet::new(),
        }
    }

    #[test]
    fn loads_without_room_follow_below_and_every_cell_is_shown() {
        for loads in 1..30 {
            let table = table(loads, |cell| (cell, 1));

            let text = storm_loads(&table, &Options::default());

            assert!(
                text.lines().all(|line| line.chars().count() <= 80),
                "{text}"
            );
            let headings = text
                .lines()
                .filter_map(|line| line.strip_prefix("calls/s"))
                .map(|line| line.strip_prefix(" (more)").unwrap_or(line));
            let headings: Vec<_> = headings.flat_map(str::split_whitespace).collect();
            let expected: Vec<_> = (1..=loads).map(|load| (10 * load).to_string()).collect();
            assert_eq!(headings, expected);
            for row in &table.policies {
                let name = format!("{:<NAME$}", row.policy.name);
                let shown: Vec<_> = text
                    .lines()
                    .filter_map(|line| line.strip_prefix(&name))
                    .collect();
                let cells: Vec<_> = row.cells.iter().map(LoadCell::text).collect();
                let shown: Vec<_> = shown
                    .iter()
                    .flat_map(|line| line.split_whitespace())
                    .collect();
                assert_eq!(shown.join(" "), cells.join(" "));
            }
        }
    }

    #[test]
    fn the_example_is_the_first_cell_whose_seeds_differ_or_that_is_down() {
        let command = |counts| {
            let text = storm_loads(&table(2, counts), &Options::default());
            text.lines().last().expect("a line").to_owned()
        };

        assert!(command(|cell| (10 - cell, cell)).ends_with(" storm 0 1"));
        assert!(command(|cell| if cell == 3 { (0, 10) } else { (10, 0) }).ends_with(" storm 1 1"));
        assert!(command(|_| (10, 0)).ends_with(" storm 0 0"));
    }

    #[test]
    fn a_table_says_that_it_ended_early_and_why_a_word_is_missing() {
        let mut table = table(2, |cell| (cell, 0));
        table.no_word = BTreeSet::from([NoWord::NoIncident]);

        let text = storm_loads(&table, &Options::default());
        let page = crate::html_loads(&table);

        for said in [&text, &page] {
            assert!(
                said.contains("It ended early: 28 of 80 runs are counted."),
                "{said}"
            );
            assert!(said.contains("No word: there is no incident."), "{said}");
        }
        assert!(text.contains("\n1 attempt       -     ok 1\n"), "{text}");
        for row in &table.policies {
            for cell in &row.cells {
                assert!(
                    page.contains(&cell.text()) && page.contains(&cell.command),
                    "{page}"
                );
            }
        }
    }
}
