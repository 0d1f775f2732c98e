//! The help and the completions.

use evidence::rules::RULES;
use runner::{grade, scenario::CATALOGUE};

use crate::{assert_contains, assert_fits_80_columns, printed};

/// The help down to the examples, without the blanks that clap leaves at the ends of
/// lines. The examples are run below.
fn help(arguments: &str) -> String {
    let printed = printed(arguments);
    let lines = printed.lines().map(str::trim_end);
    let ours = |line: &&str| {
        !["Start here", "Examples:"]
            .iter()
            .any(|it| line.starts_with(it))
    };
    lines.take_while(ours).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_help_of_the_lab_lists_its_commands() {
    insta::assert_snapshot!(help("--help"), @"
    An observable lab for reliable HTTP clients

    A service on this machine misbehaves on purpose, and a client has to cope with
    it. The lab runs one such fault at a time and shows the evidence: every attempt
    and every wait, what the service saw, which counters moved, and whether the
    expectations held. It needs no account and no internet.

    Usage: lab <COMMAND>

    Commands:
      list         List the scenarios in the order of the course
      scenario     Run a scenario, or all, each on a fresh service, and show the
                   evidence
      grade        Grade any client: the command after `--` runs it, once for each
                   case of a task
      tasks        List the tasks that a client can be graded on
      rule         Explain a rule that clients are judged by
      starter      Write a client to begin with, which does the first task
      storm        Let many clients meet a short incident, and see who recovers
      schema       Print the JSON Schema of a run, of a card or of a storm
      serve        Serve the lab's web UI, on this machine alone
      load         Have a running `lab serve` run many runs, so that its counters
                   move
      doctor       Check what a workshop needs before it starts, and say what to do
      completions  Print a script that completes commands, options and names
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version
    ");
}

#[test]
fn the_help_of_a_scenario_explains_its_options() {
    insta::assert_snapshot!(help("scenario --help"), @"
    Run a scenario, or all, each on a fresh service, and show the evidence

    A run starts a service on a free port, lets a client call it, stops both, and
    checks the evidence against what the scenario expects. The expectations follow
    the options: under other limits another outcome is right. In virtual time one
    seed always gives the same output, to the byte.

    Ctrl+C cancels a run and shows what there is of it. No run sends more than 10000
    requests or takes longer than an hour.

    Usage: lab scenario [OPTIONS] <NAME>

    Arguments:
      <NAME>
              The scenario to run, or `all`; `lab list` shows them

    Options:
          --filter <TEXT>
              With `all`: only the scenarios whose name contains this

          --seed <N>
              What jitter, keys, cursors and ids are drawn from; random if left out

          --pace <PACE>
              Whether the waits are real, or drawn without being waited for
              [default: real; virtual for `all`]

              [possible values: real, virtual]

      -h, --help
              Print help (see a summary with '-h')

    Which client, and what it is allowed:
          --max-attempts <N>
              The most requests one call may put on the wire, up to 10000

          --max-retry-after <SECONDS>
              The longest Retry-After that is waited for; a longer one ends the call

          --max-pages <N>
              The most pages that a listing reads, up to 10000

          --max-items <N>
              The most items that a listing yields, up to 10000

          --client <CLIENT>
              Which client runs. The naive one breaks most expectations, which is
              the lesson: the exit code is then 1

              Possible values:
              - reliable: The reference client
              - naive:    What people first write

              [default: reliable]

          --without <DEFENCE>
              Take one defence of the reference client away, and see what breaks

              Possible values:
              - retry-after-seconds:   It takes no notice of a Retry-After in
                seconds, and comes back when its own backoff says so.
              - backoff-jitter:        It waits for the whole ceiling each time: 200
                ms, 400 ms, and so does every client that failed at the same moment.
              - cursor-loop:           It compares a cursor with the one before it
                alone, which A, B, A never equals, and reads on until its limit of
                pages.
              - idempotency-key-reuse: It makes up a new key for every attempt, so
                to the service every attempt is a new intention.
              - body-media-type:       It parses every body, whatever its media
                type, and takes what parses for data.
              - deadline:              It waits for as long as each wait may be,
                however little time its caller has. No rule of the wire breaks: a
                deadline is a promise to the caller.

          --compare
              Run two clients with one seed and show them side by side: the reliable
              and the naive one, or the one of --without; the exit code is the
              reliable one's

    What becomes of the evidence:
          --otlp <URL>
              Send the trace to the OTLP/HTTP receiver at this base address, such as
              http://127.0.0.1:4318 [default: what the standard variables
              OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT say]

          --ask
              Ask a question first, read your prediction from stdin, and say whether
              it came true; with `all`, keep the score

          --report <FILE>
              Write the run to this file as well, as a report in HTML

          --json
              Print the run as JSON; `lab schema` describes it

          --explain
              Say under each row why it is so: what came back, what is allowed, and
              what was decided

          --exchanges
              Show each request and its response as they went over the wire, without
              what may be a secret

          --ascii
              Draw with nothing but ASCII
    ");
}

#[test]
fn no_help_is_wider_than_80_columns() {
    for command in [
        "",
        "list",
        "scenario",
        "grade",
        "tasks",
        "rule",
        "starter",
        "schema",
        "serve",
        "load",
        "doctor",
        "completions",
    ] {
        for option in ["-h", "--help"] {
            assert_fits_80_columns(&printed(&format!("{command} {option}")));
        }
    }
}

#[test]
fn every_example_of_the_help_makes_sense_and_the_exit_codes_follow() {
    let mut examples = Vec::new();
    for command in ["", "scenario", "grade", "load", "storm", "doctor"] {
        let help = printed(&format!("{command} --help"));
        assert_contains(&help, &["\nExit codes:\n  0  "]);
        let lines = help.lines().filter_map(|line| line.strip_prefix("  lab "));
        examples.extend(lines.filter_map(|line| Some(line.split("  ").next()?.to_owned())));
    }

    assert!(examples.len() > 10, "{examples:?}");
    for example in examples {
        let words = ["lab"].into_iter().chain(example.split(' '));
        assert_eq!(lab::cli::check(words), Ok(()), "{example}");
    }
}

#[test]
fn completes_every_name_in_every_shell() {
    for (shell, start) in [
        ("bash", "_lab() {\n"),
        ("zsh", "#compdef lab\n"),
        ("fish", "# Print an optspec"),
    ] {
        let script = printed(&format!("completions {shell}"));

        assert!(script.starts_with(start), "{shell}: {script}");
        let words = || script.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-');
        // A scenario is the name of an argument; a task that of one and of three
        // options; a rule that of one and of an option.
        let scenarios = CATALOGUE.iter().map(|scenario| (scenario.name(), 1));
        let tasks = grade::all().map(|task| (task.words.name, 4));
        let rules = RULES.iter().map(|rule| (rule.id, 2));
        for (name, times) in scenarios.chain(tasks).chain(rules) {
            let found = words().filter(|word| *word == name).count();
            assert!(found >= times, "{name} in {shell}: {found} times");
        }
    }
}
