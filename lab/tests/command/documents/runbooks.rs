//! The runbooks: written in Markdown, and served by Grafana as a page on which each alert
//! has an anchor.

use pulldown_cmark::{CowStr, Event, Parser, Tag, html};

use super::{assert_current, document, root};

/// The page, which Grafana serves from its public folder.
const PAGE: &str = "dashboards/grafana/runbooks.html";

const HEAD: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>Runbooks</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.5 sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
:target { background: Mark; color: MarkText }
</style>
";

/// The section with the runbooks, in Markdown, its headings one level higher.
fn section() -> String {
    let readme = document("dashboards/README.md");
    let (_, section) = readme.split_once("## Runbooks\n").expect("runbooks");
    format!("# Runbooks\n{}", section.replace("\n### ", "\n## "))
}

/// The page of this Markdown. Each heading is one word, whose anchor on any site that
/// shows the Markdown is the word in lower case.
fn page(markdown: &str) -> String {
    let mut events: Vec<_> = Parser::new(markdown).collect();
    for start in 0..events.len() {
        let Some(Event::Text(word)) = events.get(start + 1) else {
            continue;
        };
        let anchor = CowStr::from(word.to_lowercase());
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
            *id = Some(anchor);
        }
    }
    let mut page = HEAD.to_owned();
    html::push_html(&mut page, events.into_iter());
    page
}

#[test]
fn the_page_of_the_runbooks_is_current() {
    let page = page(&section());

    assert_current(&root().join(PAGE), &page);
}
