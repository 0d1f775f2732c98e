//! Grading a client from the command line.

use std::{
    fs,
    io::{BufRead, BufReader},
};

use grade::TASKS;
use tempfile::tempdir;
use testkit::{files::example, process::signal};

use crate::command::{
    Ended, assert_contains, assert_fits_80_columns, command, printed, printed_url, status,
};

/// The reference client as a process.
pub(crate) fn reliable() -> String {
    example("reliable")
}

/// Grades a client with a command of several words.
pub(crate) fn grade(options: &str, client: &[&str]) -> Ended {
    Ended::of(command(&format!("grade {options} --")).args(client))
}

#[test]
fn grading_stops_at_the_first_task_that_is_not_done() {
    let ended = grade("--seed 7", &[&example("habits"), "lazy"]);

    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let headlines = ended.stdout.lines().filter_map(|line| {
        let (_, headline) = line.split_once(&format!("/{} ", TASKS.len()))?;
        let mut words = headline.split_whitespace();
        Some([words.next()?, words.next()?])
    });
    let headlines: Vec<_> = headlines.collect();
    assert_eq!(headlines, [["read-all", "✓"], ["flaky", "✗"]]);
}

#[test]
#[ignore = "takes a minute"]
fn grading_ends_with_the_last_task() {
    let ended = grade("--seed 7", &[&reliable(), "{task}", "{url}"]);

    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let done = format!("All {} tasks are done", TASKS.len());
    assert_contains(&ended.stdout, &[&done, "grade --solution python"]);
}

