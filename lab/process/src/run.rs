//! A client as a process: started, bounded in time and output, and ended with all that
//! it has started itself.
//!
//! On Unix that is its process group, and on Windows its job, which nothing can leave. A
//! daemon leaves the group by a session of its own, and goes on.
//!
//! If the lab itself is killed (`SIGKILL`), it ends nothing any more: the clients lose
//! their service and the reader of their output, and go on until they notice. The
//! system could end them, but no safe call asks it to.

use std::{
    future::pending,
    io,
    pin::pin,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use wire::{ProcessRecord, Stopped};

use super::{
    command::{ClientCommand, Context},
    running::Registration,
};

/// How much of what a process prints is kept, in bytes. A result is its last line.
pub const STDOUT_KEPT: usize = 64 * 1024;

/// How much of its stderr is kept, in bytes, and in lines.
const STDERR_KEPT: usize = 8 * 1024;
const STDERR_LINES: usize = 24;

/// For how long output may pause after the end of a process: another process holds its
/// pipes then.
const GRACE: Duration = Duration::from_millis(200);

/// How often output may pause for that long, or the lab may be so late that it read none.
const GRACES: usize = 4;

/// How often it is looked whether a process lingers.
const LOOK: Duration = Duration::from_millis(50);

/// The limits of every process.
#[derive(Debug)]
pub struct ProcessLimits<F> {
    /// How long it may run; a graded client from its first request on.
    pub time: Duration,
    /// Ready once it must end before that: it has sent too much, for example.
    pub flood: F,
    /// How long all of it may take to end once it was asked to, before it is killed. A process
    /// may have something to end elsewhere, as `docker run` has its container. Zero kills it
    /// without asking, and so does Windows.
    pub farewell: Duration,
}

/// How the lab watches a client that it grades.
#[derive(Debug)]
pub struct Grading<C, R> {
    /// Ready with its first request.
    pub called: C,
    /// How long it has for that, or for all it does where no request can come. An interpreter
    /// takes long to start on a machine that is busy, and that must not count against a client.
    pub start: Duration,
    /// Whether it is watched for as long as anything that it has started is running, also
    /// after its result and its own end: a request that comes later may break a rule.
    pub watches_to_the_end: bool,
    /// The number of its requests so far if this line is the right result.
    pub is_result: R,
    /// How long it may go on after its result without printing or sending more.
    pub linger: Duration,
}

/// Why there is no record of a process. It says nothing about the client.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The program did not start.
    #[error("it could not be started")]
    Start(#[source] io::Error),
    /// It started, and the system did not tell what became of it.
    #[error("it could not be watched")]
    Watch(#[source] io::Error),
}

/// Runs a command until it ends, or is ended by its limits. All moments are counted from
/// `begun`.
///
/// Dropped before that, it kills the process, and asks nothing of it first: a drop cannot wait.
/// To give the process its farewell, make `flood` ready and wait for the record.
///
/// # Errors
///
/// [`RunError`] if the program could not be started, or the system did not let the lab watch it.
pub async fn run(
    command: &ClientCommand,
    context: &Context,
    limits: ProcessLimits<impl Future<Output = ()>>,
    begun: Instant,
) -> Result<ProcessRecord, RunError> {
    let mut process = Running::start(command, context, limits.farewell, begun)?;
    let stopped = async {
        tokio::select! {
            () = sleep(limits.time) => Stopped::TimeUp,
            () = limits.flood => Stopped::Flood,
        }
    };
    let end = process.wait_or(stopped).await?;
    Ok(process.record(end, end.stopped.is_some()).await)
}

/// Runs a client that is graded in the same way.
///
/// # Errors
///
/// The same.
pub async fn run_graded(
    command: &ClientCommand,
    context: &Context,
    limits: ProcessLimits<impl Future<Output = ()>>,
    grading: Grading<impl Future<Output = ()>, impl Fn(&str) -> Option<u64>>,
    begun: Instant,
) -> Result<ProcessRecord, RunError> {
    let mut process = Running::start(command, context, limits.farewell, begun)?;
    let mut time_is_up = pin!(async {
        if timeout(grading.start, grading.called).await.is_ok() {
            sleep(limits.time).await;
        }
    });
    let mut flood = pin!(limits.flood);
    let stdout = Arc::clone(&process.stdout.kept);
    let stopped = async {
        let lingers = async {
            if grading.watches_to_the_end {
                pending::<()>().await;
            }
            lingers(&stdout, grading.linger, grading.is_result).await;
        };
        tokio::select! {
            () = &mut flood => Stopped::Flood,
            () = &mut time_is_up => Stopped::TimeUp,
            () = lingers => Stopped::Lingered,
        }
    };
    let end = process.wait_or(stopped).await?;
    let left_running = if end.stopped.is_none() && grading.watches_to_the_end {
        tokio::select! {
            () = process.group.all_ended() => false,
            () = flood => true,
            () = time_is_up => true,
        }
    } else {
        end.stopped.is_some()
    };
    Ok(process.record(end, left_running).await)
}

/// A process that was started, and what it prints.
struct Running<'a> {
    context: &'a Context,
    begun: Instant,
    started: Duration,
    group: Group,
    stdout: Tail,
    stderr: Tail,
}

/// How a process ended.
#[derive(Clone, Copy)]
struct End {
    at: Duration,
    /// None if the lab ended it.
    status: Option<ExitStatus>,
    stopped: Option<Stopped>,
}

impl<'a> Running<'a> {
    fn start(
        command: &ClientCommand,
        context: &'a Context,
        farewell: Duration,
        begun: Instant,
    ) -> Result<Self, RunError> {
        let mut wrapped = CommandWrap::with_new(command.file(), |process| {
            process
                .args(command.arguments(context))
                .envs(context.variables())
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
        });
        // Not a session: Linux gives each one a share of the processors of its own, so that the
        // client would wait for one when the lab does not.
        #[cfg(unix)]
        wrapped.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        wrapped.wrap(process_wrap::tokio::JobObject);
        // It may send its first request before it is known to have started.
        let started = begun.elapsed();
        let spawned = Registration::spawn(&mut wrapped);
        let (mut leader, registration) = spawned.map_err(RunError::Start)?;
        Ok(Self {
            context,
            begun,
            started,
            stdout: Tail::of(leader.stdout().take(), STDOUT_KEPT),
            stderr: Tail::of(leader.stderr().take(), STDERR_KEPT),
            group: Group {
                farewell,
                #[cfg(unix)]
                id: leader.id(),
                _registration: registration,
                leader,
            },
        })
    }

    /// Waits for its end, or for a reason to stop it.
    async fn wait_or(&mut self, stopped: impl Future<Output = Stopped>) -> Result<End, RunError> {
        let (status, stopped) = tokio::select! {
            status = self.group.wait() => (Some(status.map_err(RunError::Watch)?), None),
            stopped = stopped => (None, Some(stopped)),
        };
        Ok(End {
            at: self.begun.elapsed(),
            status,
            stopped,
        })
    }

    /// Ends what is left of it, and tells what became of it.
    async fn record(mut self, end: End, left_running: bool) -> ProcessRecord {
        let watched_until = self.begun.elapsed();
        self.group.asked_to_end().await;
        if left_running {
            self.group.end();
        }
        let (stdout, stderr) = (self.stdout.end().await, self.stderr.end().await);
        if left_running {
            // A killed process is gone in no time, and is no zombie then.
            drop(timeout(GRACE, self.group.wait()).await);
        }
        let masked = |line| self.context.masked(line);
        ProcessRecord {
            started: self.started,
            ended: end.at,
            watched_until,
            left_running,
            exit: end.status.and_then(|status| status.code()),
            signal: end.status.and_then(signal),
            stopped: end.stopped,
            last_line: stdout.last_line().map(masked),
            printed_at: stdout.at.map(|at| at.saturating_duration_since(self.begun)),
            // Only the caller measures how late its service is.
            lab_delay: Duration::ZERO,
            printed: stdout.seen,
            stderr: stderr.last_lines().into_iter().map(masked).collect(),
        }
    }
}

/// Ready once a process has printed the right result and has done nothing for this long since.
async fn lingers(stdout: &Mutex<Kept>, linger: Duration, is_result: impl Fn(&str) -> Option<u64>) {
    let mut known = None;
    let mut since = Instant::now();
    loop {
        sleep(LOOK).await;
        let (seen, line) = {
            let kept = stdout.lock().unwrap_or_else(PoisonError::into_inner);
            (kept.seen, kept.last_line())
        };
        let requests = line.and_then(|line| is_result(&line));
        let now = requests.map(|requests| (seen, requests));
        if now != known {
            (known, since) = (now, Instant::now());
        }
        if known.is_some() && since.elapsed() >= linger {
            return;
        }
    }
}

/// A process and all that it has started, killed when this is dropped.
struct Group {
    /// How long it may take to end once it was asked to.
    farewell: Duration,
    /// The number of the process, which is that of its group.
    #[cfg(unix)]
    id: Option<u32>,
    _registration: Registration,
    leader: Box<dyn ChildWrapper>,
}

impl Group {
    /// Waits for the process alone, whatever it leaves behind.
    async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.leader.inner_mut().wait().await
    }

    /// Waits until nothing of it runs any more, once the process itself has ended.
    async fn all_ended(&self) {
        while self.is_any_running() {
            sleep(LOOK).await;
        }
    }

    #[cfg(unix)]
    fn is_any_running(&self) -> bool {
        let id = self.id.and_then(|id| id.try_into().ok());
        let group = id.map(nix::unistd::Pid::from_raw);
        group.is_some_and(|group| nix::sys::signal::killpg(group, None).is_ok())
    }

    /// A job on Windows cannot be asked: its first process stands for it.
    #[cfg(not(unix))]
    fn is_any_running(&self) -> bool {
        false
    }

    /// Asks all of it to end, and waits for that as long as it may take.
    async fn asked_to_end(&mut self) {
        let farewell = self.farewell;
        if !farewell.is_zero() && self.asks_to_end() {
            let all_end = async {
                self.wait().await?;
                self.all_ended().await;
                io::Result::Ok(())
            };
            // A process that cannot be watched is killed.
            drop(timeout(farewell, all_end).await);
        }
    }

    /// Whether something of it runs and was asked to end.
    #[cfg(unix)]
    fn asks_to_end(&self) -> bool {
        let is_running = self.is_any_running();
        if is_running {
            // An error says that nothing of it is left.
            let _ = self.leader.signal(nix::sys::signal::Signal::SIGTERM as i32);
        }
        is_running
    }

    /// A job is not asked.
    #[cfg(not(unix))]
    fn asks_to_end(&self) -> bool {
        false
    }

    fn end(&mut self) {
        // An error says that nothing of it is left.
        let _ = self.leader.start_kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// Reads a pipe to its end and keeps the last of it.
struct Tail {
    reading: JoinHandle<()>,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    /// How many bytes came in all.
    seen: u64,
    /// When the last of them came that are more than blanks.
    at: Option<Instant>,
}

impl Tail {
    fn of(pipe: Option<impl AsyncRead + Unpin + Send + 'static>, most: usize) -> Self {
        let kept = Arc::<Mutex<Kept>>::default();
        let shared = Arc::clone(&kept);
        let reading = tokio::spawn(async move {
            let Some(mut pipe) = pipe else { return };
            let mut buffer = Vec::with_capacity(8 * 1024);
            while let Ok(1..) = pipe.read_buf(&mut buffer).await {
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(&buffer, most);
                buffer.clear();
            }
        });
        Self { reading, kept }
    }

    /// The output until the pipe was closed, or until another process has held it for long
    /// enough. On a busy machine the time may be up before the lab has read anything, so
    /// nothing must have come twice.
    async fn end(mut self) -> Kept {
        let mut seen = None;
        for _ in 0..GRACES {
            if timeout(GRACE, &mut self.reading).await.is_ok() {
                break;
            }
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if seen.replace(kept.seen) == Some(kept.seen) {
                break;
            }
        }
        self.reading.abort();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *kept)
    }
}

impl Kept {
    fn push(&mut self, bytes: &[u8], most: usize) {
        self.seen += bytes.len() as u64;
        if !bytes.trim_ascii().is_empty() {
            self.at = Some(Instant::now());
        }
        self.bytes.extend_from_slice(bytes);
        let surplus = self.bytes.len().saturating_sub(most);
        self.bytes.drain(..surplus);
    }

    fn lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = String> {
        bytes
            .split(|byte| *byte == b'\n')
            .map(|line| String::from_utf8_lossy(line).trim_end().to_owned())
            .filter(|line| !line.is_empty())
    }

    /// The last line that is not blank, if all of it is kept.
    fn last_line(&self) -> Option<String> {
        let is_cut = self.seen > self.bytes.len() as u64;
        let of_cut_line = usize::from(is_cut);
        let mut parts = self.bytes.splitn(1 + of_cut_line, |byte| *byte == b'\n');
        let last = Self::lines(parts.nth(of_cut_line)?).next_back()?;
        Some(last.trim().to_owned())
    }

    /// The last lines, without those that only point at a place in the line above.
    fn last_lines(&self) -> Vec<String> {
        let says = |line: &String| !line.trim().chars().all(|sign| matches!(sign, '^' | '~'));
        let latest = Self::lines(&self.bytes).rev().filter(says);
        let mut lines: Vec<_> = latest.take(STDERR_LINES).collect();
        lines.reverse();
        lines
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use tokio::{
        io::{AsyncWriteExt, duplex},
        spawn,
        time::sleep,
    };

    use super::{GRACE, Kept, STDERR_LINES, Tail};

    /// The output if a byte comes at each of these multiples of [`GRACE`] after the end of the
    /// process.
    async fn kept_of(pauses: &'static [f64]) -> String {
        let (pipe, mut holder) = duplex(64);
        let tail = Tail::of(Some(pipe), 64);
        spawn(async move {
            for pause in pauses {
                sleep(GRACE.mul_f64(*pause)).await;
                // It may be read no more.
                let _ = holder.write_all(b"x").await;
            }
            sleep(GRACE * 100).await;
        });
        String::from_utf8(tail.end().await.bytes).expect("it is plain")
    }

    #[tokio::test(start_paused = true)]
    async fn output_ends_once_nothing_came_twice_and_goes_on_for_four_pauses_at_most() {
        assert_eq!(kept_of(&[]).await, "");
        assert_eq!(kept_of(&[0.5, 0.1]).await, "xx");
        assert_eq!(kept_of(&[1.5]).await, "x");
        assert_eq!(kept_of(&[2.5]).await, "");
        assert_eq!(kept_of(&[0.9; 9]).await, "xxxx");
    }

    proptest! {
        /// However a pipe cuts what comes, the end of it is kept, and shown as text.
        #[test]
        fn the_end_of_all_output_is_kept(
            chunks in vec(vec(prop_oneof![Just(b'\n'), Just(b'^'), Just(b' '), any::<u8>()], 0..9), 0..9),
            most in 0_usize..20,
        ) {
            let mut kept = Kept::default();
            for chunk in &chunks {
                kept.push(chunk, most);
            }

            let all = chunks.concat();
            prop_assert_eq!(kept.seen, all.len() as u64);
            prop_assert_eq!(&kept.bytes[..], &all[all.len().saturating_sub(most)..]);
            let whole = match kept.bytes.iter().position(|byte| *byte == b'\n') {
                _ if all.len() == kept.bytes.len() => &kept.bytes[..],
                Some(end) => &kept.bytes[end..],
                None => &[],
            };
            let last = Kept::lines(whole).next_back().map(|line| line.trim().to_owned());
            prop_assert_eq!(kept.last_line(), last);
            prop_assert!(kept.last_lines().len() <= STDERR_LINES);
        }
    }

    #[cfg(unix)]
    mod processes {
        use std::{
            ffi::OsString,
            fs::File,
            future::{pending, ready},
            io::{BufRead, BufReader, Read},
            process::Command,
            time::Duration,
        };

        use tokio::{sync::oneshot, task::spawn_blocking, time::Instant};
        use wire::{ProcessRecord, Stopped};

        use crate::{ClientCommand, Context, Grading, ProcessLimits, run, run_graded};

        /// How long a process may go on after its result.
        const LINGER: Duration = Duration::from_millis(300);

        fn limits(time: Duration, farewell: Duration) -> ProcessLimits<impl Future<Output = ()>> {
            ProcessLimits {
                time,
                flood: pending(),
                farewell,
            }
        }

        fn command(script: &str) -> ClientCommand {
            let words = ["sh", "-c", script].map(OsString::from);
            ClientCommand::new(words).expect("a command")
        }

        fn context() -> Context {
            let base_url = "http://127.0.0.1:1".to_owned();
            Context {
                task: Some("flaky"),
                url: format!("{base_url}/flaky"),
                base_url,
                token: Some("secret".to_owned()),
                ..Context::default()
            }
        }

        /// Runs a script.
        async fn shell(script: &str, time: Duration) -> ProcessRecord {
            let limits = limits(time, Duration::ZERO);
            let ran = run(&command(script), &context(), limits, Instant::now()).await;
            ran.expect("it starts")
        }

        /// Runs a script as a graded client that has sent its first request at once.
        async fn graded(script: &str, time: Duration, watches_to_the_end: bool) -> ProcessRecord {
            let (command, context) = (command(script), context());
            let grading = Grading {
                called: ready(()),
                start: Duration::ZERO,
                watches_to_the_end,
                is_result: |line: &str| (line == "right").then_some(1),
                linger: LINGER,
            };
            let limits = limits(time, Duration::ZERO);
            let ran = run_graded(&command, &context, limits, grading, Instant::now());
            ran.await.expect("it starts")
        }

        const LONG: Duration = Duration::from_secs(60);

        #[tokio::test]
        async fn its_end_and_its_last_words_are_noted() {
            let script = "echo $LAB_TASK; echo $LAB_URL $LAB_TOKEN; echo oops >&2; exit 3";

            let record = shell(script, LONG).await;

            assert_eq!(
                (record.exit, record.signal, record.stopped),
                (Some(3), None, None)
            );
            let last = record.last_line.expect("a line");
            assert!(last.starts_with("http://127.0.0.1:1/"), "{last}");
            assert!(last.ends_with("/flaky $LAB_TOKEN"), "{last}");
            assert_eq!(record.stderr, ["oops"]);
        }

        #[tokio::test]
        async fn a_token_is_masked_wherever_the_client_prints_it() {
            let script = "echo Bearer $LAB_TOKEN >&2; echo \\\"$LAB_TOKEN\\\" 2x$LAB_TOKEN";

            let record = shell(script, LONG).await;

            assert_eq!(record.stderr, ["Bearer $LAB_TOKEN"]);
            let last = record.last_line.as_deref();
            assert_eq!(last, Some("\"$LAB_TOKEN\" 2x$LAB_TOKEN"));
        }

        #[tokio::test]
        async fn a_result_counts_from_when_it_was_printed() {
            let lingers = graded("echo log; echo right; sleep 60", LONG, false).await;
            let waits = graded("echo wrong; sleep 60", 2 * LINGER, false).await;

            assert_eq!(lingers.stopped, Some(Stopped::Lingered));
            let printed_at = lingers.printed_at.expect("a line");
            assert!(lingers.ended - printed_at >= LINGER, "{lingers:?}");
            assert_eq!(waits.stopped, Some(Stopped::TimeUp));
        }

        #[tokio::test]
        async fn a_watched_client_is_watched_until_all_that_it_started_has_ended() {
            let soon = Duration::from_millis(500);
            for (script, time, left_running) in [
                ("echo right", LONG, false),
                ("(sleep 0.2 &) ; echo right", LONG, false),
                ("(sleep 60 &) ; echo right", soon, true),
            ] {
                let record = graded(script, time, true).await;

                assert_eq!((record.exit, record.stopped), (Some(0), None), "{script}");
                assert_eq!(record.left_running, left_running, "{script}");
                assert!(record.watched_until >= record.ended, "{record:?}");
                assert!(!left_running || record.watched_until >= time, "{record:?}");
                assert_eq!(record.last_line.as_deref(), Some("right"));
            }
        }

        #[tokio::test]
        async fn a_watched_client_is_not_ended_because_it_has_its_result() {
            let rests = graded("echo right; sleep 60", 2 * LINGER, true).await;
            let ends = graded("echo right; sleep 0.6; exit 3", LONG, true).await;

            assert_eq!(
                (rests.stopped, rests.left_running),
                (Some(Stopped::TimeUp), true)
            );
            assert_eq!((ends.exit, ends.left_running), (Some(3), false));
        }

        #[tokio::test]
        async fn a_client_without_a_request_has_the_time_to_start_and_no_more() {
            let grading = Grading {
                called: pending(),
                start: Duration::from_millis(50),
                watches_to_the_end: false,
                is_result: |_: &str| None,
                linger: LINGER,
            };
            let limits = limits(LONG, Duration::ZERO);
            let (command, context) = (command("sleep 60"), context());

            let ran = run_graded(&command, &context, limits, grading, Instant::now()).await;

            assert_eq!(ran.expect("it starts").stopped, Some(Stopped::TimeUp));
        }

        #[tokio::test]
        async fn a_signal_is_its_own_unless_the_lab_sent_it() {
            let crashed = shell("kill -SEGV $$", LONG).await;
            let stopped = shell("sleep 60", Duration::from_millis(50)).await;

            assert_eq!((crashed.exit, crashed.signal), (None, Some(11)));
            assert_eq!((stopped.exit, stopped.signal), (None, None));
            assert_eq!(stopped.stopped, Some(Stopped::TimeUp));
        }

        /// Runs a script that holds a pipe with a name as descriptor 9, and with it all that it
        /// starts, until it has written a line to it. Then it is stopped, or its run is dropped.
        /// Returns what was written once no process holds the pipe any more.
        async fn written(script: &str, farewell: Duration, is_dropped: bool) -> String {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("pipe");
            let made = Command::new("mkfifo").arg(&path).status();
            assert!(made.expect("mkfifo runs").success());
            let command = command(&format!("exec 9>{}; {script}", path.display()));
            let (tell, begun) = oneshot::channel();
            let reading = spawn_blocking(move || {
                let mut pipe = BufReader::new(File::open(path).expect("a pipe"));
                let mut written = String::new();
                pipe.read_line(&mut written).expect("a line");
                // A process that has ended by then is not told.
                let _ = tell.send(());
                // It ends once the last process that holds the other end has.
                pipe.read_to_string(&mut written).expect("text");
                written
            });

            let context = context();
            if is_dropped {
                let limits = limits(LONG, farewell);
                tokio::select! {
                    _ = run(&command, &context, limits, Instant::now()) => panic!("it has ended"),
                    _ = begun => {}
                }
            } else {
                let limits = ProcessLimits {
                    time: LONG,
                    flood: async { begun.await.expect("it is told") },
                    farewell,
                };
                let ran = run(&command, &context, limits, Instant::now()).await;
                let stopped = ran.expect("it starts").stopped;
                assert!(
                    matches!(stopped, None | Some(Stopped::Flood)),
                    "{stopped:?}"
                );
            }
            reading.await.expect("no panic")
        }

        /// How long a process may take that has something to end.
        const FAREWELL: Duration = Duration::from_secs(5);

        #[tokio::test]
        async fn nothing_is_left_of_a_process_and_it_is_asked_to_end_if_there_is_time() {
            // What the shell starts tells it, so that it is there to be asked, too.
            let asked = "trap 'echo asked >&9; exit' TERM; (echo begun >&9; exec sleep 60) & wait";
            let left_behind = &*format!("({asked}) & sleep 0.2");
            let refuses = "trap '' TERM; echo begun >&9; sleep 60 & wait";
            let (no_time, is_dropped) = (Duration::ZERO, true);

            for (script, farewell, is_dropped, expected) in [
                ("echo begun >&9; sleep 60 &", no_time, false, "begun\n"),
                (asked, no_time, false, "begun\n"),
                (asked, FAREWELL, false, "begun\nasked\n"),
                (left_behind, FAREWELL, false, "begun\nasked\n"),
                (refuses, Duration::from_millis(200), false, "begun\n"),
                // A drop cannot wait for what is asked: other tasks need its thread.
                (asked, FAREWELL, is_dropped, "begun\n"),
                (refuses, FAREWELL, is_dropped, "begun\n"),
            ] {
                let written = written(script, farewell, is_dropped).await;
                assert_eq!(written, expected, "{script}: {farewell:?}, {is_dropped}");
            }
        }

        /// The command of the user may start the lab together with other programs, and so may
        /// the lab itself.
        #[cfg(target_os = "linux")]
        #[tokio::test]
        async fn another_child_of_the_lab_outlives_a_client() {
            let client = tokio::spawn(async { shell("echo begun; sleep 0.3", LONG).await });
            tokio::time::sleep(Duration::from_millis(100)).await;
            let spawned = Command::new("setsid").args(["sleep", "60"]).spawn();
            let mut other = spawned.expect("setsid runs");

            let record = client.await.expect("no panic");

            assert_eq!(record.last_line.as_deref(), Some("begun"));
            assert!(other.try_wait().expect("a status").is_none());
            other.kill().expect("it is ended");
            other.wait().expect("it has ended");
        }

        #[cfg(target_os = "linux")]
        #[tokio::test]
        async fn a_client_is_in_the_session_of_the_lab() {
            let record = shell("cut -d ' ' -f 6 /proc/$$/stat", LONG).await;

            let session = nix::unistd::getsid(None).expect("a session").to_string();
            assert_eq!(record.last_line, Some(session));
        }

        #[tokio::test]
        async fn megabytes_cost_no_memory_and_hide_no_result() {
            let record = shell("yes | head -c 20000000; echo done", LONG).await;

            assert_eq!(record.printed, 20_000_005);
            assert_eq!(record.last_line.as_deref(), Some("done"));
        }

        #[tokio::test]
        async fn a_program_that_is_not_there_is_an_error() {
            let command = ClientCommand::new(["no-such-program".into()]).expect("a command");
            let limits = limits(LONG, Duration::ZERO);

            let ran = run(&command, &Context::default(), limits, Instant::now()).await;

            let crate::RunError::Start(error) = ran.expect_err("nothing to run") else {
                panic!("it was never there to be watched");
            };
            let kind = error.kind();
            assert_eq!(kind, std::io::ErrorKind::NotFound);
        }
    }
}
