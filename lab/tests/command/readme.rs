//! The README, held to what it says: its output is the output, its table is the
//! catalogue, its `curl` lines get the responses they claim, its links lead somewhere.

use std::{collections::HashMap, fs, path::Path};

use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, redirect};
use runner::{WITHOUT, scenario::CATALOGUE};
use server::{ServiceConfig, TeachingApi};

use crate::printed;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("the README")
}

/// The rows of the tables, as cells without their blanks.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|row| row.split(" | ").map(str::trim).collect())
}

fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`')
}

#[test]
fn shows_what_its_commands_print() {
    let readme = readme();
    let transcripts = readme.split("```console\n$ cargo run -p lab -- ").skip(1);
    let transcripts = transcripts.map(|rest| rest.split_once("```").expect("its end").0);
    let transcripts: Vec<_> = transcripts.collect();

    assert_eq!(transcripts.len(), readme.matches("```console").count());
    for transcript in transcripts {
        let (arguments, shown) = transcript.split_once('\n').expect("what it prints");
        assert_eq!(printed(arguments), shown);
    }
}

#[test]
fn lists_the_course_as_the_catalogue_has_it() {
    let readme = readme();

    let course: Vec<_> = rows(&readme)
        .filter(|row| row.len() == 4)
        .filter_map(|row| Some((code(row[0])?, row[1])))
        .collect();

    let catalogue: Vec<_> = CATALOGUE
        .iter()
        .map(|scenario| (scenario.words.name, scenario.words.question.text))
        .collect();
    assert_eq!(course, catalogue);
}

#[test]
fn lists_the_defences_that_can_be_taken_away() {
    let readme = readme();

    let listed: Vec<_> = rows(&readme)
        .filter(|row| row.len() == 3)
        .filter_map(|row| Some((code(row[0])?, code(row[1])?, row[2])))
        .filter(|(id, ..)| WITHOUT.iter().any(|known| known.defence.id == *id))
        .collect();

    assert_eq!(listed.len(), WITHOUT.len());
    for ((id, scenario, file), known) in listed.into_iter().zip(WITHOUT) {
        assert_eq!(
            (id, scenario),
            (known.defence.id, known.defence.shows_best_in())
        );
        assert!(
            file.contains(&format!("]({})", known.defence.file)),
            "{file}"
        );
    }
}

/// The lines of the `sh`, `console` and `yaml` blocks, without what makes them an input
/// or a step of a pipeline.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    let blocks = text.split("\n```").filter(|block| {
        let fence = block.lines().next();
        matches!(fence, Some("sh" | "console" | "yaml"))
    });
    let lines = blocks.flat_map(str::lines);
    lines.map(|line| {
        let command = line.strip_prefix("$ ");
        command.or(line.strip_prefix("- run: ")).unwrap_or(line)
    })
}

/// The words of a command line of the lab, its own name first.
fn lab_words(line: &str) -> Option<Vec<&str>> {
    let cargo = line
        .strip_prefix("cargo run -p lab -- ")
        .or_else(|| line.strip_prefix("cargo run -q -p lab -- "));
    let arguments = cargo.or_else(|| line.strip_prefix("lab "))?;
    Some(["lab"].into_iter().chain(arguments.split(' ')).collect())
}

#[test]
fn every_command_of_the_lab_makes_sense() {
    let readme = readme();
    let inline = readme.split('`').skip(1).step_by(2);

    let all: Vec<_> = commands(&readme)
        .chain(inline)
        .filter_map(lab_words)
        .collect();

    assert!(all.len() > CATALOGUE.len(), "{all:?}");
    for words in all {
        assert_eq!(lab::cli::check(words.iter().copied()), Ok(()), "{words:?}");
    }
}

/// The part of the README that an instructor plans by.
fn plan(readme: &str) -> &str {
    let (_, plan) = readme
        .split_once("## For instructors")
        .expect("a section for instructors");
    plan.split_once("A run to show").expect("its end").0
}

