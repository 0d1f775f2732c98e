//! Checks of the page's files that need no browser.

use std::{collections::BTreeMap, fs};

fn files() -> BTreeMap<String, String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
    let entries = fs::read_dir(folder).expect("the folder");
    entries
        .map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("a plain name");
            let text = fs::read_to_string(entry.path()).expect("text");
            (name, text)
        })
        .collect()
}

/// The policy of the page forbids inline code and styles. Text from the wire must not
/// become markup, so only `patch.js` parses HTML: that of the server, whose templates
/// escape text.
#[test]
fn one_script_parses_html_and_all_respect_the_policy() {
    let words = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "createContextualFragment",
        "setHTML",
        "eval(",
        "Function(",
        "style=",
        "onclick=",
        "onload=",
        "http://",
        "https://",
    ];

    for (name, text) in files() {
        assert!(!text.contains("DOMParser") || name == "patch.js", "{name}");
        // The name of a namespace is not loaded.
        let text = text.replace("http://www.w3.org/2000/svg", "");
        for word in words {
            assert!(!text.contains(word), "{name} has {word}");
        }
    }
}
