//! Clients that people really use, as the README's table has them.

use std::process::Command;

/// The rows whose programs the checks have anyway, as `lab/clients/run` and the README
/// name them.
const ROWS: [(&str, &str); 3] = [
    ("urllib", "`urllib`"),
    ("fetch", "`fetch`"),
    ("curl", "curl "),
];

/// How many goals a row says were reached, and which rules were broken. A rule of a
/// family is written with the number of those that were, as in `retry-after-…` (4).
fn found(row: &str) -> (String, Vec<String>) {
    let cells: Vec<_> = row.trim_matches(['|', ' ']).split(" | ").collect();
    let [.., goals, rules] = &cells[..] else {
        panic!("{row} has too few cells");
    };
    let goals = goals.split(':').next().unwrap_or_default();
    let ids = rules
        .split([' ', ',', '`'])
        .filter(|word| word.contains('-'));
    (goals.trim().to_owned(), ids.map(str::to_owned).collect())
}

#[test]
#[ignore = "needs Python, Node.js and curl, and takes half a minute"]
fn real_clients_do_what_the_table_says() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let readme = std::fs::read_to_string(format!("{root}/README.md")).expect("a README");
    let (names, _): (Vec<_>, Vec<_>) = ROWS.into_iter().unzip();

    let graded = Command::new("python3")
        .arg("lab/clients/run")
        .args(names)
        .current_dir(root)
        .output()
        .expect("Python runs");

    let stderr = String::from_utf8_lossy(&graded.stderr);
    assert!(graded.status.success(), "{stderr}");
    let table = String::from_utf8(graded.stdout).expect("text");
    for (name, words) in ROWS {
        let row = |text: &str, start: &str| {
            let mut lines = text.lines();
            let line = lines.find(|line| line.starts_with('|') && line.contains(start));
            line.unwrap_or_else(|| panic!("no row of {start} in {text}"))
                .to_owned()
        };
        let (published, graded) = (row(&readme, words), row(&table, &format!("| {name} |")));

        assert_eq!(found(&graded), found(&published), "{graded}\n{published}");
    }
}
