//! The relative links of every document.

use std::{collections::HashSet, fs, path::Path};

use super::{documents, parts};

/// The anchors that a site makes of the headings of a document.
fn anchors(text: &str) -> HashSet<String> {
    let prose = parts(text).filter(|(is_block, _)| !is_block);
    let lines = prose.flat_map(|(_, prose)| prose.lines());
    let headings = lines.filter_map(|line| line.strip_prefix('#'));
    let anchors = headings.map(|heading| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let signs = heading
            .chars()
            .map(|sign| if sign == ' ' { '-' } else { sign });
        let kept = signs.filter(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '_'));
        kept.collect()
    });
    anchors.collect()
}

/// The targets of the links, without those of other sites.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let prose = parts(text).filter(|(is_block, _)| !is_block);
    let starts = prose.flat_map(|(_, prose)| prose.split("](").skip(1));
    let targets = starts.filter_map(|rest| Some(rest.split_once(')')?.0));
    targets.filter(|target| !target.contains("://"))
}

/// Whether a link leads to a file and, if it names one, to a heading of it.
fn leads_somewhere(document: &Path, link: &str) -> bool {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let folder = document.parent().expect("a document is in a folder");
    let target = match path {
        "" => document.to_owned(),
        path => folder.join(path),
    };
    let has_heading = || {
        let text = fs::read_to_string(&target).unwrap_or_default();
        anchors(&text).contains(anchor)
    };
    target.exists() && (anchor.is_empty() || has_heading())
}

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading() {
    let mut checked = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).expect("a document");
        for link in links(&text) {
            let is_there = leads_somewhere(&document, link);
            assert!(is_there, "{}: {link} leads nowhere", document.display());
            checked += 1;
        }
    }

    assert!(checked > 80, "{checked} links");
}
