//! The outputs of a card: files for CI and for people, and the summary of a class.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use roxmltree::{Document, Node};
use serde_json::Value;
use tempfile::tempdir;

use crate::command::{
    Ended, assert_contains, assert_fits_80_columns, command,
    grade::{HASTY, grade, reliable},
    lab,
};

/// The printed card of the reference client, with these options.
fn card(options: &str) -> Value {
    let graded = grade(&format!("--json --seed 7 {options}"), &[&reliable()]);
    serde_json::from_str(&graded.stdout).expect("a card")
}

/// Grades a client that breaks a rule, with an option that writes the card to a file, and
/// reads that file.
fn written(option: &str, client: &[&str]) -> (Ended, String) {
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("card");
    let options = format!("--task retry-after {option} {}", file.display());
    let ended = grade(&options, client);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    (ended, fs::read_to_string(file).expect("it was written"))
}

/// The elements of this name, in order.
#[cfg(unix)]
fn named<'a>(document: &'a Document<'a>, name: &str) -> impl Iterator<Item = Node<'a, 'a>> {
    document
        .descendants()
        .filter(move |node| node.has_tag_name(name))
}

#[cfg(unix)]
#[test]
fn junit_lists_each_goal_and_each_rule() {
    let folder = tempdir().expect("a folder");
    let known = folder.path().join("known.txt");
    fs::write(&known, "request-headers\nretry-after-seconds").expect("written");
    let options = format!("--known-failing {} --junit", known.display());

    let (ended, xml) = written(&options, &HASTY);

    let said = ["report written to", "'request-headers' did not fail"];
    assert_contains(&ended.stderr, &said);
    let report = Document::parse(&xml).expect("XML");
    let suite = named(&report, "testsuite").next().expect("a suite");
    assert_eq!(suite.attribute("name"), Some("retry-after"));
    let cases = named(&report, "testcase").map(|case| {
        let child = case.children().find(Node::is_element);
        let became = child.map_or("success", |child| child.tag_name().name());
        let said = child.and_then(|child| child.attribute("message"));
        let name = case.attribute("name").expect("a name");
        (name, became, said.unwrap_or_default())
    });
    let cases: Vec<_> = cases.collect();
    for (name, became, says) in [
        ("goal", "success", ""),
        (
            "retry-after-seconds",
            "skipped",
            "known to fail: asked for 2 s",
        ),
        (
            "retry-after-cut-body",
            "failure",
            "asked for 2 s, retried after",
        ),
        (
            "request-headers",
            "failure",
            "on the list of known failures, but did not fail",
        ),
    ] {
        let found = cases.iter().find(|case| case.0 == name).expect(name);
        assert_eq!(found.1, became, "{found:?}");
        assert!(found.2.starts_with(says), "{found:?}");
    }
}

#[cfg(unix)]
#[test]
fn junit_is_valid_for_any_output_of_a_client() {
    let [bash, c, script] = HASTY;
    let prints = r#"printf '\001\033[2J<&"]]>\357\277\277\377'; printf '\007<!--' >&2"#;
    let client = [bash, c, &format!("{script}; echo; {prints}")];

    let (_, xml) = written("--junit", &client);

    let report = Document::parse(&xml).expect("XML");
    let missed = named(&report, "failure").next().expect("a missed goal");
    let message = missed.attribute("message").expect("what was found");
    assert!(message.contains("??[2J<&\"]]>"), "{message}");
    let printed = named(&report, "system-err")
        .next()
        .expect("what it printed");
    assert_eq!(printed.text(), Some("?<!--"));
    let control = |sign: char| sign.is_control() && sign != '\n';
    assert!(!xml.contains(control) && !xml.contains('\u{ffff}'), "{xml}");
}

