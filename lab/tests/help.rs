//! What people read in a terminal, word for word: the help, and the text of
//! three runs. And what a shell reads: the completions.

use std::process::{Command, Output, Stdio};

use runner::scenario::CATALOGUE;

fn lab(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(arguments.split(' '))
        .env("LC_ALL", "C.UTF-8")
        // What is as wide as the terminal would differ from place to place.
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .output()
        .expect("lab runs")
}

fn printed(arguments: &str) -> String {
    let output = lab(arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What is printed, without the blanks that clap leaves at the ends of lines.
fn help(arguments: &str) -> String {
    let printed = printed(arguments);
    let lines: Vec<_> = printed.lines().map(str::trim_end).collect();
    lines.join("\n")
}

#[test]
fn the_help_of_the_lab_says_how_to_begin() {
    insta::assert_snapshot!(help("--help"), @"
    An observable lab for reliable HTTP clients

    A service on this machine misbehaves on purpose, and a client has to get along
    with it. The lab plays one such fault at a time and shows the evidence: every
    attempt and every wait, what the wire saw, which counters moved, and whether
    what was expected held. It needs no account, and no internet.

    Usage: lab <COMMAND>

    Commands:
      list         List the scenarios in the order of the course
      scenario     Play a scenario, or all, each on a fresh service, and show the
                   evidence
      schema       Print the JSON Schema of a run, as `scenario --json` prints it
      serve        Serve the lab as a web page, on this machine alone
      load         Have a running `lab serve` play many runs, for the sake of its
                   counters
      doctor       Check what a workshop needs before it starts, and say what to do
      completions  Print a script that completes commands, options and scenarios
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Start here (in a checkout, write `cargo run -p lab --` in place of `lab`):
      lab list                  what can be played
      lab scenario flaky        a service that fails twice, then answers
      lab scenario flaky --ask  the same, but predict first
      lab scenario all          the whole course, without the waits
      lab doctor                whether this machine is ready for a workshop
      lab serve --open          the lab as a web page, in the browser
      lab load                  traffic for it, to be seen on its counters

    Exit codes:
      0  every expectation held
      1  an expectation did not hold
      2  the command line makes no sense
      3  the environment failed, such as a port that is taken
    ");
}

#[test]
fn the_help_of_a_scenario_says_what_to_try() {
    insta::assert_snapshot!(help("scenario --help"), @"
    Play a scenario, or all, each on a fresh service, and show the evidence

    A run starts a service on a free port, builds a client, lets it act, stops
    everything, and holds what it left behind to what was expected. The expectations
    follow the options: with other limits another ending is right. In virtual time
    one seed tells one story, to the byte.

    Ctrl+C cancels a run: it is taken down, and what there is of it is shown. No run
    sends more than 10000 requests or takes longer than an hour.

    Usage: lab scenario [OPTIONS] <NAME>

    Arguments:
      <NAME>
              The scenario to play, or `all`; `lab list` shows them

    Options:
          --filter <TEXT>
              With `all`: only the scenarios whose name contains this

          --seed <N>
              What jitter, keys, cursors and ids are made from; random if left out

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
              Which client plays. What people first write breaks most expectations,
              which is the lesson: the exit code is then 1

              Possible values:
              - reliable: The reference client
              - naive:    What people first write

              [default: reliable]

          --compare
              Play both clients with one seed and show them side by side; the exit
              code is the reliable client's

    What becomes of the evidence:
          --otlp <URL>
              Send the trace on to the OTLP/HTTP receiver at this base address, such
              as http://127.0.0.1:4318 [default: what the standard variables
              OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT say]

          --ask
              Read your prediction from stdin before anything is shown

          --report <FILE>
              Write the run to this file as well, as one page of HTML

          --json
              Print the run as JSON; `lab schema` says what it holds

          --ascii
              Draw with nothing but ASCII

    Examples:
      lab scenario flaky
          what happened, and why it matters
      lab scenario flaky --ask
          the question first; then what happened, beside your prediction
      lab scenario flaky --max-attempts 2
          a client that gives up too early
      lab scenario retry-later --max-retry-after 120 --pace virtual
          a wait of two minutes that takes none
      lab scenario lost-response --compare
          beside what people first write
      lab scenario flaky --seed 1 --pace virtual --report flaky.html
          a page to show or to print, the same every time
      lab scenario all --filter retry
          every scenario with that in its name

    Exit codes:
      0  every expectation held
      1  an expectation did not hold
      2  the command line makes no sense
      3  the environment failed, such as a port that is taken
    130  Ctrl+C cancelled the run, so nothing is judged
    ");
}

#[test]
fn the_help_of_a_load_says_what_it_plays() {
    insta::assert_snapshot!(help("load --help"), @"
    Have a running `lab serve` play many runs, for the sake of its counters

    The runs are a mix of the whole course, each on a fresh service in the server's
    own process, in real time: most of them healthy, and in the last third of every
    minute three times as many faults. So both sides' counters on the service's
    /metrics have a course that is worth a dashboard. No more go on at once than the
    server can bear; what is due beyond that is refused and counted, and then the
    exit code is 3. The runs are not kept on the page. Ctrl+C stops them, and sums
    up what was played.

    Usage: lab load [OPTIONS]

    Options:
          --seconds <N>
              For how many seconds runs are started, from 1 to 7200

              [default: 60]

          --rate <R>
              How many runs are started in a second, from 1 to 50

              [default: 5]

          --filter <TEXT>
              Only the scenarios whose name contains this

          --seed <N>
              What the choice of scenarios, and each run, is drawn from; random if
              left out

          --page <URL>
              The address of the page, as `lab serve` prints it

              [default: http://127.0.0.1:8766]

          --ascii
              Set the summary with nothing but ASCII

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      lab load
          a minute of traffic, five runs a second
      lab load --seconds 600 --rate 10
          something to look at for ten minutes
      lab load --filter retry-after --rate 2
          nothing but waits that the service asked for
      lab load --page http://127.0.0.1:9000
          at a page that is not on its usual port

    Exit codes:
      0  every expectation held
      1  an expectation did not hold
      2  the command line makes no sense
      3  the environment failed, such as a port that is taken
    ");
}

#[test]
fn the_help_of_the_doctor_says_what_it_looks_at() {
    insta::assert_snapshot!(help("doctor --help"), @"
    Check what a workshop needs before it starts, and say what to do

    It looks at the ports of `lab serve`, at loopback and the proxies before it, at
    the terminal, and at Docker, Prometheus, Tempo and Grafana, which only the
    dashboards need. It changes nothing, and takes no more than two seconds.

    Usage: lab doctor [OPTIONS]

    Options:
          --with-grafana
              Hold Docker, Prometheus, Tempo and Grafana to being there: what is
              missing is then a problem, and no mere note

          --json
              Print the findings as JSON

          --ascii
              Write with nothing but ASCII

      -h, --help
              Print help (see a summary with '-h')

    Where to look:
          --port <PORT>
              The port that the teaching service is to have

              [default: 8765]

          --page-port <PORT>
              The port that the page is to have

              [default: 8766]

          --prometheus <URL>
              The base address of Prometheus

              [default: http://127.0.0.1:9090]

          --tempo <URL>
              The base address of Tempo

              [default: http://127.0.0.1:3200]

          --otlp <URL>
              The base address that takes traces over OTLP/HTTP

              [default: http://127.0.0.1:4318]

          --grafana <URL>
              The base address of Grafana

              [default: http://127.0.0.1:3000]

    Examples:
      lab doctor
          before a workshop with the terminal and the page
      lab doctor --with-grafana
          before one with the dashboards as well
      lab doctor --json
          for a script

    Exit codes:
      0  nothing stands in the way
      1  something has to be done first
      2  the command line makes no sense
      3  the machine could not be looked at
    ");
}

#[test]
fn no_help_is_wider_than_80_columns() {
    for command in [
        "",
        "list ",
        "scenario ",
        "schema ",
        "serve ",
        "load ",
        "doctor ",
        "completions ",
    ] {
        for option in ["-h", "--help"] {
            for line in printed(&format!("{command}{option}")).lines() {
                assert!(line.chars().count() <= 80, "{command}{option}: {line}");
            }
        }
    }
}

#[test]
fn every_example_of_the_help_makes_sense() {
    let commands = ["--help", "scenario --help", "load --help", "doctor --help"];
    let help = commands.map(printed).concat();

    let examples: Vec<_> = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split("  ").next())
        .filter(|line| line.starts_with("lab "))
        .collect();

    assert!(examples.len() > 10, "{examples:?}");
    for example in examples {
        assert_eq!(lab::cli::check(example.split(' ')), Ok(()), "{example}");
    }
}

#[test]
fn completes_the_name_of_every_scenario() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&format!("completions {shell}"));

        let words: Vec<_> = script
            .split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-')
            .collect();
        for scenario in CATALOGUE {
            assert!(
                words.contains(&scenario.words.name),
                "{} in {shell}",
                scenario.words.name
            );
        }
    }
}

#[test]
fn begins_its_completions_as_the_shell_wants_it() {
    let first = |shell| {
        let script = printed(&format!("completions {shell}"));
        script.lines().next().unwrap_or_default().to_owned()
    };

    assert_eq!(first("bash"), "_lab() {");
    assert_eq!(first("zsh"), "#compdef lab");
    assert!(first("fish").starts_with("# Print an optspec"));
}

#[test]
fn an_unknown_shell_is_a_usage_error() {
    assert_eq!(lab("completions tcsh").status.code(), Some(2));
}

#[test]
fn shows_a_service_that_recovers() {
    insta::assert_snapshot!(printed("scenario flaky --pace virtual --seed 7"), @"
    flaky — the service fails twice, then answers
    GET /flaky · up to 3 attempts · backoff 200 ms–5 s, full jitter
    Retry-After up to 30 s
    seed 7 · virtual time: the waits are drawn, not waited for

        0 ms  ▕█▏                                attempt 1   503 Service Unavailable
        0 ms   ─                                 └ service  503 · fault flaky
        0 ms   ▕░░▏                              wait 6 ms   backoff (status 503)
        6 ms     ▕█▏                             attempt 2   503 Service Unavailable
        6 ms      ─                              └ service  503 · fault flaky
        6 ms      ▕░░░░░░░░░░░░░░░░░░░░░░░░░░▏   wait 122 ms   backoff (status 503)
      128 ms                                ▕█▏  attempt 3   200 OK
      128 ms                                 ─   └ service  200

    outcome   ok, attempt = 3
    wire      the service saw 3 requests; the client counted 3
    counters  client_attempts_total +3   client_retries_total +2
              client_give_ups_total 0   client_cursor_loops_total 0

    ✓ client  answered with attempt 3
    ✓ wire    the service saw exactly 3 requests
    ✓ client  the wire and the client agree on the number of requests
    ✓ wire    no request came earlier than allowed
    ✓ wire    a GET that met a 503 was sent again
    ✓ wire    there was a pause before retries
    ✓ wire    requests said that they bring and take JSON

    Why it matters  A 503 often passes, so a GET, which changes nothing, is worth
                    another attempt. Each wait of the reliable client was drawn at
                    random below a ceiling that doubles, so that clients that failed
                    together do not come back together.
    Does not solve  A service that stays down. Attempts run out, and the caller has
                    to be ready for that.
    Try next        cargo run -p lab -- scenario flaky --max-attempts 2
    ");
}

#[test]
fn shows_a_lost_response() {
    insta::assert_snapshot!(printed("scenario lost-response --pace virtual --seed 7"), @"
    lost-response — the job is created, its answer is lost
    POST /jobs · up to 3 attempts · backoff 200 ms–5 s, full jitter
    Retry-After up to 30 s
    seed 7 · virtual time: the waits are drawn, not waited for

        0 ms  ▕█▏                             attempt 1   connection_lost
        0 ms   ─                              └ service  201
        0 ms   ▕░░░░░░░░░░░░░░░░░░░░░░░░░░▏   wait 54 ms   backoff (connection_lost)
       54 ms                             ▕█▏  attempt 2   201 Created
       54 ms                              ─   └ service  201

    outcome   ok, the client has its job
    wire      the service saw 2 requests; the client counted 2
    counters  client_attempts_total +2   client_retries_total +1
              client_give_ups_total 0   client_cursor_loops_total 0

    ✓ client  the client has its job
    ✓ wire    the service saw exactly 2 requests
    ✓ wire    the service created one job, not two
    ✓ client  the wire and the client agree on the number of requests
    ✓ wire    no request came earlier than allowed
    ✓ wire    every attempt at one job carried one key
    ✓ wire    one job was created where one was meant
    ✓ wire    requests said that they bring and take JSON

    Why it matters  From a client's side a lost response and a lost request look the
                    same, so a POST must not be repeated blindly. This one may be:
                    the service recognises the key, and the reliable client sent one
                    key twice, so one job was created.
    Does not solve  A service without keys. There the caller must look whether the
                    change took effect.
    Try next        cargo run -p lab -- scenario lost-response --max-attempts 1
    ");
}

#[test]
fn shows_a_retry_after_that_is_a_date() {
    insta::assert_snapshot!(printed("scenario retry-after-date --pace virtual --seed 7"), @"
    retry-after-date — the service names the time of its return
    GET /maintenance · up to 3 attempts · backoff 200 ms–5 s, full jitter
    Retry-After up to 30 s
    seed 7 · virtual time: the waits are drawn, not waited for

        0 ms  ▕█▏                                attempt 1   503 Service Unavailable
        0 ms   ─                                 └ service  503 · fault maintenance
        0 ms   ▕░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▏   wait 3 s   Retry-After (status 503)
         3 s                                ▕█▏  attempt 2   200 OK
         3 s                                 ─   └ service  200

    outcome   ok
    wire      the service saw 2 requests; the client counted 2
    counters  client_attempts_total +2   client_retries_total +1
              client_give_ups_total 0   client_cursor_loops_total 0

    ✓ client  the second attempt succeeded
    ✓ wire    the client waited until the date that the service named
    ✓ wire    the service saw exactly 2 requests
    ✓ client  the wire and the client agree on the number of requests
    ✓ wire    no request came earlier than allowed
    ✓ wire    a GET that met a 503 was sent again
    ✓ wire    no request came before the date of a Retry-After
    ✓ wire    requests said that they bring and take JSON

    Why it matters  RFC 9110 allows seconds or a date, in three formats, and a
                    client that reads only the seconds calls early whenever it meets
                    the other. The reliable client waited in full: for the date
                    minus now, by the calendar. The pause itself was measured on a
                    clock that never steps.
    Does not solve  A client whose calendar is wrong waits wrongly. Seconds are the
                    safer form, where the service can choose.
    Try next        cargo run -p lab -- scenario retry-after-past-date
    ");
}
