//! Checks of the page's files that need no browser.

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

/// The browser discovers a module that is not declared only after it has read the
/// importing modules, one round trip after the other. The document declares the files for
/// the first paint, `app.js` those for the first run; others are loaded on demand.
#[test]
fn every_file_is_loaded_in_exactly_one_way() {
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

/// The policy of the page forbids inline code and styles. Text from the wire must not
/// become markup.
#[test]
fn scripts_parse_no_html_and_respect_the_policy() {
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

/// The server lists the clients, so that a new client needs no change here.
#[test]
fn files_do_not_name_clients() {
    for (file, text) in files() {
        for client in scenario::CLIENTS {
            let name = client.identity().name;
            assert!(!text.contains(&format!("\"{name}\"")), "{file} has {name}");
        }
    }
}

/// All colours are in one place, so that both schemes are complete.
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
