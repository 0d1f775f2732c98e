//! The help text: what the lab is, how to begin, and what an exit code says.

/// No line of the help is longer, whatever the terminal.
pub(super) const WIDTH: usize = 80;

/// What the lab is.
pub(super) const LAB: &str = "\
An observable lab for reliable HTTP clients

A service on this machine misbehaves on purpose, and a client has to cope with \
it. The lab runs one such fault at a time and shows the evidence: every attempt \
and every wait, what the service saw, which counters moved, and whether the \
expectations held. It needs no account and no internet.";

/// How to begin.
const LAB_EXAMPLES: &str = "\
Start here (in a checkout, write `cargo run -p lab --` instead of `lab`):
  lab list                  what can be run
  lab scenario flaky        a service that fails twice, then succeeds
  lab scenario flaky --ask  the same, but predict first
  lab scenario all          the whole course, without the waits
  lab doctor                whether this machine is ready for a workshop
  lab starter python        a client of your own, and how to have it graded
  lab storm                 many clients, a short incident, and who recovers
  lab serve --open          the lab's web UI, in the browser
  lab load                  many runs there, so that its counters move";

/// What running a scenario means.
pub(super) const SCENARIO: &str = "\
Run a scenario, or all, each on a fresh service, and show the evidence

A run starts a service on a free port, lets a client call it, stops both, and \
checks the evidence against what the scenario expects. The expectations follow \
the options: under other limits another outcome is right. In virtual time one \
seed always gives the same output, to the byte.

Ctrl+C cancels a run and shows what there is of it. No run sends more than 10000 \
requests or takes longer than an hour.";

/// What to try with a scenario.
const SCENARIO_EXAMPLES: &str = "\
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
      a report to show or to print, the same every time
  lab scenario all --filter retry
      every scenario with that in its name";

/// What a storm is.
pub(super) const STORM: &str = "\
Let many clients meet a short incident, and see who recovers

One client that waits politely looks slower than one that hammers. Why waiting \
wins, and when it does not, shows only with many: a service that can bear so much \
and no more, a short incident, and retries that keep it down. The clients have the \
middleware that ships; the service is a model of one, in virtual time. One seed \
always gives the same output, to the byte.

Ctrl+C ends it, and shows what there is. No policy runs more than a million \
requests, nor more than 20000 calls at once.";

/// What to try with a storm.
const STORM_EXAMPLES: &str = "\
Examples:
  lab storm
      a spike, and five ways to meet it
  lab storm --list
      all stories, and what other clients ship with
  lab storm herd
      another story
  lab storm --seeds 20
      how often each ends in which way
  lab storm --attempts 5 --budget 20
      a policy of your own beside the others
  lab storm --policy 3-jitter grpc envoy --calls-per-second 40
      other policies, and less load
  lab storm --incident cut --workers-left 3
      another incident";

/// What grading is.
pub(super) const GRADE: &str = "\
Grade any client: the command after `--` runs it, once for each case of a task

A task is run several times, each time with a service and a URL of its own. The \
process finds them in LAB_TASK and LAB_URL, or in its arguments as `{task}` and \
`{url}`, and prints its result as JSON on its last line. Judged are the result, and \
what the service saw on the wire; nothing that the client says of itself. \
`{\"skip\": true}` or exit code 127 says that it does not do this task; 127 for \
every task and no request, that it was never started.

Tasks are run in order up to the first that is not done, and what to do about it \
is explained.";

/// Stands below the options of grading.
pub(super) const BELOW_GRADE: &str = "\
Examples:
  lab starter python
      writes client.py, which does the first task
  lab grade -- python3 client.py
      what it does well, and what to build next
  lab grade --watch client.py -- python3 client.py
      the same at every save
  lab grade --task flaky -- curl -sf --retry 3 '{url}'
      a client that needs no code
  lab grade --all --report card.html -- ./client
      the whole card as a page, to show or to hand in; with --json for a program
  lab grade --all --require read-all flaky --junit card.xml -- ./client
      for a pipeline, which fails unless these two are done
  lab grade --summary anna.json bert.json
      how many of these cards reached each goal and kept each rule

Exit codes:
  0  every goal that was attempted is reached, and no rule is broken
  1  a goal is missed, a rule is broken, a task of --require is not done, or a
     rule of --known-failing is kept
  2  the command line makes no sense
  3  the environment failed, such as a program that is not there
  4  the client attempted none of the tasks
130  Ctrl+C ended it, so nothing is judged";

/// What a load is.
pub(super) const LOAD: &str = "\
Have a running `lab serve` run many runs, so that its counters move

The runs are a mix of the whole course, each on a fresh service in the process of \
`lab serve`, in real time: most of them healthy, and in the last third of every \
minute three times as many faults. So the counters of client and service at the \
service's /metrics give the dashboards something to show. The number of runs at a \
time is limited; a run beyond the limit is refused and counted, and then the exit \
code is 3. The web UI does not keep these runs. Ctrl+C stops them and sums up what \
was run.";

/// What to try with a load.
const LOAD_EXAMPLES: &str = "\
Examples:
  lab load
      a minute of traffic, five runs a second
  lab load --seconds 600 --rate 10
      something to look at for ten minutes
  lab load --filter retry-after --rate 2
      only the waits that the service asks for
  lab load --page http://127.0.0.1:9000
      where `lab serve` has another --page-port";

/// What the doctor looks at.
pub(super) const DOCTOR: &str = "\
Check what a workshop needs before it starts, and say what to do

It looks at the ports of `lab serve`, at loopback and the proxies before it, at \
the terminal, and at Docker, Prometheus, Tempo and Grafana, which only the \
dashboards need. It changes nothing and takes at most two seconds.";

/// Stands below the options of the doctor. What it finds is about the machine, so
/// its exit codes have meanings of their own.
pub(super) const BELOW_DOCTOR: &str = "\
Examples:
  lab doctor
      before a workshop with the terminal and the web UI
  lab doctor --with-grafana
      before one with the dashboards as well
  lab doctor --json
      for a script

Exit codes:
  0  nothing stands in the way
  1  something has to be done first
  2  the command line makes no sense
  3  the machine could not be looked at";

const EXIT_CODES: &str = "\
Exit codes:
  0  every expectation held
  1  an expectation did not hold
  2  the command line makes no sense
  3  the environment failed, such as a port that is taken";

/// Running a scenario has one more.
const CANCELLED: &str = "130  Ctrl+C cancelled the run, so nothing is judged";

/// Stands below the options of the lab: how to begin, and how it ends.
pub(super) fn below_lab() -> String {
    format!("{LAB_EXAMPLES}\n\n{EXIT_CODES}")
}

/// Stands below the options of a scenario.
pub(super) fn below_scenario() -> String {
    format!("{SCENARIO_EXAMPLES}\n\n{EXIT_CODES}\n{CANCELLED}")
}

/// Stands below the options of a storm.
pub(super) fn below_storm() -> String {
    format!("{STORM_EXAMPLES}\n\n{EXIT_CODES}\n{CANCELLED}")
}

/// Stands below the options of a load.
pub(super) fn below_load() -> String {
    format!("{LOAD_EXAMPLES}\n\n{EXIT_CODES}")
}
