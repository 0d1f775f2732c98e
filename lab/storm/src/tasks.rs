//! The tasks of a storm, which run on one thread.
//!
//! An executor for any purpose has to expect wakers on other threads at each poll. A storm
//! polls several times for each request, and nothing else runs beside it.

use std::{
    cell::RefCell,
    collections::VecDeque,
    future::Future,
    pin::Pin,
    rc::{Rc, Weak},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Wake, Waker},
};

/// The tasks that have not ended.
#[derive(Default)]
pub(super) struct Tasks {
    /// Each at its place.
    tasks: Vec<Option<Task>>,
    /// The places without a task.
    free: Vec<usize>,
    /// How many tasks there were.
    begun: u64,
    ready: Arc<ReadyQueue>,
    spawned: Rc<Spawned>,
}

/// Tasks that have not begun.
type Spawned = RefCell<Vec<BoxedTask>>;

type BoxedTask = Pin<Box<dyn Future<Output = ()>>>;

/// Spawns tasks.
#[derive(Clone)]
pub(super) struct Spawner(Weak<Spawned>);

struct Task {
    future: BoxedTask,
    state: Arc<TaskState>,
    waker: Waker,
}

/// What the wakers of a task know of it.
struct TaskState {
    id: TaskId,
    /// Whether it is in the queue.
    is_ready: AtomicBool,
    queue: Arc<ReadyQueue>,
}

/// The tasks that can go on, in the order in which they were woken.
#[derive(Default)]
struct ReadyQueue(Mutex<VecDeque<TaskId>>);

#[derive(Clone, Copy, PartialEq, Eq)]
struct TaskId {
    /// Another task has this place once the task has ended.
    place: usize,
    number: u64,
}

impl Tasks {
    pub(super) fn spawner(&self) -> Spawner {
        Spawner(Rc::downgrade(&self.spawned))
    }

    /// Runs the tasks until none can go on. Spawned tasks begin when a task has ended, or
    /// when no other one can go on.
    pub(super) fn run_until_stalled(&mut self) {
        loop {
            self.begin_spawned();
            let Some(first) = self.ready.next() else {
                return;
            };
            let mut next = Some(first);
            while let Some(id) = next {
                if self.poll(id) {
                    break;
                }
                next = self.ready.next();
            }
        }
    }

    fn begin_spawned(&mut self) {
        for future in self.spawned.borrow_mut().drain(..) {
            let place = self.free.pop().unwrap_or(self.tasks.len());
            self.begun += 1;
            let state = Arc::new(TaskState {
                id: TaskId {
                    place,
                    number: self.begun,
                },
                is_ready: AtomicBool::new(false),
                queue: Arc::clone(&self.ready),
            });
            state.wake_by_ref();
            let task = Some(Task {
                future,
                waker: Waker::from(Arc::clone(&state)),
                state,
            });
            match self.tasks.get_mut(place) {
                Some(free) => *free = task,
                None => self.tasks.push(task),
            }
        }
    }

    /// Polls a task, if it has not ended: whether it ends.
    fn poll(&mut self, id: TaskId) -> bool {
        let Some(place) = self.tasks.get_mut(id.place) else {
            return false;
        };
        let Some(task) = place.as_mut().filter(|task| task.state.id == id) else {
            return false;
        };
        task.state.is_ready.store(false, Ordering::Relaxed);
        let context = &mut Context::from_waker(&task.waker);
        let has_ended = task.future.as_mut().poll(context).is_ready();
        if has_ended {
            *place = None;
            self.free.push(id.place);
        }
        has_ended
    }
}

impl Spawner {
    /// Spawns a task. Without the tasks that it would join, it never begins.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        if let Some(spawned) = self.0.upgrade() {
            spawned.borrow_mut().push(Box::pin(task));
        }
    }
}

