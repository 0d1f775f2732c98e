//! A client as a process: started, bounded in time and output, and ended with all that
//! it has started itself.
//!
//! Its own processes are found, by system:
//!
//! - on Linux its process group, and all that has left it, by `stragglers.rs`: at the end of
//!   its case, or of the last one if it hides whose it is;
//! - on macOS and other Unix its process group. A daemon leaves that by a session of its
//!   own, and goes on;
//! - on Windows its job, which nothing can leave.
//!
//! If the lab itself is killed (`SIGKILL`), it ends nothing any more: the clients lose
//! their service and whoever reads what they print, and go on until they notice. The
//! system could end them, but no safe call asks it to.

#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::{
    future::pending,
    io,
    pin::pin,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use wire::{LINGER, ProcessRecord, Stopped};

use super::{
    command::{ClientCommand, Context},
    delay::LabDelay,
};

#[cfg(target_os = "linux")]
use super::stragglers::{RUN, Stragglers};

/// How much of what a process prints is kept, in bytes. A result is its last line.
pub const STDOUT_KEPT: usize = 64 * 1024;

/// How much of its stderr is kept, in bytes, and in lines.
const STDERR_KEPT: usize = 8 * 1024;
const STDERR_LINES: usize = 24;

/// For how long output may pause after the end of a process: somebody else holds its
/// pipes then.
const GRACE: Duration = Duration::from_millis(200);

/// How often output may pause for that long, or the lab may be so late that it read none.
const GRACES: usize = 4;

/// How long a process has for its first request, or for all it does where no request can
/// come. An interpreter takes long to start on a
/// machine that is busy, and that is nothing to hold against a client.
const START: Duration = Duration::from_secs(20);

/// The number of runs of this process so far: each has an identity of its own.
#[cfg(target_os = "linux")]
static RUNS: AtomicU64 = AtomicU64::new(0);

/// How often it is looked whether a process lingers.
const LOOK: Duration = Duration::from_millis(50);

