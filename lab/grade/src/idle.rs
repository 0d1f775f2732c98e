//! For how long a client is idle between a response and its next request: nothing runs,
//! waits for a processor or waits for a disk that its next request waits for. A client is
//! idle while it pauses, and not while it is slow, or while the machine is.
//!
//! The time is added up from short slices. Of each it is known which threads were busy, and
//! for how long they ran or waited for a processor; a thread that is seen to run at an end
//! of a slice is busy for all of it. The first slice and the last two count as short ones: in
//! them the lab itself may be late, to write the response or to read the request.
//!
//! A thread may also work in the background while the client pauses, as a compiler does. If
//! the main thread sends the request, only that counts which may have woken it: its own
//! work, and every stretch of work of another thread that ends where one that counts
//! begins. Else all threads count. So the sum is hardly more than the pause.
//!
//! So a pause is as long as the idle time or longer. It is also as long as the sleep of the
//! thread that makes it, or shorter. If the main thread sleeps while the client waits for a
//! response, this is that thread, so its sleep is measured, too. Work in the background does
//! not change it.
//!
//! Only Linux tells how long a thread has waited for a processor (`schedstat`). On other
//! systems nothing is measured.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use host::ConnectionPosition;
use tokio::time::{Instant, sleep};

/// How long a slice is.
const SLICE: Duration = Duration::from_millis(5);

/// The most that a slice counts in which the lab may be late: timers are set to whole
/// milliseconds.
const LONGEST: Duration = Duration::from_millis(7);

/// Within how many slices after the end of another thread's work a thread has begun to run
/// that was woken by it.
const WAKING: usize = 2;

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
    /// The main thread when the last request arrived.
    requested: Option<MainThread>,
    gap: Option<Gap>,
    measured: Vec<Measured>,
}

/// A gap that was measured: the requests before and after it, the idle time, and for how long
/// the main thread slept; none if it did not sleep before the gap, while the client waited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) after: ConnectionPosition,
    pub(super) before: ConnectionPosition,
    pub(super) idle: Duration,
    pub(super) slept: Option<Duration>,
}

/// A gap that goes on.
#[derive(Debug)]
struct Gap {
    after: ConnectionPosition,
    /// The main thread at its beginning, if that slept until then.
    main: Option<MainThread>,
    /// The beginning of the slice that goes on; none if the client could not be measured.
    begin: Option<Load>,
    slices: Vec<Slice>,
}

/// For how long a main thread was busy up to a moment. While it waits for a processor, that is
/// not counted yet.
#[derive(Clone, Copy, Debug)]
struct MainThread {
    at: Instant,
    busy: Duration,
    is_running: bool,
}

/// A slice of a gap.
#[derive(Debug)]
struct Slice {
    /// From the end of the measurement before it to the beginning of the one after it.
    time: Duration,
    /// With the measurement before it.
    whole: Duration,
    /// For how long each of the busy threads was busy; none if it is not known. The main
    /// thread is the first one.
    busy: Option<BTreeMap<Thread, Work>>,
}

/// For how long a thread was busy in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    For(Duration),
    /// It was running at the beginning.
    Throughout,
    /// It is still running at the end, so that nothing has waited for it.
    Unended,
}

