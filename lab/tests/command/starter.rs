//! The clients of `lab starter`: they never replace a file, and each does the first task
//! unchanged, and survives the others.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use ::grade::TASKS;
use serde_json::Value;
use tempfile::tempdir;
use testkit::files;

use crate::command::{Ended, assert_contains, command};

/// Writes the starter of a language into a folder.
fn starter(language: &str, folder: &Path) -> Ended {
    Ended::of(command(&format!("starter {language}")).current_dir(folder))
}

#[test]
fn a_starter_never_replaces_a_file() {
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("mine.py");
    fs::write(&file, "mine").expect("written");

    let kept = starter("python mine.py", folder.path());

    assert_eq!(kept.code, Some(3));
    assert_contains(
        &kept.stderr,
        &["mine.py", "existing files are never replaced"],
    );
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "mine");
}

/// A limit of no bytes per file stands for a full disk.
#[cfg(unix)]
#[test]
fn a_starter_that_cannot_be_written_leaves_no_file() {
    let folder = tempdir().expect("a folder");

    let limited = "trap '' XFSZ; ulimit -f 0; exec \"$0\" starter python";
    let mut sh = Command::new("sh");
    sh.args(["-c", limited, env!("CARGO_BIN_EXE_lab")]);

    let written = Ended::of(sh.current_dir(&folder));

    assert_eq!(written.code, Some(3), "{}", written.stderr);
    assert_contains(&written.stderr, &["client.py could not be written: "]);
    assert!(!folder.path().join("client.py").exists());
}

#[test]
fn a_starter_prints_the_command_that_grades_it() {
    let folder = tempdir().expect("a folder");

    let written = starter("js", folder.path());

    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let said = ["Wrote client.mjs. Next: ", " grade -- node client.mjs\n"];
    assert_contains(&written.stdout, &said);
    assert!(folder.path().join("client.mjs").is_file());
}

#[test]
fn the_starter_in_rust_is_a_folder_and_replaces_none() {
    let folder = tempdir().expect("a folder");

    let [written, again] = [(); 2].map(|()| starter("rust", folder.path()));

    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let build = "Wrote client. Next: cargo build --manifest-path client/Cargo.toml && ";
    let next = " grade -- client/target/debug/client\n";
    assert_contains(&written.stdout, &[build, next]);
    for file in ["client/Cargo.toml", "client/src/main.rs"] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
    assert_eq!(again.code, Some(3));
    assert_contains(&again.stderr, &["client already exists"]);
}

/// Builds a package with the versions of this workspace, offline if they were downloaded.
/// Such builds share a folder, so that only the first one takes long. Returns the folder
/// with the programs.
fn built(package: &Path) -> PathBuf {
    let lock = files::root().join("Cargo.lock");
    fs::copy(lock, package.join("Cargo.lock")).expect("copied");
    let build = files::build();
    let target = build.parent().expect("target").join("starter");
    let is_built = |options: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet"]).args(options);
        cargo.current_dir(package).env("CARGO_TARGET_DIR", &target);
        cargo.status().expect("cargo runs").success()
    };
    assert!(is_built(&["--offline"]) || is_built(&[]));
    target.join("debug")
}

#[test]
#[ignore = "needs crates that were downloaded; the first build takes a minute"]
fn the_starter_in_rust_does_the_first_task() {
    let folder = tempdir().expect("a folder");
    assert_eq!(starter("rust", folder.path()).code, Some(0));

    let programs = built(&folder.path().join("client"));

    let graded = Ended::of(command("grade --all --json --").arg(programs.join("client")));
    for (task, goal) in goals(&graded) {
        let is_first = task == TASKS[0].words.name;
        assert_eq!(goal, if is_first { "reached" } else { "skipped" }, "{task}");
    }
}

/// The goals on a card, by their tasks.
fn goals(graded: &Ended) -> Vec<(String, String)> {
    assert_eq!(graded.code, Some(0), "{}{}", graded.stdout, graded.stderr);
    let card: Value = serde_json::from_str(&graded.stdout).expect("a card");
    let tasks = card["tasks"].as_array().expect("tasks").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    tasks
        .map(|task| (text(&task["task"]), text(&task["goal"]["verdict"])))
        .collect()
}

/// Asserts that the printed client reaches the goal of each task and breaks no rule.
fn assert_solves(solution: &str, file: &str, program: &str) {
    let folder = tempdir().expect("a folder");
    let printed = Ended::of(&mut command(&format!("grade --solution {solution}")));
    fs::write(folder.path().join(file), printed.stdout).expect("written");

    let mut grade = command("grade --all --json --");
    let graded = Ended::of(grade.args([program, file]).current_dir(&folder));

    let each = goals(&graded);
    assert_eq!(each.len(), TASKS.len());
    for (task, goal) in each {
        assert_eq!(goal, "reached", "{task}");
    }
}

#[test]
#[ignore = "needs python3"]
fn the_solution_in_python_does_every_task() {
    assert_solves("python", "client.py", "python3");
}

#[test]
#[ignore = "needs node"]
fn the_solution_in_node_does_every_task() {
    assert_solves("node", "client.mjs", "node");
}

