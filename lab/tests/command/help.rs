//! The help and the completions.

use evidence::rules::RULES;
use runner::{grade, scenario::CATALOGUE};

use crate::{assert_contains, assert_fits_80_columns, printed};

/// The help without the blanks that clap leaves at the ends of lines.
fn trimmed(arguments: &str) -> String {
    let printed = printed(arguments);
    let lines = printed.lines().map(str::trim_end);
    lines.collect::<Vec<_>>().join("\n")
}

/// The help up to the examples, which another test runs.
fn help(arguments: &str) -> String {
    let help = trimmed(arguments);
    let options = help.split("\nExamples:").next();
    options.expect("split yields at least one part").to_owned()
}

#[test]
fn the_help_of_the_lab_groups_its_commands() {
    insta::assert_snapshot!(trimmed("--help"), @"
    A teaching lab for reliable HTTP clients

    A service on this machine fails on purpose, and a client has to cope with it.
    The lab shows what happened: every attempt and every wait, what the service saw,
    and which counters moved. It grades clients in any language. It needs no account
    and no internet.

    Usage: lab <COMMAND>

    Learn:
      list         List the scenarios in the order of the course
      scenario     Run a scenario, or all, and show every attempt, wait and verdict
      storm        Simulate many clients during an incident, and see which policies
                   recover

    Grade:
      starter      Write a small client that does the first task
      grade        Grade a client in any language: the command after `--` starts it
      tasks        List the tasks that a client is graded on
      rule         List the rules that clients are judged by, or explain one

    Observe:
      serve        Serve the web UI on this machine
      load         Start many runs in a running `lab serve`, so that its counters
                   move

    Tools:
      doctor       Check whether this machine is ready for a workshop
      schema       Print the JSON Schema of a run, a card or a storm
      completions  Print a shell completion script
      help         Print this help, or that of a command

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Start here (in a checkout, write `cargo run -p lab --` instead of `lab`):
      lab scenario flaky        a service fails twice, then succeeds
      lab scenario flaky --ask  the same, but predict first
      lab starter python        write a first client, to extend and grade
      lab serve --open          the web UI, in the browser

    Exit codes:
      0  every expectation held
      1  an expectation did not hold
      2  the command line is invalid
      3  the environment failed, such as a port that is taken
      4  a graded client attempted no task
    130  Ctrl+C cancelled the run, so nothing is judged
    ");
}

#[test]
fn the_help_of_a_scenario_explains_its_options() {
    insta::assert_snapshot!(help("scenario --help"), @"
    Run a scenario, or all, and show every attempt, wait and verdict

    A run starts a service on a free port, lets a client call it, stops both, and
    checks the evidence against the expectations of the scenario. The expectations
    depend on the options: with other limits, another outcome is correct. In virtual
    time, one seed always gives the same output, byte for byte.

    Ctrl+C cancels a run and shows its evidence up to that point. No run sends more
    than 10000 requests or takes longer than an hour.

    Usage: lab scenario [OPTIONS] <NAME>

    Arguments:
      <NAME>
              The scenario to run, or `all`; `lab list` shows them

    Options:
          --filter <TEXT>
              With `all`: only the scenarios whose name contains this

          --seed <N>
              The seed of jitter, keys, cursors and ids [default: random]

          --pace <PACE>
              Wait in real time, or only compute the waits [default: real; virtual
              for `all`]

              [possible values: real, virtual]

      -h, --help
              Print help (see a summary with '-h')

    Client and limits:
          --max-attempts <N>
              The maximum number of requests of one call, up to 10000

          --max-retry-after <SECONDS>
              The longest Retry-After that the client waits for; a longer one ends
              the call

          --max-pages <N>
              The maximum number of pages that the client reads of a listing, up to
              10000

          --max-items <N>
              The maximum number of items that the client yields from a listing, up
              to 10000

          --client <CLIENT>
              The client to run. The naive one breaks most expectations on purpose:
              the exit code is then 1

              Possible values:
              - reliable: The reference client
              - naive:    A typical first client

              [default: reliable]

          --without <DEFENCE>
              Remove one defence of the reference client, and see what breaks

              Possible values:
              - retry-after-seconds:   It takes no notice of a Retry-After in
                seconds, and comes back when its own backoff says so.
              - backoff-jitter:        It always waits for the full ceiling (200 ms,
                then 400 ms), as does every client that failed at the same moment.
              - cursor-loop:           It compares each cursor only with the
                previous one, so it misses the loop A, B, A and reads on up to its
                page limit.
              - idempotency-key-reuse: It makes up a new key for every attempt, so
                the service treats every attempt as a new request.
              - body-media-type:       It parses every body, whatever its media
                type, and treats the result as valid data.
              - deadline:              It accepts every wait within its other
                limits, even if the wait ends after the caller's deadline. The
                service cannot observe that, so no rule is broken.

          --compare
              Run two clients with one seed and show them side by side: the reliable
              client and the naive client, or the client of --without. The exit code
              is that of the reliable client

    Output:
          --otlp <URL>
              Send the trace to the OTLP/HTTP receiver at this base address, such as
              http://127.0.0.1:4318 [default: what the standard variables
              OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT say]

          --ask
              Ask a question first, read your prediction from stdin, and say whether
              it was right; with `all`, keep the score

          --report <FILE>
              Also write the run to this file, as an HTML report

          --json
              Print the run as JSON; `lab schema` describes it

          --explain
              Explain each row: the response, the client's limits, and the decision

          --exchanges
              Show each request and its response as sent over the wire, without
              possible secrets

          --ascii
              Use ASCII only
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
        "storm",
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
        // Scenarios are values of one argument; tasks of one argument and three options;
        // rules of one argument and one option.
        let scenarios = CATALOGUE.iter().map(|scenario| (scenario.name(), 1));
        let tasks = grade::all().map(|task| (task.words.name, 4));
        let rules = RULES.iter().map(|rule| (rule.id, 2));
        for (name, times) in scenarios.chain(tasks).chain(rules) {
            let found = words().filter(|word| *word == name).count();
            assert!(found >= times, "{name} in {shell}: {found} times");
        }
    }
}
