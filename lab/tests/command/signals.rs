//! Signals: each ends the command within three seconds, whatever it does, and leaves no client
//! running.
#![cfg(target_os = "linux")]

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, ErrorKind, Read},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread::{scope, sleep, spawn},
    time::{Duration, Instant},
};

use tempfile::{TempDir, tempdir};
use testkit::{PATIENCE, process::signal};
use tokio::{net::unix::pipe, runtime::Builder};

use crate::command::{
    assert_contains, command,
    proxy::{CALM, api, judges},
};

/// The signals, each with its number.
const SIGNALS: [(&str, i32); 3] = [("HUP", 1), ("INT", 2), ("TERM", 15)];

/// A pipe that is full. Nobody reads it as long as its reader lives.
fn full_pipe() -> (pipe::Receiver, Stdio) {
    let runtime = Builder::new_current_thread().enable_io().build();
    runtime.expect("a runtime").block_on(async {
        let (sender, reader) = pipe::pipe().expect("a pipe");
        sender.writable().await.expect("it is empty");
        let full = loop {
            if let Err(error) = sender.try_write(&[0]) {
                break error;
            }
        };
        assert_eq!(full.kind(), ErrorKind::WouldBlock);
        let writer = sender.into_blocking_fd().expect("a descriptor");
        (reader, writer.into())
    })
}

/// A pipe with a name.
fn named_pipe(folder: &TempDir) -> PathBuf {
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    pipe
}

/// The same command with all signals as by default: these tests may themselves run under `nohup`
/// or in the background, and a signal that is ignored stays so in a child.
fn with_default_signals(lab: &Command) -> Command {
    let mut outer = Command::new("env");
    outer.arg("--default-signal").arg(lab.get_program());
    outer.args(lab.get_args()).stdin(Stdio::null());
    for (name, value) in lab.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    outer
}

/// Waits until a process is blocked by a pipe that nobody reads.
fn wait_until_blocked(lab: &mut Child, story: &str) {
    let started = Instant::now();
    loop {
        let waits_in = fs::read_to_string(format!("/proc/{}/wchan", lab.id()));
        let waits_in = waits_in.expect("it runs");
        if waits_in.ends_with("pipe_write") || waits_in.contains("partner") {
            return;
        }
        assert_eq!(lab.try_wait().expect("a status"), None, "{story}");
        assert!(started.elapsed() < 4 * PATIENCE, "{story}: {waits_in}");
        sleep(Duration::from_millis(10));
    }
}

/// How a process ends, if it does so in time. Else it is killed.
fn end_of(lab: &mut Child) -> Option<ExitStatus> {
    let asked = Instant::now();
    while asked.elapsed() < PATIENCE {
        let status = lab.try_wait().expect("a status");
        if status.is_some() {
            return status;
        }
        sleep(Duration::from_millis(10));
    }
    lab.kill().expect("it is killed");
    lab.wait().expect("it has ended");
    None
}

/// The code as a shell gives it for a program that a signal ended, also by default.
fn code(status: ExitStatus) -> Option<i32> {
    status
        .code()
        .or_else(|| status.signal().map(|number| 128 + number))
}

#[test]
fn a_write_that_nobody_reads_does_not_keep_a_signal_from_ending_a_command() {
    let folder = tempdir().expect("a folder");
    let pipe = named_pipe(&folder);
    let cards = folder.path().display();
    let mut commands: Vec<_> = [
        "--help".to_owned(),
        "list".to_owned(),
        "rule one-job".to_owned(),
        "starter python -".to_owned(),
        "completions bash".to_owned(),
        "scenario flaky --pace virtual".to_owned(),
        "scenario flaky --pace virtual --compare".to_owned(),
        "scenario all --json".to_owned(),
        format!("scenario items --report {}", pipe.display()),
        "grade --hint flaky".to_owned(),
        "grade --solution python".to_owned(),
        format!("grade --summary {cards}"),
        format!("grade --summary {cards} --watch"),
        "grade --task no-body -- true".to_owned(),
        "grade --all --json --task no-body -- true".to_owned(),
        "storm --length 20".to_owned(),
        "storm --length 20 --json --seeds 1".to_owned(),
        "serve --port 0 --page-port 0".to_owned(),
    ]
    .iter()
    .map(|arguments| command(arguments))
    .collect();
    commands.push(judges(&api(), "--list", CALM));

    scope(|scope| {
        for (number, lab) in commands.into_iter().enumerate() {
            scope.spawn(move || {
                let mut lab = with_default_signals(&lab);
                let story = format!("{lab:?}");
                let (name, number) = SIGNALS[number % SIGNALS.len()];
                let (_reader, writer) = full_pipe();
                let mut lab = lab.stdout(writer).spawn().expect("lab runs");
                wait_until_blocked(&mut lab, &story);

                signal(lab.id(), name);

                let code = end_of(&mut lab).and_then(code);
                assert_eq!(code, Some(128 + number), "{story}: {name}");
            });
        }
    });
}

/// A client that holds a pipe, with a child of its own, and lets nobody but SIGKILL end it.
fn stubborn_client(pipe: &Path) -> String {
    format!(
        "trap '' TERM HUP; exec 9>{}; echo begun >&9; sleep 60 & wait",
        pipe.display()
    )
}

/// Reads the pipe of clients. Tells once one has begun, and again once the last of them has
/// ended.
fn begin_and_end(pipe: PathBuf) -> Receiver<()> {
    let (tell, told) = channel();
    spawn(move || {
        let mut clients = BufReader::new(File::open(pipe).expect("a pipe"));
        let mut line = String::new();
        clients.read_line(&mut line).expect("a line");
        // A test that has failed is not told.
        let _ = tell.send(());
        clients.read_to_string(&mut line).expect("text");
        let _ = tell.send(());
    });
    told
}

