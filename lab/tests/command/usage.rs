//! Invalid command lines: exit code 2, nothing on stdout, and the broken rule on stderr.

use crate::command::lab;

/// The cases of a table, each a command line above a part of its error.
fn cases(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let cases = table.split_terminator("\nlab");
    cases.map(|case| {
        let case = case.strip_prefix("lab").unwrap_or(case);
        let (arguments, rule) = case.split_once("\n    ").expect("words");
        (arguments, rule.trim_end())
    })
}

/// Command lines that are refused before anything is read or run.
const REFUSED: &str = "\
lab
    lab scenario flaky
lab completions tcsh
    invalid value 'tcsh'
lab scenario flakey
    error: no scenario is called 'flakey'; did you mean 'flaky'?
lab scenario crowded
    error: no scenario is called 'crowded', but a task is; its scenario is 'too-many-requests'
lab scenario flaky --live --json
    '--live'
lab scenario all --compare
    error: --compare needs the name of one scenario
lab scenario all --report all.html
    error: --report needs the name of one scenario
lab scenario endless-items --max-attempts 0
    '0' for '--max-attempts <N>': it must be a whole number from 1 to 10000
lab scenario endless-items --max-items 2.5
    '2.5' for '--max-items <N>': it must be a whole number from 1 to 10000
lab scenario endless-items --max-pages many
    'many' for '--max-pages <N>': it must be a whole number from 1 to 10000
lab scenario endless-items --max-items 10001
    it must be a whole number from 1 to 10000
lab scenario endless-items --backoff 99
    '99' for '--backoff <MILLISECONDS>': it must be a whole number from 100 to 5000
lab scenario flaky --compare --client naive
    '--compare'
lab scenario flaky --without deadline --client naive
    '--client
lab scenario flaky --without jitter
    'jitter'
lab scenario flaky --ask --json
    '--json'
lab storm spikes
    error: no story is called 'spikes'; did you mean 'spike'?
lab storm xyzzy
    error: no story is called 'xyzzy'; `lab list stories` shows them all
lab storm --policy 3-jiter
    error: no policy is called '3-jiter'; did you mean '3-jitter'?
lab storm --workers 0
    error: the number of workers must be a whole number from 1 to 10000, got 0
lab storm --spike many
    error: invalid value 'many' for '--spike <X>'
lab storm --incident half
    error: invalid value 'half' for '--incident <WORD>'
lab storm --spike -1.5
    error: the factor of the spike must be a number from 1 to 100, got -1.5
lab storm --length 12
    error: the incident must end 2 s before the storm does or earlier, got 15 s of 12 s
lab storm --policy 3-jitter 3-jitter
    error: --policy names '3-jitter' twice
lab storm --refused 0.3
    error: the share of responses that are a 503 has no effect without the incident 'refusal'
lab storm --loads 40..100
    write numbers and ranges with a step, such as 40,60,80 or 40..100:10
lab storm --loads 40..100:10
    make 280 runs, but at most 200 are simulated; add --seeds 7, or name fewer loads
lab storm --loads 40 --calls-per-second 40
    '--loads <LIST>' cannot be used with
lab storm --seeds 2 --report storm.html
    error: --report has no counts of seeds: remove --seeds, or add --loads
lab list scenario
    [possible values: scenarios, tasks, rules, stories]
lab scenario --seed 1
    <NAME>
lab rule
    <ID>
lab rule one-jobs
    did you mean 'one-job'?
lab grade --watch Cargo.toml
    error: --watch FILE needs a COMMAND after `--`
lab grade --watch -- x
    error: --watch needs a file
lab grade --watch Cargo.toml --report card.html -- x
    error: --watch cannot be used with --report
lab grade --summary . --watch Cargo.toml
    error: --watch takes no file with --summary
lab storm --seeds 0
    it must be a whole number from 1 to 1000
lab load flakey
    did you mean 'flaky'?
lab load --page http://evil.example
    it must be the web UI's address as `lab serve` prints it, such as http://127.0.0.1:8766
