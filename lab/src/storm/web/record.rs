//! A storm that is kept: what is known of it, and who looks at it.

use std::{
    ops::ControlFlow,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use storm::{Plan, Progress, StormPicture, simulate};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until, timeout, timeout_at},
};

use crate::web::{live::INTERVAL, lock::lock};

/// How long a page waits for the end of a storm: its first response is complete if it ends in
/// this time.
pub(super) const WITHIN: Duration = Duration::from_secs(1);

/// A storm ends if nobody looks at it for this long.
pub(super) const ABANDONED: Duration = Duration::from_secs(5);

/// How far a storm is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It waits for its turn.
    Waiting,
    /// It is simulated.
    Running,
    /// It is over.
    Over,
    /// It was cancelled.
    Cancelled,
    /// It could not be simulated.
    Failed(String),
}

/// A storm that is kept.
pub(super) struct Record {
    pub(super) plan: Plan,
    started: Instant,
    phase: watch::Sender<Phase>,
    picture: Mutex<StormPicture>,
    /// Whether its simulation has to end.
    has_to_end: AtomicBool,
    attention: Mutex<Attention>,
}

/// Who looks at a storm.
struct Attention {
    /// When its page was asked for last, or a stream of it ended.
    last: Instant,
    /// The open streams of its page.
    streams: usize,
}

impl Phase {
    /// Whether nothing more will happen.
    pub(super) fn is_over(&self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }
}

impl Record {
    pub(super) fn new(plan: Plan) -> Self {
        Self {
            phase: watch::Sender::new(Phase::Waiting),
            picture: Mutex::new(StormPicture::begun(plan.clone())),
            plan,
            started: Instant::now(),
            has_to_end: AtomicBool::new(false),
            attention: Mutex::new(Attention {
                last: Instant::now(),
                streams: 0,
            }),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase.borrow().clone()
    }

    /// What is known of it. The phase is read first: a storm that ends in between is shown as one
    /// that goes on, and its page asks again.
    pub(super) fn known(&self) -> (Phase, StormPicture) {
        let phase = self.phase();
        (phase, lock(&self.picture).clone())
    }

    /// Its page was asked for.
    pub(super) fn asked(&self) {
        lock(&self.attention).last = Instant::now();
    }

    /// A stream of its page was opened.
    pub(super) fn stream_opened(&self) {
        lock(&self.attention).streams += 1;
    }

    /// A stream of its page was closed.
    pub(super) fn stream_closed(&self) {
        let mut attention = lock(&self.attention);
        attention.streams -= 1;
        attention.last = Instant::now();
    }

    /// Waits until nobody has looked at it for some time.
    pub(super) async fn abandoned(&self) {
        loop {
            let now = Instant::now();
            let until = {
                let attention = lock(&self.attention);
                let last = if attention.streams > 0 {
                    now
                } else {
                    attention.last
                };
                last + ABANDONED
            };
            if until <= now {
                return;
            }
            sleep_until(until).await;
        }
    }

    /// Waits for its end while it is new. Later requests show how far it is.
    pub(super) async fn settled(&self) {
        let _ = timeout_at(self.started + WITHIN, self.ended()).await;
    }

    /// Makes it end, and waits for that, but not for long.
    pub(super) async fn cancelled(&self) {
        self.cancel();
        let _ = timeout(WITHIN, self.ended()).await;
    }

    /// Waits for its end.
    pub(super) async fn ended(&self) {
        // The sender is in this record, so it is never gone.
        let _ = self.phase.subscribe().wait_for(Phase::is_over).await;
    }

    /// Makes it end. One that is simulated ends at its next step.
    pub(super) fn cancel(&self) {
        self.has_to_end.store(true, Ordering::Relaxed);
        self.phase.send_if_modified(|phase| {
            let waits = *phase == Phase::Waiting;
            if waits {
                *phase = Phase::Cancelled;
            }
            waits
        });
    }

    /// Its turn has come. Returns false if it was cancelled before.
    pub(super) fn begin(&self) -> bool {
        self.phase.send_if_modified(|phase| {
            let waits = *phase == Phase::Waiting;
            if waits {
                *phase = Phase::Running;
            }
            waits
        })
    }

    /// It has ended like this.
    pub(super) fn end(&self, phase: Phase) {
        self.phase.send_replace(phase);
    }

    /// Simulates it. It tells from time to time that something has changed.
    pub(super) fn simulate(&self, changed: impl Fn()) -> Phase {
        let mut told = std::time::Instant::now();
        let simulated = simulate(&self.plan, |progress| {
            let is_step = matches!(progress, Progress::Steps(..));
            if !is_step || told.elapsed() >= INTERVAL {
                lock(&self.picture).add(&progress);
                changed();
                told = std::time::Instant::now();
            }
            if self.has_to_end.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        match simulated {
            Ok(_) if lock(&self.picture).has_every_run() => Phase::Over,
            Ok(_) => Phase::Cancelled,
            Err(error) => Phase::Failed(error.to_string()),
        }
    }
}