#[test]
fn a_second_signal_ends_a_command_and_its_client_at_once() {
    let folder = tempdir().expect("a folder");
    let pipe = named_pipe(&folder);
    let mut lab = judges(&api(), "", &stubborn_client(&pipe))
        .spawn()
        .expect("lab runs");
    let clients = begin_and_end(pipe);
    clients.recv_timeout(PATIENCE).expect("a client has begun");

    // The client may take two seconds for its farewell.
    signal(lab.id(), "INT");
    signal(lab.id(), "TERM");

    // The code tells which one ended it.
    assert_eq!(end_of(&mut lab).and_then(code), Some(143));
    clients
        .recv_timeout(PATIENCE)
        .expect("the client has ended");
}

/// Runs a command in a terminal, closes the terminal once a client has begun, and returns the
/// exit code of the command once the client and its child have ended.
fn closed_terminal(options: &str, runs_client: &str) -> String {
    let folder = tempdir().expect("a folder");
    let pipe = named_pipe(&folder);
    for (file, text) in [
        ("client.sh", stubborn_client(&pipe)),
        ("code", String::new()),
    ] {
        fs::write(folder.path().join(file), text).expect("written");
    }
    let lab = env!("CARGO_BIN_EXE_lab");
    // The outer shell leads the session. Its end lets the system signal all that runs in the
    // foreground. The inner one outlives that, and the command does not inherit this.
    let line = format!("(trap : HUP; '{lab}' {options} {runs_client}; echo $? >code); true");
    // The tests themselves may ignore signals.
    let mut terminal = Command::new("env")
        .args(["--default-signal", "script", "--quiet", "--command"])
        .args([&line, "/dev/null"])
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("script runs");
    let clients = begin_and_end(pipe);
    clients.recv_timeout(PATIENCE).expect("a client has begun");

    terminal.kill().expect("it is closed");

    terminal.wait().expect("it is closed");
    clients
        .recv_timeout(PATIENCE)
        .expect("the client has ended");
    let closed = Instant::now();
    loop {
        let code = fs::read_to_string(folder.path().join("code")).expect("a file");
        if !code.is_empty() {
            return code;
        }
        assert!(closed.elapsed() < PATIENCE, "{options}: it goes on");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_closed_terminal_ends_a_command_and_its_client() {
    let proxy = &*format!("proxy {} --set API_URL", api());
    let client = "-- sh client.sh";
    let serve = "serve --port 0 --page-port 0 --watch client.sh";
    scope(|scope| {
        for (options, runs_client, expected) in [
            ("grade", client, "129\n"),
            ("grade --all --task no-body", client, "129\n"),
            ("grade --watch client.sh", client, "129\n"),
            (serve, client, "0\n"),
            (proxy, client, "129\n"),
            (proxy, "--before 'sh client.sh' -- true", "129\n"),
        ] {
            scope.spawn(move || {
                let code = closed_terminal(options, runs_client);
                assert_eq!(code, expected, "{options} {runs_client}");
            });
        }
    });
}

/// Each holds the pipe at descriptor 9 for as long as it runs, and begins with a word to it.
const CLIENTS_THAT_GO_ON: [(&str, &str); 3] = [
    ("it hangs", "sleep 60"),
    ("it floods its output", "exec yes"),
    (
        "it forks",
        "for i in 1 2 3 4 5; do (sleep 60; sleep 60) & done; wait",
    ),
];

#[test]
fn a_signal_to_serve_ends_the_client_that_it_grades() {
    let commands = CLIENTS_THAT_GO_ON.iter().zip(SIGNALS);
    scope(|scope| {
        for ((what, goes_on), (name, _)) in commands {
            scope.spawn(move || {
                let folder = tempdir().expect("a folder");
                let pipe = named_pipe(&folder);
                let script = folder.path().join("client.sh");
                let holds = format!("exec 9>{}; echo begun >&9; {goes_on}", pipe.display());
                fs::write(&script, holds).expect("written");
                let script = script.display();
                let options =
                    format!("serve --port 0 --page-port 0 --watch {script} -- sh {script}");
                let mut lab = with_default_signals(&command(&options));
                let mut lab = lab.stdout(Stdio::null()).spawn().expect("lab runs");
                let clients = begin_and_end(pipe);
                clients.recv_timeout(PATIENCE).expect("a client has begun");

                signal(lab.id(), name);

                let code = end_of(&mut lab).and_then(code);
                assert_eq!(code, Some(0), "{what}, {name}");
                clients.recv_timeout(PATIENCE).expect(what);
            });
        }
    });
}

#[test]
fn a_hangup_that_is_ignored_from_the_start_ends_nothing() {
    let mut lab = Command::new("sh")
        .args([
            "-c",
            "trap '' HUP; exec \"$0\" serve --port 0 --page-port 0",
        ])
        .arg(env!("CARGO_BIN_EXE_lab"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("lab runs");
    let mut lines = BufReader::new(lab.stdout.take().expect("a pipe")).lines();
    let mut line = || lines.next().expect("a line").expect("text");
    let printed = [line(), line(), line()];

    signal(lab.id(), "HUP");
    signal(lab.id(), "TERM");

    assert_contains(&printed[2], &["Ctrl+C"]);
    // A second signal would end it with 143.
    assert_eq!(end_of(&mut lab).and_then(code), Some(0));
}