#[test]
#[ignore = "needs python3"]
fn the_function_that_instructors_show_does_flaky() {
    let folder = tempdir().expect("a folder");
    assert_eq!(starter("python", folder.path()).code, Some(0));
    let document = include_str!("../../docs/instructors.md");
    let (_, shown) = document.split_once("```python\n").expect("a function");
    let (shown, _) = shown.split_once("```").expect("its end");
    let file = folder.path().join("client.py");
    let client = fs::read_to_string(&file).expect("a starter");
    let main = "\ndef main():";
    assert!(client.contains(main));
    fs::write(file, client.replace(main, &format!("{shown}{main}"))).expect("written");

    let mut grade = command("grade --all --json --task flaky -- python3 client.py");
    let graded = Ended::of(grade.current_dir(&folder));

    assert_eq!(goals(&graded), [("flaky".to_owned(), "reached".to_owned())]);
}

/// Asserts that a starter does the first task and skips the next one, and that it says what
/// it needs if it is run by hand.
fn assert_does_the_first_task(language: &str, file: &str, runs: &[&str]) {
    let folder = tempdir().expect("a folder");
    assert_eq!(starter(language, folder.path()).code, Some(0));

    let mut by_hand = Command::new(runs[0]);
    by_hand.args(&runs[1..]).env_remove("LAB_TASK");
    let [first, next, ..] = TASKS else {
        panic!("there are more tasks");
    };
    let arguments = format!(
        "grade --all --json --task {} {} --",
        first.words.name, next.words.name
    );
    let [graded, by_hand] = [command(&arguments).args(runs), &mut by_hand]
        .map(|command| Ended::of(command.arg(file).current_dir(&folder)));

    let goals = goals(&graded);
    let verdicts: Vec<_> = goals.iter().map(|(_, goal)| &**goal).collect();
    assert_eq!(verdicts, ["reached", "skipped"]);
    assert_ne!(by_hand.code, Some(0));
    assert_eq!(by_hand.stdout, "");
    let said: Vec<_> = by_hand.stderr.lines().collect();
    let advice = format!("  lab grade -- {} {file}", runs.join(" "));
    let needs = "LAB_TASK or LAB_URL is not set. The lab sets them:";
    assert_eq!(said[..2], [needs, &*advice]);
}

/// Asserts that a starter whose first function does every task says in JSON how each case
/// ended, whatever the service sends, and prints no trace of a stack.
fn assert_survives_every_task(language: &str, file: &str, runs: &[&str]) {
    let folder = tempdir().expect("a folder");
    assert_eq!(starter(language, folder.path()).code, Some(0));
    let file = &folder.path().join(file);
    let starter = fs::read_to_string(file).expect("a starter");
    let registered = |line: &&str| line.trim().starts_with("\"read-all\": ");
    let first = starter.lines().find(registered).expect("the first task");
    let every: Vec<_> = TASKS
        .iter()
        .map(|task| first.replace("read-all", task.words.name))
        .collect();
    fs::write(file, starter.replace(first, &every.join("\n"))).expect("written");

    let mut graded = command("grade --all --json --");
    if runs == ["go", "run"] {
        // Otherwise it would be linked for each case.
        let program = file.with_extension("program");
        let mut build = Command::new("go");
        let built = build.args(["build", "-o"]).arg(&program).arg(file).status();
        assert!(built.expect("go runs").success());
        graded.arg(program);
    } else {
        graded.args(runs).arg(file);
    }
    let graded = Ended::of(&mut graded);

    let card: Value = serde_json::from_str(&graded.stdout).expect("a card");
    let tasks = card["tasks"].as_array().expect("tasks").iter();
    let cases = tasks.flat_map(|task| task["cases"].as_array().expect("cases"));
    for process in cases.map(|case| &case["process"]) {
        let said = process["stderr"].as_array().expect("lines");
        assert!(said.is_empty(), "{process:#}");
        // A listing of invalid pages may have no end.
        if process["stopped"].is_null() {
            let result = process["last_line"].as_str().expect("a result");
            let result: Value = serde_json::from_str(result).expect("JSON");
            assert!(result.is_object(), "{process:#}");
        }
    }
}

#[test]
#[ignore = "needs python3"]
fn the_starter_in_python_does_the_first_task() {
    assert_does_the_first_task("python", "client.py", &["python3"]);
}

#[test]
#[ignore = "needs python3"]
fn the_starter_in_python_survives_every_task() {
    assert_survives_every_task("python", "client.py", &["python3"]);
}

#[test]
#[ignore = "needs node"]
fn the_starter_in_javascript_does_the_first_task() {
    assert_does_the_first_task("javascript", "client.mjs", &["node"]);
}

#[test]
#[ignore = "needs node"]
fn the_starter_in_javascript_survives_every_task() {
    assert_survives_every_task("javascript", "client.mjs", &["node"]);
}

#[test]
#[ignore = "needs go"]
fn the_starter_in_go_does_the_first_task() {
    assert_does_the_first_task("go", "main.go", &["go", "run"]);
}

#[test]
#[ignore = "needs go"]
fn the_starter_in_go_survives_every_task() {
    assert_survives_every_task("go", "main.go", &["go", "run"]);
}
