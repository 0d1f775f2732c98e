//! The help.

use crate::command::printed;

#[test]
fn the_help_of_the_lab_says_where_to_start() {
    // clap leaves blanks at the ends of lines.
    let help = printed("--help");
    let lines: Vec<_> = help.lines().map(str::trim_end).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    A teaching lab for reliable HTTP clients

    A service on this machine fails on purpose, and a client has to cope with it.
    The lab shows what happened: every attempt and every wait, what the service saw,
    and which counters moved. It grades clients in any language. It needs no account
    and no internet.

    Usage: lab <COMMAND>

    Commands:
      list         List the scenarios, the tasks, the rules or the stories
      scenario     Run a scenario, or all, and show every attempt, wait and verdict
      grade        Grade a client in any language: the command after `--` starts it
      proxy        Judge the client inside your application, in front of your API
      rule         Explain a rule by which clients are judged
      starter      Write a small client that does the first task
      storm        Simulate many clients during an incident, and see which policies
                   recover
      serve        Serve the web UI on this machine
      load         Start many runs in a running `lab serve`, so that its counters
                   move
      completions  Print a shell completion script
      help         Print this message or the help of the given subcommand(s)

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
    129  the terminal was closed, so nothing is judged
    130  Ctrl+C cancelled the run, so nothing is judged
    143  SIGTERM ended the run, so nothing is judged
    ");
}