/// A thread of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thread {
    /// The main thread of a client that is one process.
    Main,
    Other(u32),
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
        let begin = self.load();
        let main = begin.as_ref().and_then(Load::main);
        let waited = main.zip(state.requested.take());
        let slept = waited.filter(|(main, requested)| {
            let waited = main.at.saturating_duration_since(requested.at);
            !main.is_running && main.slept_since(*requested) >= waited / 2
        });
        state.gap = (!is_full).then(|| Gap {
            after: position,
            main: slept.and(main),
            begin,
            slices: Vec::new(),
        });
    }

    /// This request has arrived.
    pub(super) fn request(&self, position: ConnectionPosition) {
        let mut state = self.lock();
        let end = self.load();
        let main = end.as_ref().and_then(Load::main);
        state.requested = main;
        let Some(mut gap) = state.gap.take() else {
            return;
        };
        gap.end_slice(end);
        if let Some(idle) = idle(&gap.slices) {
            let pair = main.zip(gap.main);
            state.measured.push(Measured {
                after: gap.after,
                before: position,
                idle,
                slept: pair.map(|(main, begin)| main.slept_since(begin)),
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

impl MainThread {
    /// For how long it has neither run nor waited for a processor since.
    fn slept_since(self, earlier: Self) -> Duration {
        let time = self.at.saturating_duration_since(earlier.at);
        time.saturating_sub(self.busy.saturating_sub(earlier.busy))
    }
}

impl Gap {
    /// Ends a slice, and begins the next one.
    fn end_slice(&mut self, end: Option<Load>) {
        let slice = match (&self.begin, &end) {
            (Some(begin), Some(end)) => Slice {
                time: end.begun.saturating_duration_since(begin.done),
                whole: end.begun.saturating_duration_since(begin.begun),
                busy: end.threads.busy_since(&begin.threads),
            },
            _ => Slice {
                time: Duration::ZERO,
                whole: Duration::ZERO,
                busy: None,
            },
        };
        self.slices.push(slice);
        self.begin = end;
    }
}

/// For how long a client was idle in these slices of a gap; none if no thread did anything:
/// then another process sent the request.
fn idle(slices: &[Slice]) -> Option<Duration> {
    let has_run = |slice: &Slice| slice.busy.as_ref().is_none_or(|busy| !busy.is_empty());
    if !slices.iter().any(has_run) {
        return None;
    }
    let counted = counted(slices);
    let work_in = |place: usize, slice: &Slice| -> Option<Vec<Work>> {
        let counts = |thread: &Thread| {
            let counted = counted.as_ref();
            counted.is_none_or(|counted| counted.contains(&(place, *thread)))
        };
        let work = slice.busy.as_ref()?.iter();
        let work = work.filter(|(thread, _)| counts(thread));
        Some(work.map(|(_, work)| *work).collect())
    };
    let is_late = |place| place == 0 || place + WAKING >= slices.len();
    let mut was_idle = false;
    let times = slices.iter().enumerate().map(|(place, slice)| {
        let Some(work) = work_in(place, slice) else {
            was_idle = false;
            return Duration::ZERO;
        };
        // What is idle before and after a measurement is idle meanwhile.
        let is_idle = work.is_empty();
        let time = if is_idle && was_idle {
            slice.whole
        } else {
            slice.time
        };
        was_idle = is_idle;
        let time = work.into_iter().try_fold(time, |time, work| match work {
            Work::For(busy) => Some(time.saturating_sub(busy)),
            Work::Throughout | Work::Unended => None,
        });
        let most = if is_late(place) {
            LONGEST
        } else {
            Duration::MAX
        };
        time.unwrap_or_default().min(most)
    });
    Some(times.sum())
}

/// The slices in which a thread was busy with what the request waited for; none if every
/// thread counts, since the main thread has not sent the request or not all is known.
fn counted(slices: &[Slice]) -> Option<BTreeSet<(usize, Thread)>> {
    let mut intervals: BTreeMap<Thread, Vec<RangeInclusive<usize>>> = BTreeMap::new();
    for (place, slice) in slices.iter().enumerate() {
        for thread in slice.busy.as_ref()?.keys() {
            let of_thread = intervals.entry(*thread).or_default();
            match of_thread.last_mut() {
                Some(last) if last.end() + 1 == place => *last = *last.start()..=place,
                _ => of_thread.push(place..=place),
            }
        }
    }
    let of_main = intervals.get(&Thread::Main)?;
    of_main
        .last()
        .filter(|last| last.end() + WAKING >= slices.len())?;
    let mut to_count: Vec<_> = of_main
        .iter()
        .map(|work| (Thread::Main, work.clone()))
        .collect();
    let last = slices.last().and_then(|slice| slice.busy.as_ref());
    let unended = last.into_iter().flatten();
    let unended = unended.filter(|(_, work)| **work == Work::Unended);
    let unended: BTreeSet<_> = unended.map(|(thread, _)| *thread).collect();
    let mut counted = BTreeSet::new();
    while let Some((thread, work)) = to_count.pop() {
        if !counted.insert((*work.start(), thread)) {
            continue;
        }
        counted.extend(work.clone().map(|place| (place, thread)));
        for (other, works) in &intervals {
            let waking = works.iter().filter(|other_work| {
                let has_ended = *other_work.end() + 1 < slices.len() || !unended.contains(other);
                let wakes = *other_work.end()..=other_work.end() + WAKING;
                has_ended && wakes.contains(work.start())
            });
            to_count.extend(waking.map(|work| (*other, work.clone())));
        }
    }
    Some(counted)
}

/// How busy the threads of a client were up to a moment, and when it was begun and done to
/// measure that.
#[derive(Debug)]
struct Load {
    begun: Instant,
    threads: threads::Threads,
    done: Instant,
}

impl Load {
    /// The main thread, if the client is one process.
    fn main(&self) -> Option<MainThread> {
        let (busy, is_running) = self.threads.main()?;
        Some(MainThread {
            at: self.begun,
            busy,
            is_running,
        })
    }
}

#[cfg(target_os = "linux")]
mod threads {
    use std::{
        collections::{BTreeMap, BTreeSet},
        fs::{self, File},
        io::Read,
        time::Duration,
    };

    use super::{Thread, Work};

    #[derive(Debug, Default)]
    pub(super) struct Threads {
        /// For how long each ran or waited for a processor so far, in nanoseconds.
        busy: BTreeMap<u32, u64>,
        /// Those that run, or wait for a processor or a disk, at this moment.
        running: BTreeSet<u32>,
        /// The main thread, if there is one process alone.
        main: Option<u32>,
        /// Rises with each process that has ended and was started by one of these.
        ended: u64,
    }

    /// The threads of a process and of all that it has started; none if one of them ends
    /// meanwhile, or if the system does not tell.
    pub(super) fn of(process: u32) -> Option<Threads> {
        let mut threads = Threads {
            main: Some(process),
            ..Threads::default()
        };
        let leader = process;
        let mut processes = vec![process];
        while let Some(process) = processes.pop() {
            if process != leader {
                threads.main = None;
            }
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
                let thread = name.parse().ok()?;
                threads.busy.insert(thread, runs.checked_add(waits)?);
                let state = field(&read(&format!("{folder}/stat"))?, 0)?;
                if matches!(&*state, "R" | "D") {
                    threads.running.insert(thread);
                }
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
        /// For how long the main thread was busy so far, and whether it still is, if there is
        /// one process alone.
        pub(super) fn main(&self) -> Option<(Duration, bool)> {
            let main = self.main?;
            let busy = Duration::from_nanos(*self.busy.get(&main)?);
            Some((busy, self.running.contains(&main)))
        }

        /// The threads that were busy since an earlier moment; none if one of them has ended,
        /// so that nothing is known of it.
        pub(super) fn busy_since(&self, earlier: &Self) -> Option<BTreeMap<Thread, Work>> {
            let live = |thread| self.busy.contains_key(thread);
            if !earlier.busy.keys().all(live) || self.ended != earlier.ended {
                return None;
            }
            let named = |thread| match self.main {
                Some(main) if main == thread => Thread::Main,
                _ => Thread::Other(thread),
            };
            let busy = self.busy.iter().filter_map(|(thread, time)| {
                if self.running.contains(thread) {
                    return Some((named(*thread), Work::Unended));
                }
                if earlier.running.contains(thread) {
                    return Some((named(*thread), Work::Throughout));
                }
                let before = earlier.busy.get(thread).copied().unwrap_or_default();
                let time = Duration::from_nanos(time.saturating_sub(before));
                (!time.is_zero()).then(|| (named(*thread), Work::For(time)))
            });
            Some(busy.collect())
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn threads(busy: &[(u32, u64)], running: &[u32], ended: u64) -> Threads {
            Threads {
                busy: busy.iter().copied().collect(),
                running: running.iter().copied().collect(),
                main: Some(1),
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
        fn a_thread_that_has_ended_makes_all_unknown() {
            let earlier = threads(&[(1, 100), (2, 50)], &[], 7);
            let after = |nanos| Work::For(Duration::from_nanos(nanos));
            for (later, expected) in [
                (threads(&[(1, 100), (2, 50)], &[], 7), Some(vec![])),
                (
                    threads(&[(1, 130), (2, 50)], &[], 7),
                    Some(vec![(Thread::Main, after(30))]),
                ),
                (
                    threads(&[(1, 100), (2, 50), (3, 9)], &[2], 7),
                    Some(vec![
                        (Thread::Other(2), Work::Unended),
                        (Thread::Other(3), after(9)),
                    ]),
                ),
                (threads(&[(1, 130)], &[], 7), None),
                (threads(&[(1, 130), (2, 50)], &[], 8), None),
            ] {
                let busy = later.busy_since(&earlier);
                let busy = busy.map(|busy| busy.into_iter().collect::<Vec<_>>());
                assert_eq!(busy, expected, "{later:?}");
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod threads {
    use std::{collections::BTreeMap, time::Duration};

    use super::{Thread, Work};

    #[derive(Debug)]
    pub(super) struct Threads;

    pub(super) fn of(_: u32) -> Option<Threads> {
        None
    }

    impl Threads {
        pub(super) fn main(&self) -> Option<(Duration, bool)> {
            None
        }

        pub(super) fn busy_since(&self, _: &Self) -> Option<BTreeMap<Thread, Work>> {
            None
        }
    }
}

#[cfg(test)]
mod slices {
    use super::*;

    const MAIN: Thread = Thread::Main;
    const OTHER: Thread = Thread::Other(2);

    /// The idle time, in slices, of so many slices in which these threads run.
    fn idle_slices(number: usize, works: &[(Thread, RangeInclusive<usize>)]) -> Option<u128> {
        let slices = (0..number).map(|place| {
            let works = works.iter().filter(|(_, work)| work.contains(&place));
            let busy = works.map(|(thread, work)| {
                let goes_on = *work.end() > place;
                let work = if goes_on {
                    Work::Unended
                } else {
                    Work::Throughout
                };
                (*thread, work)
            });
            Slice {
                time: SLICE,
                whole: SLICE,
                busy: Some(busy.collect()),
            }
        });
        let idle = idle(&slices.collect::<Vec<_>>())?;
        Some(idle.as_millis() / SLICE.as_millis())
    }

    #[test]
    fn only_work_that_may_have_led_to_the_request_counts() {
        for (works, expected) in [
            (&[][..], None),
            // A pause, and one beside a compiler.
            (&[(MAIN, 0..=1), (MAIN, 19..=19)], Some(17)),
            (&[(MAIN, 0..=1), (OTHER, 0..=25), (MAIN, 19..=19)], Some(17)),
            (&[(MAIN, 0..=1), (OTHER, 1..=9), (MAIN, 19..=19)], Some(17)),
            // It waits for the work of another thread, at once and after that of a third.
            (&[(MAIN, 0..=1), (OTHER, 1..=18), (MAIN, 19..=19)], Some(0)),
            (
                &[
                    (MAIN, 0..=1),
                    (Thread::Other(3), 2..=9),
                    (OTHER, 10..=17),
                    (MAIN, 19..=19),
                ],
                Some(1),
            ),
            // Another thread sends the request.
            (&[(MAIN, 0..=1), (OTHER, 1..=19)], Some(0)),
            (&[(OTHER, 0..=1), (OTHER, 19..=19)], Some(17)),
            (&[(MAIN, 0..=19)], Some(0)),
        ] {
            assert_eq!(idle_slices(20, works), expected, "{works:?}");
        }
    }

    /// In slices that each lose 1 ms to the measurement before them.
    #[test]
    fn a_measurement_between_two_idle_slices_is_idle_time() {
        let idle_of = |works: &[Option<Work>]| {
            let slices = works.iter().map(|work| Slice {
                time: SLICE - Duration::from_millis(1),
                whole: SLICE,
                busy: Some(work.iter().map(|work| (MAIN, *work)).collect()),
            });
            idle(&slices.collect::<Vec<_>>())
        };
        let works = Some(Work::For(SLICE));
        let ms = |millis| Some(Duration::from_millis(millis));

        assert_eq!(idle_of(&[works, None, None, None, works]), ms(4 + 5 + 5));
        assert_eq!(idle_of(&[works, None, works, None, works]), ms(4 + 4));
    }

    #[test]
    fn a_late_slice_at_an_end_counts_as_a_short_one() {
        let slice = |millis| Slice {
            time: Duration::from_millis(millis),
            whole: Duration::from_millis(millis),
            busy: Some(BTreeMap::new()),
        };
        let sent = Slice {
            time: SLICE,
            whole: SLICE,
            busy: Some(BTreeMap::from([(MAIN, Work::For(SLICE))])),
        };

        let late = idle(&[slice(50), slice(50), slice(50), sent]);

        assert_eq!(late, Some(2 * LONGEST + Duration::from_millis(50)));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        io::Write,
        process::{Command, Stdio},
    };

    use super::*;

    fn at(position: u64) -> ConnectionPosition {
        ConnectionPosition {
            connection: 1,
            position,
        }
    }

    /// A shell, and what is measured of its 200 ms that begin a while after its start, in which
    /// it waits for a response.
    async fn measured(script: &str) -> Option<Measured> {
        let meter = Arc::new(IdleMeter::default());
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", script]).stdout(Stdio::null());
        let shell = shell.stdin(Stdio::piped());
        let mut shell = shell.spawn().expect("sh runs");
        meter.process.get_or_init(|| shell.id());
        let measuring = tokio::spawn(Arc::clone(&meter).measure());
        sleep(Duration::from_millis(50)).await;

        meter.request(at(0));
        sleep(Duration::from_millis(50)).await;
        meter.response(at(1));
        sleep(Duration::from_millis(190)).await;
        let mut stdin = shell.stdin.take().expect("a pipe");
        // A shell that does not read may have ended.
        let _ = stdin.write_all(b"wake up\n");
        sleep(Duration::from_millis(10)).await;
        meter.request(at(2));

        measuring.abort();
        shell.kill().expect("it runs");
        shell.wait().expect("it ends");
        meter.measured().first().copied()
    }

    #[tokio::test]
    async fn a_process_is_idle_while_it_pauses_and_not_while_it_runs() {
        let runs = measured("while :; do :; done").await;
        let pauses = measured("sleep 0.15; while :; do sleep 0.05; done").await;
        // Somebody else must have sent the request.
        let does_nothing = measured("sleep 9; :").await;
        let waits = measured("while read line; do :; done").await;

        let runs = runs.expect("it is measured");
        assert!(runs.idle <= 3 * LONGEST, "{runs:?}");
        assert!(runs.slept.is_none(), "{runs:?}");
        let pauses = pauses.expect("it is measured");
        assert!(pauses.idle > Duration::from_millis(25), "{pauses:?}");
        assert!(pauses.slept.is_none(), "{pauses:?}");
        assert!(does_nothing.is_none(), "{does_nothing:?}");
        let waits = waits.expect("it is measured");
        let slept = waits.slept.expect("it sleeps while it waits");
        assert!(slept >= Duration::from_millis(150), "{waits:?}");
        assert!(slept + 2 * LONGEST >= waits.idle, "{waits:?}");
    }
}
