//! The parts of the help text that are not about one command or option: where to start, the
//! examples, and what each exit code means.

/// No line of the help is longer, whatever the terminal.
pub(crate) const WIDTH: usize = 80;

/// The first commands to try.
const START_HERE: &str = "\
Start here (in a checkout, write `cargo run -p lab --` instead of `lab`):
  lab scenario flaky        a service fails twice, then succeeds
  lab scenario flaky --ask  the same, but predict first
  lab starter python        write a first client, to extend and grade
  lab serve --open          the web UI, in the browser";

/// Examples with a scenario.
const SCENARIO_EXAMPLES: &str = "\
Examples:
  lab scenario flaky
      what happened, and why it matters
  lab scenario flaky --ask
      predict first, then compare with what happened
  lab scenario flaky --max-attempts 2
      a client that gives up too early
  lab scenario retry-later --max-retry-after 120 --pace virtual
      a wait of two minutes that takes no time
  lab scenario lost-response --compare
      compared with a naive client
  lab scenario flaky --seed 1 --pace virtual --report flaky.html
      a report to show or to print, the same every time
  lab scenario flaky --live
      inside the running `lab serve`, so that Grafana shows it
  lab scenario all
      every scenario, in virtual time";

/// Follows the options of a storm.
pub(crate) const BELOW_STORM: &str = "\
How a row ends:
  ok after N s  from N seconds after the incident on, at least nine tenths as many
                calls succeed as before it; with a mark, only in five times the length
  DOWN          at the end less than half as many of them do
  degraded      between the two

Examples:
  lab storm
      a spike, and four policies
  lab list stories
      all stories and their policies
  lab storm herd
      another story
  lab storm --seeds 20
      how often each policy recovers
  lab storm --attempts 5 --budget 20
      a policy of your own beside the others
  lab storm --policy 3-jitter 3-budget --calls-per-second 40
      other policies, by the names of their rows, and less load
  lab storm --incident refusal --refused 0.3
      another incident, which fails a share of the requests
  lab storm --policy 3-jitter 3-budget --loads 40..80:10
      how often each policy recovers, at several loads

Exit codes:
  0  the storm was simulated, whatever its result
  2  the command line is invalid
  3  the environment failed, such as a file that cannot be written
129  the terminal was closed
130  Ctrl+C ended it; the results so far are printed
143  SIGTERM ended it; the results so far are printed";

/// Follows the options of the proxy.
pub(crate) const BELOW_PROXY: &str = "\
Examples:
  lab proxy http://127.0.0.1:9000 --set API_URL --list -- npm run smoke
      the healthy runs and the plan, and no fault
  lab proxy http://127.0.0.1:9000 --set API_URL={base_url}/v2 -- npm run smoke
      all that can be told
  lab proxy http://127.0.0.1:9000 --set API_URL --once 'POST /v1/orders' \\
      --fault lost-response -- python3 smoke.py
      whether a lost response makes a second order
  lab proxy https://staging.example.com --allow-host staging.example.com \\
      --set API_URL --listen 172.18.0.1 --allow-network \\
      --base-host 172.18.0.1 -- ./in-a-container
      an application in a container, in front of an API elsewhere
  lab proxy http://127.0.0.1:9000 --route 'GET /v1/orders' --fault silence
      without a command: serve until Ctrl+C

Exit codes:
  0  no rule is broken
  1  a rule is broken, one of --require is not kept, or something on the list of
     --known-failing did not fail; with --strict, something cannot be told
  2  the command line is invalid
  3  there is no judgement: the upstream does not answer, or the command is not
     found or fails although nothing is broken
  4  nothing was exercised
129  the terminal was closed, so nothing is judged
130  Ctrl+C ended it, so nothing is judged
143  SIGTERM ended it, so nothing is judged
Without a command, each of these ends the recording, and what was recorded is
judged.";

/// Follows the options of grading.
pub(crate) const BELOW_GRADE: &str = "\
Examples:
  lab starter python
      writes client.py, which does the first task
  lab grade -- python3 client.py
      what your client does well, and what to build next
  lab grade --watch client.py -- python3 client.py
      the same at every save
  lab grade --task flaky -- curl -sf --retry 3 '{url}'
      a client that needs no code; `lab list tasks` names all tasks
  lab grade --all --report card.html -- ./client
      the whole card as a page; with --json for a program
  lab grade --all --require read-all flaky --junit card.xml -- ./client
      for a pipeline, which fails unless these two tasks are done
  lab grade --solution python
      a client that does every task, to compare with yours
  lab grade --summary cards
      how many of the cards in this folder reached each goal and kept each rule

Exit codes:
  0  every attempted goal is reached, and no rule is broken
  1  a goal is missed, a rule is broken, a task of --require is not done, or
     something on the list of --known-failing did not fail; with --strict,
     something could not be judged
  2  the command line is invalid
  3  the environment failed, such as a program that does not exist
  4  the client attempted no task
129  the terminal was closed, so nothing is judged
130  Ctrl+C ended it, so nothing is judged
143  SIGTERM ended it, so nothing is judged
Without a command, each of these ends the recording, and what was recorded is
judged.";

/// Examples with a load.
const LOAD_EXAMPLES: &str = "\
Examples:
  lab load
      a minute of traffic, five runs a second
  lab load --seconds 600 --rate 10
      ten minutes of traffic
  lab load retry-after-seconds retry-after-date --rate 2
      only the waits that the service asks for
  lab load --page http://127.0.0.1:9000
      for a `lab serve` with another --page-port";

const EXIT_CODES: &str = "\
Exit codes:
  0  every expectation held
  1  an expectation did not hold
  2  the command line is invalid
  3  the environment failed, such as a port that is taken";

/// The last codes of the commands that run something.
const CANCELLED: &str = "\
129  the terminal was closed, so nothing is judged
130  Ctrl+C cancelled the run, so nothing is judged
143  SIGTERM ended the run, so nothing is judged";

/// Follows the options of the lab: where to start, and every exit code.
pub(crate) fn below_lab() -> String {
    format!("{START_HERE}\n\n{EXIT_CODES}\n  4  a graded client attempted no task\n{CANCELLED}")
}

/// Follows the options of a scenario.
pub(crate) fn below_scenario() -> String {
    format!("{SCENARIO_EXAMPLES}\n\n{EXIT_CODES}\n{CANCELLED}")
}

/// Follows the options of a load.
pub(crate) fn below_load() -> String {
    format!("{LOAD_EXAMPLES}\n\n{EXIT_CODES}")
}