/// The limits that end a process.
#[derive(Debug)]
pub struct ProcessLimits<C, F, R> {
    /// Set to the number of the process.
    pub process: Arc<OnceLock<u32>>,
    /// Ready with its first request.
    pub called: C,
    /// How long it may go on from then on.
    pub time: Duration,
    /// Whether it is watched for as long as anything that it has started is running, also
    /// after its result and its own end: a request that comes later may break a rule.
    pub watches_to_the_end: bool,
    /// Ready once it has sent too much.
    pub flood: F,
    /// The number of its requests so far if this line is the right result.
    pub is_result: R,
    /// How late the lab is.
    pub delay: LabDelay,
    /// How long all of it may take to end once it was asked to, before it is killed. A process
    /// may have something to end elsewhere, as `docker run` has its container. Zero kills it
    /// without asking, and so does Windows.
    pub farewell: Duration,
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

/// Runs a client until it ends, or is ended by its limits. All moments are counted from
/// `begun`.
///
/// Dropped before that, it ends the process all the same.
///
/// # Errors
///
/// [`RunError`] if the program could not be started, or the system did not let the lab watch it.
pub async fn run(
    command: &ClientCommand,
    context: &Context,
    limits: ProcessLimits<
        impl Future<Output = ()>,
        impl Future<Output = ()>,
        impl Fn(&str) -> Option<u64>,
    >,
    begun: Instant,
) -> Result<ProcessRecord, RunError> {
    #[cfg(target_os = "linux")]
    let run = format!("{}-{}", std::process::id(), RUNS.fetch_add(1, Relaxed));
    let mut wrapped = CommandWrap::with_new(command.file(), |process| {
        #[cfg(target_os = "linux")]
        process.env(RUN, &run);
        process
            .args(command.arguments(context))
            .envs(context.variables())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    #[cfg(unix)]
    wrapped.wrap(process_wrap::tokio::ProcessSession);
    #[cfg(windows)]
    wrapped.wrap(process_wrap::tokio::JobObject);
    let mut started = begun.elapsed();
    #[cfg(target_os = "linux")]
    let (leader, stragglers) = Stragglers::of(&run, || {
        // It may send its first request before this call returns.
        started = begun.elapsed();
        wrapped.spawn()
    })
    .map_err(RunError::Start)?;
    #[cfg(not(target_os = "linux"))]
    let leader = wrapped.spawn().map_err(RunError::Start)?;
    let mut group = Group {
        farewell: limits.farewell,
        #[cfg(all(unix, not(target_os = "linux")))]
        id: leader.id(),
        leader,
        #[cfg(target_os = "linux")]
        stragglers,
    };

    if let Some(id) = group.leader.id() {
        limits.process.get_or_init(|| id);
    }
    let stdout = Tail::of(group.leader.stdout().take(), STDOUT_KEPT);
    let stderr = Tail::of(group.leader.stderr().take(), STDERR_KEPT);
    let mut time_is_up = pin!(async {
        if timeout(START, limits.called).await.is_ok() {
            sleep(limits.time).await;
        }
    });
    let mut flood = pin!(limits.flood);
    let lingers = async {
        if limits.watches_to_the_end {
            pending::<()>().await;
        } else {
            lingers(&stdout, limits.is_result).await;
        }
    };
    let (status, stopped) = tokio::select! {
        status = group.wait() => (Some(status.map_err(RunError::Watch)?), None),
        () = &mut flood => (None, Some(Stopped::Flood)),
        () = &mut time_is_up => (None, Some(Stopped::TimeUp)),
        () = lingers => (None, Some(Stopped::Lingered)),
        never = limits.delay.clone().measure() => never,
    };
    let ended = begun.elapsed();
    let left_running = if stopped.is_none() && limits.watches_to_the_end {
        tokio::select! {
            ended = group.all_ended() => ended.map(|()| false).map_err(RunError::Watch)?,
            () = flood => true,
            () = time_is_up => true,
        }
    } else {
        stopped.is_some()
    };
    let watched_until = begun.elapsed();
    group.asked_to_end().await;
    let (stdout, stderr) = if left_running {
        group.end();
        let ended = (stdout.end().await, stderr.end().await);
        // What was killed is gone in no time, and is nobody's zombie then.
        drop(timeout(GRACE, group.wait()).await);
        ended
    } else {
        (stdout.end().await, stderr.end().await)
    };
    Ok(ProcessRecord {
        started,
        ended,
        watched_until,
        left_running,
        exit: status.and_then(|status| status.code()),
        signal: status.and_then(signal),
        stopped,
        last_line: stdout.last_line().map(|line| context.masked(line)),
        last_line_cut_from: stdout.last_line_cut_from(),
        printed_at: stdout.at.map(|at| at.saturating_duration_since(begun)),
        lab_delay: limits.delay.largest(),
        idle: Vec::new(),
        printed: stdout.seen,
        stderr: stderr
            .last_lines()
            .into_iter()
            .map(|line| context.masked(line))
            .collect(),
    })
}

/// Ready once a process has printed the right result and has done nothing since.
async fn lingers(stdout: &Tail, is_result: impl Fn(&str) -> Option<u64>) {
    let mut known = None;
    let mut since = Instant::now();
    loop {
        sleep(LOOK).await;
        let (seen, line) = {
            let kept = stdout.kept.lock().unwrap_or_else(PoisonError::into_inner);
            (kept.seen, kept.last_line())
        };
        let requests = line.and_then(|line| is_result(&line));
        let now = requests.map(|requests| (seen, requests));
        if now != known {
            (known, since) = (now, Instant::now());
        }
        if known.is_some() && since.elapsed() >= LINGER {
            return;
        }
    }
}

/// A process and all that it has started, ended when this is dropped.
struct Group {
    /// How long it may take to end once it was asked to.
    farewell: Duration,
    /// The number of the process, which is that of its group.
    #[cfg(all(unix, not(target_os = "linux")))]
    id: Option<u32>,
    leader: Box<dyn ChildWrapper>,
    #[cfg(target_os = "linux")]
    stragglers: Stragglers,
}

impl Group {
    /// Waits for the process alone, whatever it leaves behind.
    async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.leader.inner_mut().wait().await
    }

    /// Waits until nothing runs any more that it has started, once it has ended itself.
    async fn all_ended(&self) -> io::Result<()> {
        while self.is_any_running()? {
            sleep(LOOK).await;
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn is_any_running(&self) -> io::Result<bool> {
        self.stragglers.are_running()
    }

    #[cfg(all(unix, not(target_os = "linux")))]
    fn is_any_running(&self) -> io::Result<bool> {
        let id = self.id.and_then(|id| id.try_into().ok());
        let group = id.map(nix::unistd::Pid::from_raw);
        Ok(group.is_some_and(|group| nix::sys::signal::killpg(group, None).is_ok()))
    }

    /// On Windows nobody asks a job: its first process stands for it.
    #[cfg(not(unix))]
    fn is_any_running(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Asks all of it to end, and waits for that as long as it may take.
    async fn asked_to_end(&mut self) {
        let farewell = std::mem::take(&mut self.farewell);
        if !farewell.is_zero() && self.asks_to_end() {
            let all_end = async {
                self.wait().await?;
                self.all_ended().await
            };
            // What cannot be watched is killed.
            drop(timeout(farewell, all_end).await);
        }
    }

    /// The same without a runtime, for one that is dropped.
    fn wait_for_end(&mut self) {
        let farewell = std::mem::take(&mut self.farewell);
        if farewell.is_zero() || !self.asks_to_end() {
            return;
        }
        let asked = Instant::now();
        while asked.elapsed() < farewell {
            // Otherwise it would be there until somebody asks for its status.
            let has_ended = self.leader.try_wait().is_ok_and(|status| status.is_some());
            if has_ended && !self.is_any_running().unwrap_or(false) {
                return;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Whether something of it runs and was asked to end.
    #[cfg(unix)]
    fn asks_to_end(&self) -> bool {
        let is_running = self.is_any_running().unwrap_or(true);
        if is_running {
            // An error says that nothing of it is left.
            let _ = self.leader.signal(nix::sys::signal::Signal::SIGTERM as i32);
            #[cfg(target_os = "linux")]
            self.stragglers.asks_to_end();
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
        #[cfg(target_os = "linux")]
        self.stragglers.end();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.wait_for_end();
        // An error says that nothing of it is left. Its stragglers end when they are dropped.
        let _ = self.leader.start_kill();
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
    /// The length of the newest line so far, and whether it is blank so far.
    newest: LineLength,
    /// The length of the last line before it that is not blank.
    before: u64,
    /// When the last of them came that are more than blanks.
    at: Option<Instant>,
}

/// The length of a line in bytes.
#[derive(Clone, Copy, Default)]
struct LineLength {
    bytes: u64,
    has_text: bool,
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

    /// The output until the pipe was closed, or until somebody else has held it for long
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
        for (number, part) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if number > 0 {
                self.before = self.last_line_length();
                self.newest = LineLength::default();
            }
            self.newest.bytes += part.len() as u64;
            self.newest.has_text |= !part.trim_ascii().is_empty();
        }
        self.bytes.extend_from_slice(bytes);
        let surplus = self.bytes.len().saturating_sub(most);
        self.bytes.drain(..surplus);
    }

    /// The length of the last line that is not blank.
    fn last_line_length(&self) -> u64 {
        if self.newest.has_text {
            self.newest.bytes
        } else {
            self.before
        }
    }

    /// The length of the last line that is not blank, if only its end is kept.
    fn last_line_cut_from(&self) -> Option<u64> {
        let lines = self.bytes.split(|byte| *byte == b'\n');
        let has_text = |line: &&[u8]| !line.trim_ascii().is_empty();
        let kept = lines.rev().find(has_text).map_or(0, <[u8]>::len) as u64;
        Some(self.last_line_length()).filter(|length| *length > kept)
    }

    fn lines(&self) -> impl DoubleEndedIterator<Item = String> {
        let lines = self.bytes.split(|byte| *byte == b'\n');
        let lines = lines.map(|line| String::from_utf8_lossy(line).trim_end().to_owned());
        lines.filter(|line| !line.is_empty())
    }

    fn last_line(&self) -> Option<String> {
        self.lines().next_back().map(|line| line.trim().to_owned())
    }

    /// The last lines, without those that only point at a place in the line above.
    fn last_lines(&self) -> Vec<String> {
        let says = |line: &String| !line.trim().chars().all(|sign| matches!(sign, '^' | '~'));
        let lines = self.lines().rev().filter(says);
        let mut lines: Vec<_> = lines.take(STDERR_LINES).collect();
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

    /// What comes at each of these multiples of [`GRACE`] after the end of the process.
    async fn kept_of(pauses: &'static [f64]) -> String {
        let (pipe, mut holder) = duplex(64);
        let tail = Tail::of(Some(pipe), 64);
        spawn(async move {
            for pause in pauses {
                sleep(GRACE.mul_f64(*pause)).await;
                // Nobody may read it any more.
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

    #[test]
    fn the_last_of_what_comes_is_kept() {
        let mut kept = Kept::default();

        for line in ["first\n", "second\n", "{\"a\": 1}\n", " \n"] {
            kept.push(line.as_bytes(), 12);
        }

        assert_eq!(kept.seen, 24);
        assert_eq!(kept.last_line().as_deref(), Some("{\"a\": 1}"));
        assert_eq!(Kept::default().last_line(), None);
    }

    proptest! {
        /// However a pipe cuts what comes, the end of it is kept, and shown as text.
        #[test]
        fn what_is_kept_is_the_end_of_all_that_came(
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
            let last = kept.last_line();
            prop_assert!(last.as_ref().is_none_or(|line| !line.trim().is_empty() && !line.contains('\n')));
            prop_assert_eq!(last.is_none(), kept.lines().next().is_none());
            prop_assert!(kept.last_lines().len() <= STDERR_LINES);
            let printed = all.split(|byte| *byte == b'\n');
            let printed = printed.rev().find(|line| !line.trim_ascii().is_empty());
            let length = printed.map_or(0, <[u8]>::len);
            let whole = kept.bytes.split(|byte| *byte == b'\n').any(|line| Some(line) == printed);
            prop_assert!(kept.last_line_cut_from().is_none_or(|cut| cut == length as u64));
            prop_assert!(kept.last_line_cut_from().is_some() || whole || length == 0);
        }
    }

    #[cfg(unix)]
    mod processes {
        use std::{
            ffi::OsString,
            fs,
            future::{pending, ready},
            process::Command,
            sync::Arc,
            time::Duration,
        };

        use tokio::{
            task::spawn_blocking,
            time::{Instant, timeout},
        };
        use wire::{LINGER, ProcessRecord, Stopped};

        use crate::{ClientCommand, Context, LabDelay, ProcessLimits, run};

        /// A process that has sent its first request at once.
        fn at_most(
            time: Duration,
        ) -> ProcessLimits<
            impl Future<Output = ()>,
            impl Future<Output = ()>,
            impl Fn(&str) -> Option<u64>,
        > {
            ProcessLimits {
                process: Arc::default(),
                called: ready(()),
                time,
                watches_to_the_end: false,
                flood: pending(),
                is_result: |line: &str| (line == "right").then_some(1),
                delay: LabDelay::default(),
                farewell: Duration::ZERO,
            }
        }

        /// Runs a script.
        async fn shell(script: &str, time: Duration) -> ProcessRecord {
            ran(script, at_most(time)).await
        }

        /// The same, watched to its end.
        async fn watched(script: &str, time: Duration) -> ProcessRecord {
            let limits = ProcessLimits {
                watches_to_the_end: true,
                ..at_most(time)
            };
            ran(script, limits).await
        }

        async fn ran(
            script: &str,
            limits: ProcessLimits<
                impl Future<Output = ()>,
                impl Future<Output = ()>,
                impl Fn(&str) -> Option<u64>,
            >,
        ) -> ProcessRecord {
            let words = ["sh", "-c", script].map(OsString::from);
            let command = ClientCommand::new(words).expect("a command");
            let base_url = "http://127.0.0.1:1".to_owned();
            let context = Context {
                task: Some("flaky"),
                set: Vec::new(),
                url: format!("{base_url}/flaky"),
                base_url,
                token: Some("secret".to_owned()),
            };
            let ran = run(&command, &context, limits, Instant::now());
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
            let lingers = shell("echo log; echo right; sleep 60", LONG).await;
            let waits = shell("echo wrong; sleep 60", Duration::from_millis(1500)).await;

            assert_eq!(lingers.stopped, Some(Stopped::Lingered));
            let printed_at = lingers.printed_at.expect("a line");
            assert!(lingers.ended - printed_at >= LINGER, "{lingers:?}");
            assert!(lingers.ended < LONG / 2, "{lingers:?}");
            assert_eq!(waits.stopped, Some(Stopped::TimeUp));
        }

        #[tokio::test]
        async fn a_watched_client_is_watched_until_all_that_it_started_has_ended() {
            let soon = Duration::from_millis(500);
            for (script, time, left_running) in [
                ("echo right", LONG, false),
                ("(sleep 0.2 &) ; echo right", LONG, false),
                ("(sleep 60 &) ; echo right", soon, true),
                ("setsid sleep 60 & echo right", soon, true),
            ] {
                let record = watched(script, time).await;

                assert_eq!((record.exit, record.stopped), (Some(0), None), "{script}");
                assert_eq!(record.left_running, left_running, "{script}");
                assert!(record.watched_until >= record.ended, "{record:?}");
                assert!(!left_running || record.watched_until >= time, "{record:?}");
                assert_eq!(record.last_line.as_deref(), Some("right"));
            }
        }

        #[tokio::test]
        async fn a_watched_client_is_not_ended_because_it_has_its_result() {
            let time = LINGER + Duration::from_millis(300);

            let rests = watched("echo right; sleep 60", time).await;
            let ends = watched("echo right; sleep 1.2; exit 3", LONG).await;

            assert_eq!(
                (rests.stopped, rests.left_running),
                (Some(Stopped::TimeUp), true)
            );
            assert_eq!((ends.exit, ends.left_running), (Some(3), false));
        }

        #[tokio::test]
        async fn a_signal_is_its_own_unless_the_lab_sent_it() {
            let crashed = shell("kill -SEGV $$", LONG).await;
            let stopped = shell("sleep 60", Duration::from_millis(50)).await;

            assert_eq!((crashed.exit, crashed.signal), (None, Some(11)));
            assert_eq!((stopped.exit, stopped.signal), (None, None));
            assert_eq!(stopped.stopped, Some(Stopped::TimeUp));
        }

        /// Runs a script that holds a pipe with a name, and with it all that it starts:
        /// whether nobody holds it any more.
        async fn leaves_nothing(script: &str) -> bool {
            let folder = tempfile::tempdir().expect("a folder");
            let pipe = folder.path().join("pipe");
            let made = Command::new("mkfifo").arg(&pipe).status();
            assert!(made.expect("mkfifo runs").success());
            let read = {
                let pipe = pipe.clone();
                // It ends once the last process that holds the other end has.
                spawn_blocking(move || fs::read_to_string(pipe))
            };

            let script = format!("exec 9>{}; echo held >&9; {script}", pipe.display());
            shell(&script, Duration::from_millis(300)).await;

            let read = timeout(Duration::from_secs(10), read).await;
            read.is_ok_and(|read| read.expect("no panic").expect("it is read") == "held\n")
        }

        #[tokio::test]
        async fn what_it_started_ends_with_it() {
            for script in ["sleep 60 &", "sleep 60 & wait"] {
                assert!(leaves_nothing(script).await, "{script}");
            }
        }

        #[cfg(target_os = "linux")]
        #[tokio::test]
        async fn what_has_left_its_process_group_ends_with_it() {
            for script in [
                "setsid sleep 60 &",
                "setsid sh -c 'sleep 60 & sleep 60' & wait",
                "(env -i setsid sh -c 'sleep 60 & sleep 60' &)",
                "(env -i setsid sh -c '(setsid sleep 60 &) ; sleep 60' &) ; sleep 60",
            ] {
                assert!(leaves_nothing(script).await, "{script}");
            }
        }

        /// It has the environment of the lab, and would have the group of the lab.
        #[cfg(target_os = "linux")]
        #[tokio::test]
        async fn an_orphan_that_looks_as_if_the_lab_had_started_it_ends_with_it() {
            let group = nix::unistd::getpgrp();
            for clear in [
                "%ENV = ()",
                "delete $ENV{LAB_RUN}",
                "delete @ENV{grep {/^LAB_/i} keys %ENV}",
            ] {
                let joins = format!("setpgrp(0, {group}); {clear}; exec \"/bin/sleep\", 60");
                let script = format!("perl -e 'if (!fork) {{ if (!fork) {{ {joins} }} }}'");

                assert!(leaves_nothing(&script).await, "{script}");
            }
        }

        #[cfg(target_os = "linux")]
        #[tokio::test]
        async fn a_client_cannot_join_the_process_group_of_the_lab() {
            let group = nix::unistd::getpgrp();
            let script = format!("perl -e 'print setpgrp(0, {group}) ? \"joined\" : \"refused\"'");

            // A leader may not change its group in any case.
            let record = shell(&format!("{script}; true"), LONG).await;

            assert_eq!(record.last_line.as_deref(), Some("refused"));
        }

        /// How long a process may take that has something to end.
        const FAREWELL: Duration = Duration::from_secs(5);

        /// Runs a script that may do something before it is killed.
        async fn with_farewell(script: &str, time: Duration, farewell: Duration) -> ProcessRecord {
            let limits = ProcessLimits {
                farewell,
                ..at_most(time)
            };
            ran(script, limits).await
        }

        #[tokio::test]
        async fn a_process_is_asked_to_end_before_it_is_killed() {
            let says = "trap 'echo farewell; exit 0' TERM; echo begun; sleep 60 & wait";
            let soon = Duration::from_millis(300);

            let asked = with_farewell(says, soon, FAREWELL).await;
            let killed = with_farewell(says, soon, Duration::ZERO).await;

            assert_eq!(asked.last_line.as_deref(), Some("farewell"), "{asked:?}");
            assert_eq!(killed.last_line.as_deref(), Some("begun"), "{killed:?}");
            assert_eq!((asked.exit, asked.stopped), (None, Some(Stopped::TimeUp)));
        }

        #[tokio::test]
        async fn a_process_that_does_not_end_is_killed_all_the_same() {
            let farewell = Duration::from_millis(200);
            let begun = Instant::now();

            let record = with_farewell("trap '' TERM; sleep 60 & wait", farewell, farewell).await;

            assert_eq!(record.stopped, Some(Stopped::TimeUp));
            assert!((2 * farewell..LONG / 2).contains(&begun.elapsed()));
        }

        #[tokio::test]
        async fn a_process_that_is_left_behind_or_given_up_is_asked_to_end_as_well() {
            let folder = tempfile::tempdir().expect("a folder");
            for (name, after, most) in [
                ("left-behind", "sleep 0.2", LONG / 2),
                ("given-up", "wait", Duration::from_millis(600)),
            ] {
                let path = folder.path().join(name);
                let says = format!("trap 'echo farewell >{}; exit' TERM", path.display());
                let script = format!("({says}; sleep 60 & wait) & {after}");

                let run = with_farewell(&script, LONG, FAREWELL);
                let ended = timeout(most, run).await;

                assert_eq!(ended.is_ok(), name == "left-behind");
                let said = fs::read_to_string(&path).expect("it was asked");
                assert_eq!(said, "farewell\n", "{name}");
            }
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

            let ran = run(&command, &Context::default(), at_most(LONG), Instant::now()).await;

            let crate::RunError::Start(error) = ran.expect_err("nothing to run") else {
                panic!("it was never there to be watched");
            };
            let kind = error.kind();
            assert_eq!(kind, std::io::ErrorKind::NotFound);
        }
    }
}