#[test]
fn plans_a_class_of_scenarios_and_tasks_in_their_order() {
    let readme = readme();
    let plan = plan(&readme);
    let named = |command: &str| -> Vec<_> {
        let lines = commands(plan).filter_map(|line| line.strip_prefix(command));
        lines.filter_map(|line| line.split(' ').next()).collect()
    };
    let blocks: Vec<_> = rows(plan)
        .filter_map(|row| {
            let (from, to) = row[0].split_once('–')?;
            Some((from.parse::<u32>().ok()?, to.parse().ok()?, row[1], row[2]))
        })
        .collect();

    let scenarios = named("lab scenario ");
    let course: Vec<_> = CATALOGUE.iter().map(|it| it.words.name).collect();
    let course = course.into_iter().filter(|name| scenarios.contains(name));
    assert_eq!(scenarios, course.collect::<Vec<_>>());
    assert_eq!(scenarios.len(), 15);

    let tasks = named("lab grade --task ");
    let built = blocks.iter().flat_map(|block| block.3.split(", "));
    assert_eq!(tasks, built.filter_map(code).collect::<Vec<_>>());

    let end = blocks.iter().fold(0, |start, &(from, to, block, _)| {
        assert_eq!(from, start, "{block}");
        let heading = format!("# {from}–{to} {block}");
        assert!(commands(plan).any(|line| line == heading), "{heading}");
        to
    });
    assert_eq!(end, 90);
}

#[test]
fn tells_instructors_the_answers_that_the_runs_give() {
    let readme = readme();
    let plan = plan(&readme);

    let answers: Vec<_> = rows(plan)
        .filter(|row| row.len() == 3)
        .filter_map(|row| Some((code(row[0])?, row[1])))
        .collect();

    let scenarios = commands(plan).filter_map(|line| line.strip_prefix("lab scenario "));
    let scenarios = scenarios.filter_map(|line| line.split(' ').next());
    assert!(scenarios.eq(answers.iter().map(|(name, _)| *name)));
    for (name, answer) in answers {
        let run = printed(&format!("scenario {name} --seed 1 --pace virtual --json"));
        let run: serde_json::Value = serde_json::from_str(&run).expect("a run");
        assert_eq!(run["answer"]["text"], answer, "{name}");
    }
}

#[test]
fn links_only_to_what_is_there() {
    let readme = readme();

    let links: Vec<_> = readme
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(link, _)| link)
        .collect();

    assert!(links.len() > 10, "{links:?}");
    for link in links {
        assert!(root().join(link).exists(), "{link} leads nowhere");
    }
}

/// Sends what a `curl` line would, as far as the README uses it, and returns the
/// path and the status of the response.
async fn curl(line: &str, service: &str) -> (String, u16) {
    let (mut path, mut body, mut headers) = (String::new(), None, HeaderMap::new());
    let mut words = shlex::Shlex::new(line).skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().expect("a value");
        match word.as_str() {
            "-i" => {}
            "-H" => {
                let header = value();
                let (name, value) = header.split_once(": ").expect("a header");
                let name = HeaderName::try_from(name).expect("a name");
                headers.insert(name, HeaderValue::try_from(value).expect("a value"));
            }
            "-d" => body = Some(value()),
            url => {
                let start = url.strip_prefix("http://127.0.0.1:8765");
                path = start.expect("the default address").to_owned();
            }
        }
    }
    client::install_tls_provider();
    let http = Client::builder().no_proxy().tls_certs_only([]);
    let http = http.redirect(redirect::Policy::none()).build();
    let (http, url) = (http.expect("legal"), format!("{service}{path}"));
    let request = match body {
        Some(body) => http.post(url).body(body),
        None => http.get(url),
    };
    let response = request.headers(headers).send().await;
    (path, response.expect("a response").status().as_u16())
}

#[tokio::test]
async fn every_curl_line_gets_the_response_that_it_claims() {
    let readme = readme();
    let config = ServiceConfig::builder().port(0).build().expect("legal");
    let service = TeachingApi::start(config).expect("a service");

    let mut shown = HashMap::new();
    for row in rows(&readme) {
        let Some(line) = code(row[0]).filter(|code| code.starts_with("curl ")) else {
            continue;
        };
        let (path, status) = curl(line, &service.base_url()).await;
        assert!(row[1].starts_with(&status.to_string()), "{line}: {status}");
        shown.insert(path, status);
    }

    assert_eq!(shown.len(), 14, "{shown:?}");
    service.stop().await.expect("nothing left behind");
}
