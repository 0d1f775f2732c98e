//! A client as a process: started, bounded in time and output, and ended with all that
//! it has started itself.

use std::{
    io,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use evidence::rules::{PlayRecord, Stopped};
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    task::JoinHandle,
    time::{Instant, timeout},
};

use super::command::{ClientCommand, Context};

/// How much of what a process prints is kept, in bytes. A result is its last line.
const STDOUT_KEPT: usize = 64 * 1024;

/// How much of its stderr is kept, in bytes, and in lines.
const STDERR_KEPT: usize = 8 * 1024;
const STDERR_LINES: usize = 24;

/// For how long output may go on after the end of a process: somebody else holds its
/// pipes then.
const GRACE: Duration = Duration::from_millis(200);

/// Runs a client until it ends, until its time is up, or until `flood` is ready. All
/// moments are counted from `begun`.
///
/// Dropped before that, it ends the process all the same.
///
/// # Errors
///
/// If the program could not be started.
pub(super) async fn run(
    command: &ClientCommand,
    context: &Context,
    time: Duration,
    flood: impl Future<Output = ()>,
    begun: Instant,
) -> io::Result<PlayRecord> {
    let mut wrapped = CommandWrap::with_new(command.program(), |process| {
        process
            .args(command.arguments(context))
            .envs(context.variables())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    #[cfg(unix)]
    wrapped.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    wrapped.wrap(process_wrap::tokio::JobObject);
    let mut group = Group(wrapped.spawn()?);
    let started = begun.elapsed();

    let stdout = Tail::of(group.0.stdout().take(), STDOUT_KEPT);
    let stderr = Tail::of(group.0.stderr().take(), STDERR_KEPT);
    let (status, stopped) = tokio::select! {
        status = group.0.wait() => (Some(status?), None),
        () = flood => (None, Some(Stopped::Flood)),
        () = tokio::time::sleep(time) => (None, Some(Stopped::TimeUp)),
    };
    let ended = begun.elapsed();
    let (stdout, stderr) = match stopped {
        None => (stdout.end().await, stderr.end().await),
        Some(_) => {
            group.end();
            let ended = (stdout.end().await, stderr.end().await);
            // What was killed is gone in no time, and is nobody's zombie then.
            drop(timeout(GRACE, group.0.wait()).await);
            ended
        }
    };
    Ok(PlayRecord {
        started,
        ended,
        exit: status.and_then(|status| status.code()),
        signal: status.and_then(signal),
        stopped,
        last_line: stdout.last_line(),
        printed: stdout.seen,
        stderr: stderr.last_lines(),
    })
}

/// A process and all that it has started, ended when this is dropped.
struct Group(Box<dyn ChildWrapper>);

impl Group {
    fn end(&mut self) {
        // An error says that nothing of it is left.
        let _ = self.0.start_kill();
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
}

impl Tail {
    fn of(pipe: Option<impl AsyncRead + Unpin + Send + 'static>, most: usize) -> Self {
        let kept = Arc::<Mutex<Kept>>::default();
        let shared = Arc::clone(&kept);
        let reading = tokio::spawn(async move {
            let Some(mut pipe) = pipe else { return };
            let mut buffer = [0; 8 * 1024];
            while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(&buffer[..read], most);
            }
        });
        Self { reading, kept }
    }

    /// What came until the pipe was closed, or until somebody else has held it for long
    /// enough.
    async fn end(mut self) -> Kept {
        if timeout(GRACE, &mut self.reading).await.is_err() {
            self.reading.abort();
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *kept)
    }
}

impl Kept {
    fn push(&mut self, bytes: &[u8], most: usize) {
        self.seen += bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        let surplus = self.bytes.len().saturating_sub(most);
        self.bytes.drain(..surplus);
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
    use super::Kept;

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

    #[cfg(unix)]
    mod processes {
        use std::{ffi::OsString, future::pending, time::Duration};

        use evidence::rules::{PlayRecord, Stopped};
        use tokio::time::Instant;

        use crate::grade::{
            command::{ClientCommand, Context},
            process::run,
        };

        async fn shell(script: &str, time: Duration) -> PlayRecord {
            let words = ["sh", "-c", script].map(OsString::from);
            let command = ClientCommand::new(words).expect("a command");
            let context = Context {
                task: "flaky",
                url: "http://127.0.0.1:1/a/flaky".to_owned(),
                base_url: "http://127.0.0.1:1/a".to_owned(),
                token: Some("secret".to_owned()),
            };
            let ran = run(&command, &context, time, pending(), Instant::now());
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
            let last = record.last_line.as_deref();
            assert_eq!(last, Some("http://127.0.0.1:1/a/flaky secret"));
            assert_eq!(record.stderr, ["oops"]);
        }

        #[tokio::test]
        async fn a_signal_is_its_own_unless_the_lab_sent_it() {
            let crashed = shell("kill -SEGV $$", LONG).await;
            let stopped = shell("sleep 60", Duration::from_millis(50)).await;

            assert_eq!((crashed.exit, crashed.signal), (None, Some(11)));
            assert_eq!((stopped.exit, stopped.signal), (None, None));
            assert_eq!(stopped.stopped, Some(Stopped::TimeUp));
        }

        #[tokio::test]
        async fn what_it_started_ends_with_it() {
            // The first word of a process in the background is its own number.
            let script = "sleep 60 & echo $!";
            for script in [script.to_owned(), format!("{script}; wait")] {
                let record = shell(&script, Duration::from_millis(300)).await;

                let child: u32 = record.last_line.expect("a number").parse().expect("one");
                let gone = || !is_alive(child);
                for _ in 0..100 {
                    if gone() {
                        break;
                    }
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                assert!(gone(), "{script}");
            }
        }

        /// A process that nobody has waited for yet is not alive.
        fn is_alive(process: u32) -> bool {
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
            stat.is_ok_and(|stat| !stat.contains(") Z "))
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
            let context = Context {
                task: "flaky",
                url: String::new(),
                base_url: String::new(),
                token: None,
            };

            let ran = run(&command, &context, LONG, pending(), Instant::now()).await;

            let kind = ran.expect_err("nothing to run").kind();
            assert_eq!(kind, std::io::ErrorKind::NotFound);
        }
    }
}