impl ReadyQueue {
    fn next(&self) -> Option<TaskId> {
        self.lock().pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<TaskId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for TaskState {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut queue = self.queue.lock();
        if !self.is_ready.load(Ordering::Relaxed) {
            self.is_ready.store(true, Ordering::Relaxed);
            queue.push_back(self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future::poll_fn, task::Poll};

    use super::*;

    /// The wakers of tasks, by their names, and the names in the order of their polls.
    #[derive(Clone, Default)]
    struct Log {
        polls: Rc<RefCell<Vec<&'static str>>>,
        wakers: Rc<RefCell<Vec<(&'static str, Waker)>>>,
    }

    impl Log {
        /// A task that is polled so many times, each time after it has been woken.
        async fn task(self, name: &'static str, polls: u32) {
            let mut left = polls;
            poll_fn(|context| {
                self.polls.borrow_mut().push(name);
                let waker = context.waker().clone();
                self.wakers.borrow_mut().push((name, waker));
                left -= 1;
                if left == 0 {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            })
            .await;
        }

        fn wake(&self, name: &str) {
            for (of, waker) in &*self.wakers.borrow() {
                if *of == name {
                    waker.wake_by_ref();
                }
            }
        }

        fn polls(&self) -> String {
            self.polls.take().join(" ")
        }
    }

    #[test]
    fn tasks_run_in_the_order_in_which_they_were_woken() {
        let (mut tasks, log) = (Tasks::default(), Log::default());
        for name in ["a", "b", "c"] {
            tasks.spawner().spawn(log.clone().task(name, 9));
        }

        tasks.run_until_stalled();
        assert_eq!(log.polls(), "a b c");
        for name in ["c", "a", "c"] {
            log.wake(name);
        }
        tasks.run_until_stalled();
        assert_eq!(log.polls(), "c a");
        tasks.run_until_stalled();
        assert_eq!(log.polls(), "");
    }

    #[test]
    fn a_spawned_task_begins_after_the_end_of_a_task_or_after_all_that_can_go_on() {
        for (polls, expected) in [(2, "a b woken new"), (1, "a b new woken")] {
            let (mut tasks, log) = (Tasks::default(), Log::default());
            let spawner = tasks.spawner();
            spawner.spawn(log.clone().task("woken", 9));
            tasks.run_until_stalled();
            let (of_task, of_new, spawns) = (log.clone(), log.clone(), spawner.clone());
            spawner.spawn(async move {
                spawns.spawn(of_new.task("new", 1));
                of_task.task("a", polls).await;
            });
            let of_task = log.clone();
            spawner.spawn(async move {
                of_task.wake("woken");
                of_task.task("b", 9).await;
            });
            log.polls();

            tasks.run_until_stalled();

            assert_eq!(log.polls(), expected);
        }
    }

    #[test]
    fn the_waker_of_a_task_that_has_ended_wakes_nobody() {
        let (mut tasks, log) = (Tasks::default(), Log::default());
        tasks.spawner().spawn(log.clone().task("a", 1));
        tasks.run_until_stalled();
        tasks.spawner().spawn(log.clone().task("b", 2));
        tasks.run_until_stalled();
        assert_eq!(log.polls(), "a b");

        log.wake("a");
        tasks.run_until_stalled();

        assert_eq!(log.polls(), "");
        assert_eq!(tasks.tasks.len(), 1, "b has the place of a");
    }

    #[test]
    fn tasks_that_have_not_ended_are_dropped_with_the_others() {
        struct Guard(Rc<Cell<u32>>, Spawner);
        impl Drop for Guard {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
                self.1.spawn(async {});
            }
        }
        let (mut tasks, dropped) = (Tasks::default(), Rc::new(Cell::new(0)));
        let guard = |tasks: &Tasks| Guard(Rc::clone(&dropped), tasks.spawner());
        let has_begun = guard(&tasks);
        tasks.spawner().spawn(async move {
            let _guard = has_begun;
            std::future::pending::<()>().await;
        });
        tasks.run_until_stalled();
        let has_not_begun = guard(&tasks);
        tasks.spawner().spawn(async move { drop(has_not_begun) });

        drop(tasks);

        assert_eq!(dropped.get(), 2);
    }
}
