//! Clients that people really use, as the table of graded clients has them.

use std::{collections::BTreeSet, fs, process::Command};

use serde_json::Value;

use crate::documents::document;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The rows, as `lab/clients/run` and the document name them, and whether the former asks
/// for their version. The others have the version of the machine.
const ROWS: [(&str, &str, bool); 10] = [
    ("urllib", "`urllib`", false),
    ("requests", "`requests`", true),
    ("httpx", "`httpx`", true),
    ("fetch", "`fetch`", false),
    ("got", "`got`", true),
    ("curl", "| curl ", false),
    ("wget", "| wget ", false),
    ("jdk", "`HttpClient`", false),
    ("reqwest", "| `reqwest` ", true),
    ("reqwest-retry", "`reqwest-retry`", true),
];

/// What a row says.
#[derive(Debug)]
pub(crate) struct Published {
    goals: usize,
    broken: BTreeSet<String>,
    /// Of a family of rules, as in `retry-after-…` (4), how many.
    families: Vec<(String, usize)>,
}

impl Published {
    pub(crate) fn of(row: &str) -> Self {
        let cells: Vec<_> = row.trim_matches(['|', ' ']).split(" | ").collect();
        let [_, goals, rules] = cells[..] else {
            panic!("{row} has not three cells");
        };
        let mut parts = rules.split('`').peekable();
        let (mut broken, mut families) = (BTreeSet::new(), Vec::new());
        while parts.next().is_some() {
            let Some(id) = parts.next() else { break };
            match id.strip_suffix('…') {
                None => {
                    broken.insert(id.to_owned());
                }
                Some(family) => {
                    let digits = parts.peek().expect("a number").chars();
                    let number = digits
                        .skip_while(|it| !it.is_ascii_digit())
                        .take_while(char::is_ascii_digit);
                    let number = number.collect::<String>().parse().expect("a number");
                    families.push((family.to_owned(), number));
                }
            }
        }
        Self {
            goals: goals.trim().parse().expect("a number"),
            broken,
            families,
        }
    }

    /// How many rules the client broke.
    pub(crate) fn rules_broken(&self) -> usize {
        let in_families = self.families.iter().map(|(_, number)| number);
        self.broken.len() + in_families.sum::<usize>()
    }

    /// Whether a card agrees. A rule that a busy machine hides is no difference, as long
    /// as the card says that it cannot tell.
    fn holds(&self, card: &Value) -> bool {
        let tasks = card["tasks"].as_array().expect("tasks");
        let reached = tasks
            .iter()
            .filter(|task| task["goal"]["verdict"] == "reached")
            .count();
        let with = |verdict: &str| -> BTreeSet<String> {
            let rules = tasks
                .iter()
                .flat_map(|task| task["rules"].as_array().expect("rules"));
            let rules = rules.filter(|rule| rule["verdict"] == verdict);
            let ids = rules.map(|rule| rule["id"].as_str().expect("an id").to_owned());
            ids.collect()
        };
        let (mut broken, hidden) = (with("broken"), with("cannot_tell"));
        let families = self.families.iter().all(|(family, number)| {
            let before = broken.len();
            broken.retain(|id| !id.starts_with(family));
            before - broken.len() == *number
        });
        let mut missing = self.broken.difference(&broken);
        let is_hidden = missing.all(|id| hidden.contains(id));
        reached == self.goals && families && is_hidden && broken.is_subset(&self.broken)
    }
}

/// The one row of the first table about clients that has these words.
fn row<'a>(text: &'a str, words: &str) -> &'a str {
    let table = text
        .lines()
        .skip_while(|line| !line.starts_with("| client |"));
    let lines = table.take_while(|line| line.starts_with('|'));
    let lines: Vec<_> = lines.filter(|line| line.contains(words)).collect();
    let [line] = lines[..] else {
        panic!("{} rows of {words} in {text}", lines.len());
    };
    line
}

#[test]
#[ignore = "needs Python, Node.js with npm, Java, curl, wget, PyPI and npm's registry, and takes three minutes"]
fn real_clients_do_what_the_table_says() {
    let clients = document("lab/docs/clients.md");
    let rows = ROWS.map(|(_, words, _)| row(&clients, words));
    let graded = Command::new("python3")
        .arg("lab/clients/run")
        .current_dir(ROOT)
        .output()
        .expect("Python runs");

    let stderr = String::from_utf8_lossy(&graded.stderr);
    assert!(graded.status.success(), "{stderr}");
    let table = String::from_utf8(graded.stdout).expect("text");
    for ((name, _, is_asked_for), published) in ROWS.into_iter().zip(rows) {
        let graded = row(&table, &format!("| {name} |"));
        let card = fs::read_to_string(format!("{ROOT}/target/clients/{name}.json"));
        let card = serde_json::from_str(&card.expect("a card")).expect("JSON");

        let held = Published::of(published);
        assert!(held.holds(&card), "{held:?}\n{graded}\n{published}");
        let version = graded.split(" | ").nth(1).expect("a version");
        let numbers = version.split(' ').filter(|word| word.contains('.'));
        for number in numbers.filter(|_| is_asked_for) {
            assert!(published.contains(number), "{number} is not in {published}");
        }
    }
}
