//! For how long a client is idle between a response and its next request: no thread of its
//! processes runs, waits for a processor or waits for a disk. A client is idle while it
//! pauses, and not while it is slow, or while the machine is.
//!
//! The time is added up from short slices. A slice in which a thread was seen to run at one
//! of its ends does not count at all; of the others, the time does not count for which
//! threads ran or waited for a processor, as the system tells afterwards. A slice that ends
//! late counts as a short one: then the lab itself was late, and may have been late to
//! write the response or to read the request, too. So the sum is less than the pause, and a
//! client without a pause is idle for two slices at most: the first and the last one.
//!
//! Only Linux tells how long a thread has waited for a processor (`schedstat`). On other
//! systems nothing is measured.

use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use host::ConnectionPosition;
use tokio::time::{Instant, sleep};

/// How long a slice is.
const SLICE: Duration = Duration::from_millis(5);

/// The most that a slice counts: timers are set to whole milliseconds.
const LONGEST: Duration = Duration::from_millis(7);

/// The most gaps of a case that are measured.
const MOST: usize = 100;

/// The meter of one client.
#[derive(Debug, Default)]
pub(super) struct IdleMeter {
    /// The number of the client's process, once it has been started.
    pub(super) process: Arc<OnceLock<u32>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    gap: Option<Gap>,
    measured: Vec<Measured>,
}

/// A gap that was measured: the requests before and after it, and the idle time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) after: ConnectionPosition,
    pub(super) before: ConnectionPosition,
    pub(super) idle: Duration,
}

/// A gap that goes on.
#[derive(Debug)]
struct Gap {
    after: ConnectionPosition,
    /// The beginning of the slice that goes on; none if the client could not be measured.
    slice: Option<Load>,
    idle: Duration,
    /// Whether the client did anything. If it did not, somebody else sends its requests.
    has_run: bool,
}

impl IdleMeter {
    /// Divides gaps into slices, without an end.
    pub(super) async fn measure(self: Arc<Self>) -> ! {
        loop {
            sleep(SLICE).await;
            if let Some(gap) = &mut self.lock().gap {
                gap.end_slice(self.load());
            }
        }
    }

    /// A response to this request is written now.
    pub(super) fn response(&self, position: ConnectionPosition) {
        let mut state = self.lock();
        let is_full = state.measured.len() >= MOST;
        state.gap = (!is_full).then(|| Gap {
            after: position,
            slice: self.load(),
            idle: Duration::ZERO,
            has_run: false,
        });
    }

    /// This request has arrived.
    pub(super) fn request(&self, position: ConnectionPosition) {
        let mut state = self.lock();
        let Some(mut gap) = state.gap.take() else {
            return;
        };
        gap.end_slice(self.load());
        if gap.has_run {
            state.measured.push(Measured {
                after: gap.after,
                before: position,
                idle: gap.idle,
            });
        }
    }

    /// Every gap that was measured.
    pub(super) fn measured(&self) -> Vec<Measured> {
        self.lock().measured.clone()
    }