#[cfg(unix)]
#[test]
fn a_skipped_task_is_named_with_a_first_step() {
    let skips = grade("", &["echo", r#"{"skip": true}"#]);
    let silent = grade("", &["true"]);
    let absent = grade("", &["sh", "-c", "no-such-program"]);
    // A task in place of the command.
    let nowhere = grade("", &["flaky"]);

    assert_eq!(skips.code, Some(4), "{}", skips.stdout);
    assert_contains(
        &skips.stdout,
        &["skipped by your client", "--hint read-all"],
    );
    assert_eq!(silent.code, Some(1));
    let crashed = ["sent no request", "no request was sent, exit code 0"];
    assert_contains(&silent.stdout, &crashed);
    for (ended, said) in [
        (absent, &["no-such-program", "never ran"]),
        (
            nowhere,
            &[
                "cannot run flaky: it could not be started",
                "--task NAME -- COMMAND",
            ],
        ),
    ] {
        assert_eq!(ended.code, Some(3));
        assert_contains(&ended.stderr, said);
        assert_eq!(ended.stdout, "");
    }
}

/// A client without a library: two requests, one right after the other.
pub(crate) const HASTY: [&str; 3] = [
    "bash",
    "-c",
    r#"
        address=${LAB_URL#http://}; port=${address%%/*}; port=${port#*:}
        ask() {
            exec 3<>/dev/tcp/127.0.0.1/$port
            printf 'GET /%s HTTP/1.0\r\n\r\n' "${address#*/}" >&3
            cat <&3 | tail -n 1
        }
        ask >/dev/null; ask"#,
];

/// A wrong result misses the goal, and the known failure keeps a pipeline green.
#[test]
fn a_goal_can_be_a_known_failure() {
    let folder = tempdir().expect("a folder");
    let [list, junit] = ["known.txt", "card.xml"].map(|name| folder.path().join(name));
    let guesses = [&*example("habits"), "guesses"];
    let graded = |known: &str| {
        fs::write(&list, known).expect("written");
        let (list, junit) = (list.display(), junit.display());
        let options = format!("--task read-all --known-failing {list} --junit {junit}");
        grade(&options, &guesses)
    };

    let invalid = graded("read-all/goal\nrequest-header");
    let known = graded("# later\n\nread-all/goal # now");

    assert_eq!([invalid.code, known.code], [Some(2), Some(0)]);
    let said = "line 2: no rule is called 'request-header'; did you mean 'request-headers'?";
    assert_contains(&invalid.stderr, &[said]);
    let words: Vec<_> = known.stdout.split_whitespace().collect();
    assert_contains(&words.join(" "), &["known to fail: goal"]);
    assert!(!known.stdout.contains("✗"), "{}", known.stdout);
    let junit = fs::read_to_string(junit).expect("written");
    assert_contains(&junit, &["known to fail: ", "failures=\"0\""]);
}

/// A client that still waits when its time is up may retry early, or never.
#[test]
fn strictly_what_cannot_be_told_fails_and_so_does_a_required_task_that_is_not_done() {
    let folder = tempdir().expect("a folder");
    let junit = folder.path().join("card.xml");
    let options = "--task maintenance --strict --require create --junit";
    let slow = [&*example("habits"), "waits-any-time"];

    let strict = grade(&format!("{options} {}", junit.display()), &slow);

    assert_eq!(strict.code, Some(1));
    let said = [
        "error: 'maintenance/retry-after-over-budget' cannot be told, and --strict",
        "error: 'create' is required, and it is not done",
    ];
    assert_contains(&strict.stderr, &said);
    let junit = fs::read_to_string(junit).expect("written");
    assert!(junit.contains("type=\"cannot tell\"") && !junit.contains("<skipped type=\"cannot"));
}

#[test]
fn rules_and_hints_fit_a_terminal_and_every_task_is_listed() {
    for arguments in ["rule one-job", "grade --hint create"] {
        assert_fits_80_columns(&printed(arguments));
    }
    let names: Vec<_> = TASKS.iter().map(|task| task.words.name).collect();
    assert_contains(&printed("list tasks"), &names);
}

#[cfg(unix)]
#[test]
fn a_save_continues_at_the_first_task_that_is_not_done() {
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("client.sh");
    // The client does these tasks and skips the others.
    let does = |tasks: &str| {
        let (client, skip) = (reliable(), r#"echo '{"skip": true}'"#);
        let script = format!("case $LAB_TASK in {tasks}) exec {client};; *) {skip};; esac\n");
        fs::write(&file, script).expect("written");
    };
    does("read-all");
    let mut lab = command("grade --seed 7 --task read-all invalid-body refused --watch")
        .args([file.as_os_str(), "--".as_ref(), "sh".as_ref()])
        .arg(&file)
        .spawn()
        .expect("lab runs");
    let mut lines = BufReader::new(lab.stdout.take().expect("a pipe")).lines();
    // The number of lines before one with these words, without those that explain one.
    let mut until = |words: &str| {
        let found = lines.by_ref().map(|line| line.expect("text"));
        let found = found.take_while(|line| !line.contains(words));
        found.filter(|line| !line.starts_with(' ')).count()
    };

    until("See it done");
    does("read-all|invalid-body");
    until("(saved)");
    let first_again = until("refused");
    until("See it done");
    does("*");
    // After a task that is not done, the lab would wait for one more save.
    let is_missed = lines.any(|line| line.expect("text").contains("See it done"));
    if is_missed {
        lab.kill().expect("killed");
    }
    let ended = lab.wait().expect("lab ends");

    assert_eq!(first_again, 1, "invalid-body alone stands between");
    assert_eq!(ended.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn without_a_command_the_requests_since_a_case_began_are_judged_at_ctrl_c() {
    let mut lab = command("grade --task retry-after --only retry-after-seconds")
        .spawn()
        .expect("lab runs");
    let url = printed_url(&mut lab);
    let (host, path) = url["http://".len()..].split_once('/').expect("a path");
    let request = format!("GET /{path} HTTP/1.0\r\n\r\n");
    let again = format!("POST /{path}/again HTTP/1.0\r\n\r\n");

    let requests = [&request, &again, &request, &request];
    let statuses = requests.map(|request| status(host, request));
    signal(lab.id(), "INT");
    let ended = Ended::from(lab.wait_with_output().expect("lab ends"));

    assert_eq!(statuses, ["503", "204", "503", "200"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    assert_contains(&ended.stdout, &["goal not judged: 2 requests", "1 broken"]);
}

#[cfg(unix)]
#[test]
fn a_proxy_that_would_get_the_requests_is_named() {
    let mut lab = command("grade --task read-all -- true");

    let warned = Ended::of(lab.env("http_proxy", "http://me:secret@p:1"));

    let advice = ["http_proxy", "set NO_PROXY=127.0.0.1,localhost"];
    assert_contains(&warned.stderr, &advice);
    assert!(!warned.stderr.contains("secret"), "{}", warned.stderr);
}