#[cfg(unix)]
#[test]
fn a_report_shows_the_card_and_every_request() {
    let [bash, c, script] = HASTY;
    let client = [bash, c, &format!("{script}; echo; echo '<script>'")];

    let (_, page) = written("--report", &client);

    let policy = "default-src 'none'; style-src 'sha256-";
    let found = [
        policy,
        "retry-after-seconds",
        "asked for 2 s, retried after",
        "RFC 9110 §10.2.3",
        "standard",
        "GET  503  Retry-After: 2 s",
        "✗ retry-after-seconds",
        ": &lt;script&gt;; expected",
    ];
    assert_contains(&page, &found);
    for loads in ["<script", " src=", " href=\"http"] {
        assert!(!page.contains(loads), "{loads}");
    }
    for label in ["aria-labelledby=\"", "href=\"#"] {
        for rest in page.split(label).skip(1) {
            let (id, _) = rest.split_once('"').expect("its end");
            assert!(page.contains(&format!(" id=\"{id}\"")), "{id}");
        }
    }
    // Two requests in each case, and the wait between them, each with a bar.
    assert_eq!(page.matches("<rect class=\"bar ").count(), 12);
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    for option in ["--junit", "--report"] {
        let options = format!("--task flaky {option} no-such-folder/card");
        let ended = grade(&options, &[&reliable()]);

        assert_eq!(ended.code, Some(3), "{option}");
        assert_eq!(ended.stdout, "", "{option}: nothing was run");
        let said = "could not be written to no-such-folder/card";
        assert_contains(&ended.stderr, &[said]);
    }
}

#[test]
fn the_cards_of_a_folder_are_counted_without_names() {
    let folder = tempdir().expect("a folder");
    let read_all = card("--task read-all").to_string();
    let lost_response = card("--task lost-response").to_string();
    for (file, card) in [
        ("anna.json", &read_all),
        ("bert.json", &read_all),
        ("cleo.json", &lost_response),
    ] {
        fs::write(folder.path().join(file), card).expect("written");
    }
    let summary = |options: &str| {
        let folder = folder.path().display();
        lab(&format!("grade --summary {folder} {options}"))
    };

    let (counted, of_one) = (summary(""), summary("--task read-all"));

    assert_eq!(counted.code, Some(0), "{}", counted.stderr);
    assert_fits_80_columns(&counted.stdout);
    assert!(counted.stdout.starts_with("3 cards;"), "{}", counted.stdout);
    let words: Vec<_> = counted.stdout.split_whitespace().collect();
    let counts = [
        "read-all 2 2 0 0",
        "lost-response 1 1 0 0",
        "one-job 1 1 0 0",
    ];
    assert_contains(&words.join(" "), &counts);
    assert!(!counted.stdout.contains("anna"));
    assert!(
        !of_one.stdout.contains("lost-response"),
        "{}",
        of_one.stdout
    );
}

#[cfg(unix)]
#[test]
fn a_board_follows_the_cards_of_a_folder_until_ctrl_c() {
    let folder = tempdir().expect("a folder");
    let (cards, board) = (
        folder.path().join("cards"),
        folder.path().join("board.html"),
    );
    fs::create_dir(&cards).expect("a folder");
    let read_all = card("--task read-all").to_string();
    fs::write(cards.join("anna.json"), &read_all).expect("written");
    fs::write(cards.join("notes.json"), "[]").expect("written");
    let lab = command("grade --watch --summary")
        .args([&cards, Path::new("--report"), &board])
        .spawn()
        .expect("lab runs");
    let until = |words: &str| {
        let start = Instant::now();
        while !fs::read_to_string(&board).is_ok_and(|page| page.contains(words)) {
            assert!(start.elapsed() < Duration::from_secs(60), "no {words}");
            thread::sleep(Duration::from_millis(20));
        }
    };

    until("anna");
    fs::write(cards.join("berta.json"), &read_all).expect("written");
    until("berta");
    testkit::process::signal(lab.id(), "INT");
    let ended = Ended::from(lab.wait_with_output().expect("lab ends"));

    let page = fs::read_to_string(&board).expect("a page");
    assert_contains(&page, &["read-all", "done", "notes", "cannot be read"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_contains(&ended.stderr, &["notes cannot be read"]);
    assert_contains(&ended.stdout, &["2 cards, and 1 file that cannot be read"]);
}