    fn load(&self) -> Option<Load> {
        let process = self.process.get()?;
        let begun = Instant::now();
        let threads = threads::of(*process)?;
        Some(Load {
            begun,
            threads,
            done: Instant::now(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gap {
    /// Ends a slice, and begins the next one.
    fn end_slice(&mut self, end: Option<Load>) {
        if let (Some(begin), Some(end)) = (&self.slice, &end) {
            let time = end.begun.saturating_duration_since(begin.done);
            let busy = end.threads.busy_since(&begin.threads);
            self.has_run |= busy.is_none_or(|busy| !busy.is_zero());
            let idle = busy.map_or(Duration::ZERO, |busy| time.saturating_sub(busy));
            self.idle += idle.min(LONGEST);
        }
        self.slice = end;
    }
}

/// How busy the threads of a client were up to a moment, and when it was begun and done to
/// measure that.
#[derive(Debug)]
struct Load {
    begun: Instant,
    threads: threads::Threads,
    done: Instant,
}

#[cfg(target_os = "linux")]
mod threads {
    use std::{
        collections::BTreeMap,
        fs::{self, File},
        io::Read,
        time::Duration,
    };

    #[derive(Debug, Default)]
    pub(super) struct Threads {
        /// For how long each ran or waited for a processor so far, in nanoseconds.
        busy: BTreeMap<u32, u64>,
        /// Whether one runs, or waits for a processor or a disk, at this moment.
        is_any_running: bool,
        /// Rises with each process that has ended and was started by one of these.
        ended: u64,
    }

    /// The threads of a process and of all that it has started; none if one of them ends
    /// meanwhile, or if the system does not tell.
    pub(super) fn of(process: u32) -> Option<Threads> {
        let mut threads = Threads::default();
        let mut processes = vec![process];
        while let Some(process) = processes.pop() {
            // Each process that was run and waited for has touched some memory (`cminflt`).
            let faults = field(&read(&format!("/proc/{process}/stat"))?, 8)?;
            threads.ended += faults.parse::<u64>().ok()?;
            for thread in fs::read_dir(format!("/proc/{process}/task")).ok()? {
                let name = thread.ok()?.file_name();
                let name = name.to_str()?;
                let folder = format!("/proc/{process}/task/{name}");
                let times = read(&format!("{folder}/schedstat"))?;
                let mut times = times.split_whitespace().map(str::parse::<u64>);
                let (runs, waits) = (times.next()?.ok()?, times.next()?.ok()?);
                threads
                    .busy
                    .insert(name.parse().ok()?, runs.checked_add(waits)?);
                let state = field(&read(&format!("{folder}/stat"))?, 0)?;
                threads.is_any_running |= matches!(&*state, "R" | "D");
                let children = read(&format!("{folder}/children"))?;
                let children = children.split_whitespace().map(str::parse);
                processes.extend(children.collect::<Result<Vec<u32>, _>>().ok()?);
            }
        }
        Some(threads)
    }

    /// A field of `stat` after the name, which may have spaces and parentheses.
    fn field(stat: &str, number: usize) -> Option<String> {
        let (_, fields) = stat.rsplit_once(") ")?;
        fields.split(' ').nth(number).map(str::to_owned)
    }

    /// A file of the system, in one piece. They are read hundreds of times a second.
    fn read(path: &str) -> Option<String> {
        let mut text = [0; 4_096];
        let length = File::open(path).ok()?.read(&mut text).ok()?;
        let text = text.get(..length)?;
        std::str::from_utf8(text).ok().map(str::to_owned)
    }

    impl Threads {
        /// For how long threads were busy since an earlier moment, all together; none if that
        /// is not known: one runs at one of the moments, or has ended between them.
        pub(super) fn busy_since(&self, earlier: &Self) -> Option<Duration> {
            let is_any_running = self.is_any_running || earlier.is_any_running;
            let live = |thread| self.busy.contains_key(thread);
            let all_live = earlier.busy.keys().all(live) && self.ended == earlier.ended;
            let before = |thread| earlier.busy.get(thread).copied().unwrap_or_default();
            let times = self.busy.iter();
            let times = times.map(|(thread, time)| time.saturating_sub(before(thread)));
            let busy = Duration::from_nanos(times.sum());
            (all_live && !is_any_running).then_some(busy)
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn threads(busy: &[(u32, u64)], ended: u64) -> Threads {
            Threads {
                busy: busy.iter().copied().collect(),
                is_any_running: false,
                ended,
            }
        }

        #[test]
        fn a_name_may_have_parentheses() {
            let stat = "7 (a) b) (c) S 1 7 7 0 -1 4194560 106 3566 0 0";

            assert_eq!(field(stat, 0).as_deref(), Some("S"));
            assert_eq!(field(stat, 8).as_deref(), Some("3566"));
        }

        #[test]
        fn a_thread_that_ends_or_runs_on_makes_the_time_unknown() {
            let earlier = threads(&[(1, 100), (2, 50)], 7);
            let running = Threads {
                is_any_running: true,
                ..threads(&[(1, 130), (2, 50)], 7)
            };
            for (later, expected) in [
                (threads(&[(1, 100), (2, 50)], 7), Some(0)),
                (threads(&[(1, 130), (2, 50)], 7), Some(30)),
                (threads(&[(1, 130), (2, 55), (3, 9)], 7), Some(44)),
                (threads(&[(1, 130)], 7), None),
                (threads(&[(1, 130), (2, 50)], 8), None),
                (running, None),
            ] {
                let busy = later.busy_since(&earlier).map(|time| time.as_nanos());
                assert_eq!(busy, expected, "{later:?}");
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod threads {
    use std::time::Duration;

    #[derive(Debug)]
    pub(super) struct Threads;

    pub(super) fn of(_: u32) -> Option<Threads> {
        None
    }

    impl Threads {
        pub(super) fn busy_since(&self, _: &Self) -> Option<Duration> {
            None
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn at(position: u64) -> ConnectionPosition {
        ConnectionPosition {
            connection: 1,
            position,
        }
    }

    /// For how long a shell is idle in 200 ms that begin a while after its start.
    async fn idle(script: &str) -> Option<Duration> {
        let meter = Arc::new(IdleMeter::default());
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", script]).stdout(Stdio::null());
        let mut shell = shell.spawn().expect("sh runs");
        meter.process.get_or_init(|| shell.id());
        let measuring = tokio::spawn(Arc::clone(&meter).measure());
        sleep(Duration::from_millis(100)).await;

        meter.response(at(1));
        sleep(Duration::from_millis(200)).await;
        meter.request(at(2));

        measuring.abort();
        shell.kill().expect("it runs");
        shell.wait().expect("it ends");
        meter.measured().first().map(|measured| measured.idle)
    }

    #[tokio::test]
    async fn a_process_is_idle_while_it_pauses_and_not_while_it_runs() {
        let runs = idle("while :; do :; done").await.expect("it is measured");
        let pauses = idle("sleep 0.15; while :; do sleep 0.05; done").await;
        // Somebody else must have sent the request.
        let does_nothing = idle("sleep 9; :").await;

        assert!(runs <= 2 * LONGEST, "{runs:?}");
        assert!(pauses.expect("it is measured") > Duration::from_millis(25));
        assert_eq!(does_nothing, None);
    }
}
