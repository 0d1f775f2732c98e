//! The examples of JSON in `json.md` have the members that the commands print.
#![cfg(unix)]

use serde_json::{Map, Value};

use super::{assert_current, document, parts, root};
use crate::{Ended, command, grade::reliable, proxy};

const DOCUMENT: &str = "lab/docs/json.md";

/// The upstream and the client that the document names.
const UPSTREAM: &str = "http://127.0.0.1:9000";
const CLIENT: &str = "./client";

/// The output of a command of the document, with an upstream and a client of the tests.
fn output(line: &str) -> Value {
    let (upstream, client) = (proxy::api(), reliable());
    let arguments = line.strip_prefix("lab ").expect("a command of the lab");
    let arguments = arguments.replace(UPSTREAM, &upstream);
    let (lab, program) = arguments.split_once(" -- ").unwrap_or((&arguments, ""));
    let mut command = command(lab);
    match program {
        "" => &mut command,
        CLIENT => command.args(["--", &client]),
        "sh smoke.sh" => command.args(["--", "sh", "-c", proxy::CALM]),
        other => panic!("the tests have no program for {other}"),
    };
    let printed = Ended::of(&mut command).stdout;
    let shown = printed
        .replace(&client, CLIENT)
        .replace(&upstream, UPSTREAM);
    serde_json::from_str(&shown).unwrap_or_else(|error| panic!("{line}: {error}\n{printed}"))
}

/// A value whose lists have at most one element. The runs of a comparison are not
/// repeated.
fn shortened(value: Value) -> Value {
    match value {
        Value::Array(elements) => elements.into_iter().take(1).map(shortened).collect(),
        Value::Object(members) => {
            let is_comparison = members.contains_key("compared");
            let members = members.into_iter().map(|(name, member)| {
                if is_comparison && name == "runs" {
                    return (name, Value::Array(Vec::new()));
                }
                (name, shortened(member))
            });
            Value::Object(members.collect::<Map<_, _>>())
        }
        scalar => scalar,
    }
}

/// A value without its numbers and texts, which need not be the same in each run.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => false.into(),
        Value::Number(_) => 0.into(),
        Value::String(_) => "".into(),
        Value::Array(elements) => elements.iter().map(shape).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), shape(member)))
            .collect(),
    }
}

#[test]
fn an_example_of_json_has_the_members_that_its_command_prints() {
    let text = document(DOCUMENT);
    let (mut line, mut examples) = ("", 0);

    let current: Vec<_> = parts(&text)
        .map(|(_, part)| {
            if let Some(command) = part.strip_prefix("sh\n") {
                line = command;
            }
            let Some(example) = part.strip_prefix("json\n") else {
                return part.to_owned();
            };
            examples += 1;
            let output = output(line);
            let run = output.pointer("/runs/0").unwrap_or(&output);
            assert!(run["schema_version"].is_u64(), "{line}");
            let actual = shortened(output);
            let shown: Value = serde_json::from_str(example).unwrap_or_default();
            if shape(&shown) == shape(&actual) {
                return part.to_owned();
            }
            format!("json\n{actual:#}")
        })
        .collect();

    assert_current(&root().join(DOCUMENT), &current.join("\n```"));
    assert_eq!(examples, 6);
}