lab scenario flaky --seed many
    it must be a whole number from 0 to 18446744073709551615
lab scenario flaky --max-retry-after 86401
    it must be a whole number from 0 to 86400
lab grade --hint flakey
    did you mean 'flaky'?
lab grade --task flakey -- x
    did you mean 'flaky'?
lab grade --require flakey -- x
    did you mean 'flaky'?
lab grade --only one-jobs -- x
    did you mean 'one-job'?
lab grade --summary . --all
    '--summary <FOLDER>' cannot be used with
lab grade --summary . --seed 1
    '--summary <FOLDER>' cannot be used with
lab grade --summary . --json
    '--summary <FOLDER>' cannot be used with
lab grade --summary . -- true
    '--summary <FOLDER>' cannot be used with
lab grade --summary . --task flakey
    did you mean 'flaky'?
lab grade --solution rust
    [possible values: python, node]
lab grade --al -- true
    a similar argument exists: '--all'
lab grade --seed -5 -- true
    invalid value '-5' for '--seed <SEED>': it must be a whole number from 0
lab serve --watch Cargo.toml
    the following required arguments were not provided
lab serve --seed 7
    the following required arguments were not provided
lab serve --port 65536
    it must be a whole number from 0 to 65535
lab load --seed=
    it must be a whole number from 0 to 18446744073709551615
lab load --rate 51
    it must be a whole number from 1 to 50
lab load --rate NaN
    it must be a whole number from 1 to 50
lab load --seconds 0
    it must be a whole number from 1 to 7200
lab load --seconds 18446744073709551616
    it must be a whole number from 1 to 7200
";

/// Checks a command line without a process.
fn assert_refused(arguments: &str, rule: &str) {
    let words = ["lab"].into_iter().chain(arguments.split_whitespace());

    let error = lab::cli::check(words).expect_err(arguments);

    // The command writes this word before errors of its own.
    let rule = rule.strip_prefix("error: ").unwrap_or(rule);
    assert!(
        error.contains(rule),
        "{arguments}: {rule:?} is not in {error}"
    );
}

#[test]
fn invalid_arguments_are_refused_with_the_rule() {
    for (arguments, rule) in cases(REFUSED) {
        assert_refused(arguments, rule);
    }
}

/// Command lines that the command itself refuses.
const REFUSED_BY_THE_COMMAND: &str = "\
lab scenario flaky --otlp localhost:4318
    error: invalid --otlp 'localhost:4318': it must start with http:// or https://
lab grade --only once -- x
    error: no task judges 'once': it is a rule of `lab proxy`
lab grade --task flaky curl {url}
    goes after `--`
lab grade --summary no-such-folder
    no-such-folder cannot be read
lab grade --watch no-such-file -- x
    no-such-file cannot be read, so it cannot be watched
lab serve --port 0 --page-port 0 --watch no-such-file -- x
    no-such-file cannot be read, so it cannot be watched
";

#[test]
fn the_command_exits_with_code_2_and_the_rule_on_stderr() {
    for (arguments, rule) in cases(REFUSED_BY_THE_COMMAND) {
        let ended = lab(arguments);

        let found = (ended.code, &*ended.stdout);
        assert_eq!(found, (Some(2), ""), "{arguments}");
        let said = ended.stderr;
        assert!(
            said.contains(rule),
            "{arguments}: {rule:?} is not in {said}"
        );
    }
}

#[test]
fn a_number_with_a_sign_is_refused() {
    for option in [
        "scenario flaky --seed",
        "scenario flaky --max-attempts",
        "scenario flaky --max-retry-after",
        "scenario items --max-pages",
        "scenario items --max-items",
        "load --seconds",
        "load --rate",
        "load --seed",
        "storm --seed",
        "storm --seeds",
        "serve --port",
        "serve --page-port",
    ] {
        assert_refused(&format!("{option} +1"), ">': write it without a sign\n");
        let (_, name) = option.split_once("--").expect("an option");
        let minus = format!("error: invalid value '-1' for '--{name} <");
        assert_refused(&format!("{option} -1"), &minus);
    }
}
