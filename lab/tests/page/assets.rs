//! What can be said of the page's files without a browser.

use std::{collections::BTreeMap, fs};

use super::stage::assets;

fn files() -> BTreeMap<String, String> {
    let entries = fs::read_dir(assets()).expect("the folder");
    entries
        .map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("a plain name");
            let text = fs::read_to_string(entry.path()).expect("text");
            (name, text)
        })
        .collect()
}

/// A module that is not announced is found only once those that import it have
/// been read, one round trip after the other. The document names what the first
/// paint needs, `app.js` what comes with the first run; the rest comes when it is
/// asked for.
#[test]
fn every_file_is_announced_once() {
    let files = files();
    let with_a_run = files["app.js"]
        .lines()
        .find(|line| line.trim_start().starts_with("const modules = "))
        .expect("what comes with the first run");

    for name in files.keys().filter(|name| *name != "index.html") {
        let at_first = files["index.html"].contains(&format!("\"/assets/{name}\""));
        let stem = name.split('.').next().unwrap_or_default();
        let fetches = match name.ends_with(".css") {
            true => format!("styled(\"{stem}\")"),
            false => format!("import(\"./{name}\")"),
        };
        let later = with_a_run.contains(&format!("\"{stem}\""))
            || files.values().any(|text| text.contains(&fetches));
        assert!(at_first != later, "{name}");
    }
}

/// The policy of the page forbids inline code and styles; text that came off
/// the wire must have no way to become markup.
#[test]
fn nothing_parses_html_or_asks_for_more_than_the_policy_allows() {
    let words = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "eval(",
        "Function(",
        "style=",
        "onclick=",
        "onload=",
        "http://",
        "https://",
    ];
    let namespace = "http://www.w3.org/2000/svg";

    for (name, text) in files() {
        let text = text.replace(namespace, "");
        for word in words {
            assert!(!text.contains(word), "{name} has {word}");
        }
    }
}

/// Who can run is the server's to say, so that a new client needs no change here.
#[test]
fn no_file_names_a_client() {
    for (file, text) in files() {
        for client in runner::CLIENTS {
            let name = client.identity().name;
            assert!(!text.contains(&format!("\"{name}\"")), "{file} has {name}");
        }
    }
}

/// Colours stand in one place, so that both schemes are complete.
#[test]
fn only_the_root_of_the_style_sheet_names_colours() {
    let style = &files()["style.css"];
    let (root, rest) = style.split_once("\n}\n").expect("the root");

    assert_eq!(root.matches("light-dark(").count(), 14);
    let others = files().into_iter();
    let others = others.filter(|(file, _)| file.ends_with(".css") && file != "style.css");
    let others: String = others.map(|(_, text)| text).collect();
    let elsewhere: Vec<_> = rest
        .lines()
        .chain(others.lines())
        .filter(|line| line.contains(": #") || line.contains("light-dark("))
        .collect();
    assert_eq!(elsewhere, [""; 0]);
}
