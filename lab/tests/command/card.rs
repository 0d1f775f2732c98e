//! The outputs of a card: files for CI and for people, and the summary of a class.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use roxmltree::{Document, Node};
use tempfile::tempdir;

use crate::command::{
    Ended, assert_contains, assert_fits_80_columns, command,
    grade::{HASTY, grade, reliable},
    proxy::api,
};

/// The elements of this name, in order.
#[cfg(unix)]
fn named<'a>(document: &'a Document<'a>, name: &str) -> impl Iterator<Item = Node<'a, 'a>> {
    document
        .descendants()
        .filter(move |node| node.has_tag_name(name))
}

/// The client retries too early, and what it prints is meant for no terminal, no XML and no
/// page.
#[cfg(unix)]
#[test]
fn a_card_is_printed_and_written_as_junit_and_as_a_report() {
    let folder = tempdir().expect("a folder");
    let files = ["known.txt", "card.xml", "card.html"];
    let [known, junit, report] = files.map(|name| folder.path().join(name));
    fs::write(&known, "request-headers\nretry-after-seconds").expect("written");
    let options = format!(
        "--task retry-after --known-failing {} --junit {} --report {}",
        known.display(),
        junit.display(),
        report.display()
    );
    let [bash, c, script] = HASTY;
    let prints = r#"
        printf '\001\033[2J<script>&"]]>\357\277\277\377\302\233\342\200\250\342\200\256'
        printf '\007<!--' >&2"#;

    let ended = grade(&options, &[bash, c, &format!("{script}; echo; {prints}")]);

    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let said = ["report written to", "'request-headers' did not fail"];
    assert_contains(&ended.stderr, &said);
    assert_shows_the_requests(&ended.stdout);
    assert_lists_goal_and_rules(&fs::read_to_string(junit).expect("written"));
    assert_is_a_page(&fs::read_to_string(report).expect("written"));
}

/// No control, no separator of lines, and no override of the direction of text.
#[cfg(unix)]
fn assert_harmless(text: &str) {
    let harms = |sign: char| sign.is_control() && sign != '\n';
    assert!(!text.contains(harms), "{text}");
    assert!(!text.contains(['\u{2028}', '\u{202e}']), "{text}");
}

#[cfg(unix)]
fn assert_shows_the_requests(text: &str) {
    let found = [
        "broken: retry-after-cut-body",
        "known to fail: retry-after-seconds",
        "Retry-After: 2 s",
        "too early",
        "retry-after-cut-body: asked for 2 s, retried after",
        "rule retry-after-cut-body",
    ];
    assert_contains(text, &found);
    assert_fits_80_columns(&text.replace(env!("CARGO_BIN_EXE_lab"), "lab"));
    assert_harmless(text);
}

#[cfg(unix)]
fn assert_lists_goal_and_rules(xml: &str) {
    let report = Document::parse(xml).expect("XML");
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
        ("goal", "failure", "??[2J<script>&\"]]>"),
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
        assert!(found.2.contains(says), "{found:?}");
    }
    let printed = named(&report, "system-err").next().expect("its stderr");
    assert_eq!(printed.text(), Some("?<!--"));
    assert_harmless(xml);
    assert!(!xml.contains('\u{ffff}'), "{xml}");
}

#[cfg(unix)]
fn assert_is_a_page(page: &str) {
    let found = [
        "default-src 'none'; style-src 'sha256-",
        "asked for 2 s, retried after",
        "RFC 9110 §10.2.3",
        "standard",
        "503  Retry-After: 2 s",
        "retry-after-seconds, known to fail",
        "✗ retry-after-cut-body",
        "&lt;script&gt;",
    ];
    assert_contains(page, &found);
    assert_harmless(page);
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
    let (_, cases) = page.split_once("<div class=\"case\">").expect("cases");
    assert_eq!(cases.matches("<rect class=\"bar ").count(), 12);
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let ended = grade("--task flaky --junit no-such-folder/card", &[&reliable()]);

    assert_eq!((ended.code, &*ended.stdout), (Some(3), ""));
    let said = "could not be written to no-such-folder/card";
    assert_contains(&ended.stderr, &[said]);
}

/// Each command refuses before it runs anything.
#[cfg(unix)]
#[test]
fn a_file_that_holds_something_else_is_kept_by_every_command() {
    let folder = tempdir().expect("a folder");
    let content = "backoff-waits\n";
    let client = "echo '{\"skip\": true}'";
    for (name, text) in [("list", content), ("client.sh", client), ("empty", "")] {
        fs::write(folder.path().join(name), text).expect("written");
    }
    let api = api();
    let proxy = |options: &str| format!("proxy {api} --set API_URL {options} -- true");
    for arguments in [
        "scenario flaky --report list".to_owned(),
        "scenario flaky --compare --report list".to_owned(),
        "storm --report ./list".to_owned(),
        "grade --summary . --report list".to_owned(),
        "grade --report client.sh -- sh client.sh".to_owned(),
        "grade --junit client.sh -- sh client.sh".to_owned(),
        "grade --known-failing list --report list -- true".to_owned(),
        "grade --known-failing empty --junit ./empty -- true".to_owned(),
        "grade --junit new --report ./new -- true".to_owned(),
        proxy("--report list"),
        proxy("--junit list"),
        proxy("--junit new --report ./new"),
        proxy("--known-failing empty --report empty"),
        proxy("--fault-body empty --report empty"),
        proxy("--cacert empty --report empty"),
    ] {
        let ended = Ended::of(command(&arguments).current_dir(&folder));

        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{arguments}");
        let names = ["list", "client.sh", "empty", "new"];
        let is_named = names.iter().any(|name| ended.stderr.contains(name));
        assert!(is_named, "{arguments}: {}", ended.stderr);
    }
    let files = fs::read_dir(&folder).expect("a folder");
    assert_eq!(files.count(), 3);
    for (name, text) in [("list", content), ("client.sh", client), ("empty", "")] {
        let kept = fs::read_to_string(folder.path().join(name)).expect("a file");
        assert_eq!(kept, text, "{name}");
    }
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
    let read_all = grade("--json --task read-all", &[&reliable()]).stdout;
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
