//! The cards of the program: the one that is made now, and the last one before it.

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::SystemTime,
};

use grade::{Card, CaseEvent, CaseGrade, GoalVerdict, PolicyUnderLoad, TASKS, Task, TaskGrade};
use judge::KnownFailures;
use maud::Markup;
use tokio::sync::{mpsc, oneshot};

use super::grader::{Order, OrderSent};
use crate::web::{live::Live, lock::lock};

/// The cards, for as long as the process lives.
pub(crate) struct ClientCards {
    live: Arc<Live>,
    /// None without a program.
    program: Option<ProgramFacts>,
    orders: OnceLock<mpsc::WeakUnboundedSender<OrderSent>>,
    cards: Mutex<Cards>,
    /// The card so far as it was last read, with the number of results. Pages judge it, and not
    /// the thread on which the program is graded.
    judged: Mutex<Option<(u64, Arc<Card>)>>,
}

/// What pages may know of the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgramFacts {
    pub(super) is_watched: bool,
    pub(super) seed: u64,
}

#[derive(Default)]
struct Cards {
    /// The last complete card before the current one.
    before: Option<Arc<Card>>,
    current: Option<CurrentCard>,
    /// How often there was another result, or another card.
    results: u64,
}

/// A card in progress, or as far as it came.
#[derive(Clone)]
struct CurrentCard {
    started: SystemTime,
    state: CardState,
    /// In the order of the course.
    tasks: Vec<TaskProgress>,
    policy: Option<Arc<PolicyUnderLoad>>,
}

/// Whether a card is still made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CardState {
    Running,
    Complete,
    /// Somebody stopped it.
    Stopped,
    /// It could not be made, for this reason.
    Failed(String),
}

/// How far a task is.
#[derive(Clone, Default)]
pub(super) struct TaskProgress {
    /// How many of its cases have begun, and how many are over.
    pub(super) begun: usize,
    pub(super) ended: usize,
    /// The first case that crashed without a request, as every case of a program with an error in
    /// its syntax does: it is shown before the others are over.
    pub(super) crash: Option<Arc<CaseGrade>>,
    pub(super) graded: Option<Arc<GradedTask>>,
}

/// The result of a task, and its small picture once a page has drawn it.
pub(super) struct GradedTask {
    grade: TaskGrade,
    picture: OnceLock<Option<Markup>>,
}

/// A card as a page shows it.
pub(super) struct ShownCard {
    pub(super) started: SystemTime,
    pub(super) state: CardState,
    /// In the order of the course.
    pub(super) tasks: Vec<TaskProgress>,
    /// The card so far.
    pub(super) card: Arc<Card>,
    /// The last complete card before it.
    pub(super) before: Option<Arc<Card>>,
    /// Its policy under load, once it is complete.
    pub(super) policy: Option<Arc<PolicyUnderLoad>>,
}

impl ClientCards {
    pub(crate) fn new(live: Arc<Live>, program: Option<&super::GradedProgram>) -> Self {
        Self {
            live,
            program: program.map(|program| ProgramFacts {
                is_watched: !program.saves.is_empty(),
                seed: program.seed,
            }),
            orders: OnceLock::new(),
            cards: Mutex::default(),
            judged: Mutex::default(),
        }
    }

    /// None without a program.
    pub(super) fn program(&self) -> Option<ProgramFacts> {
        self.program
    }

    pub(super) fn take_orders_with(&self, orders: mpsc::WeakUnboundedSender<OrderSent>) {
        // There is one grader.
        let _ = self.orders.set(orders);
    }

    /// Passes an order on, and waits until it was obeyed; false without a program.
    pub(super) async fn order(&self, order: Order) -> bool {
        let (obeyed, done) = oneshot::channel();
        let orders = self
            .orders
            .get()
            .and_then(mpsc::WeakUnboundedSender::upgrade);
        let is_sent = orders.is_some_and(|orders| orders.send(OrderSent { order, obeyed }).is_ok());
        is_sent && done.await.is_ok()
    }

    /// Begins a card.
    pub(super) fn begin(&self) {
        // A card without a request, such as that of a syntax error, is nothing to compare with.
        let complete = self.shown().filter(|known| {
            known.state == CardState::Complete
                && known.card.tasks.iter().any(|task| task.requests() > 0)
        });
        self.change(|cards| {
            if let Some(complete) = complete {
                cards.before = Some(complete.card);
            }
            cards.current = Some(CurrentCard {
                started: SystemTime::now(),
                state: CardState::Running,
                tasks: vec![TaskProgress::default(); TASKS.len()],
                policy: None,
            });
            cards.results += 1;
        });
    }

    pub(super) fn case(&self, task: usize, event: CaseEvent<'_>) {
        self.change(|cards| {
            if let Some(progress) = cards.task(task) {
                match event {
                    CaseEvent::Started => progress.begun += 1,
                    CaseEvent::Ended(case) => progress.end(case),
                }
            }
        });
    }

    pub(super) fn graded(&self, task: usize, grade: TaskGrade) {
        let graded = GradedTask {
            grade,
            picture: OnceLock::new(),
        };
        self.change(|cards| {
            if let Some(progress) = cards.task(task) {
                progress.graded = Some(Arc::new(graded));
            }
            cards.results += 1;
        });
    }

    /// Adds what many clients with the policy of the card do; none if the card does not show it.
    pub(super) fn add_policy(&self, policy: Option<PolicyUnderLoad>) {
        self.change(|cards| {
            if let Some(current) = &mut cards.current {
                current.policy = policy.map(Arc::new);
            }
        });
    }

    pub(super) fn fail(&self, reason: String) {
        self.change(|cards| {
            if let Some(current) = &mut cards.current {
                current.state = CardState::Failed(reason);
            }
        });
    }

    /// Ends the current card, which is complete, or is not made any further.
    pub(super) fn leave(&self) {
        self.change(|cards| {
            let current = cards.current.as_mut();
            if let Some(current) = current.filter(|card| card.state == CardState::Running) {
                let is_complete = current.tasks.iter().all(|task| task.graded.is_some());
                current.state = if is_complete {
                    CardState::Complete
                } else {
                    CardState::Stopped
                };
            }
        });
    }

    /// Whether a card is made now.
    pub(crate) fn in_progress(&self) -> bool {
        let cards = lock(&self.cards);
        let current = cards.current.as_ref();
        current.is_some_and(|card| card.state == CardState::Running)
    }

    /// Whether a task goes on now in which milliseconds are judged: what else the lab does makes
    /// its verdicts uncertain, and it makes the waits of a run late.
    pub(crate) fn judges_waits(&self) -> bool {
        let cards = lock(&self.cards);
        let running = cards
            .current
            .as_ref()
            .filter(|card| card.state == CardState::Running);
        let tasks = running.map(|card| TASKS.iter().zip(&card.tasks));
        tasks.is_some_and(|mut tasks| {
            tasks.any(|(task, progress)| {
                task.is_about_milliseconds() && progress.begun > progress.ended
            })
        })
    }

    /// The current card; none before the first one.
    pub(super) fn shown(&self) -> Option<ShownCard> {
        let (results, current, before) = {
            let cards = lock(&self.cards);
            (cards.results, cards.current.clone()?, cards.before.clone())
        };
        Some(ShownCard {
            card: self.judged(results, &current.tasks),
            started: current.started,
            state: current.state,
            tasks: current.tasks,
            policy: current.policy,
            before,
        })
    }

    /// The card of these tasks after so many results. It is judged once for all pages.
    fn judged(&self, results: u64, tasks: &[TaskProgress]) -> Arc<Card> {
        let mut judged = lock(&self.judged);
        match &*judged {
            Some((known, card)) if *known == results => Arc::clone(card),
            _ => {
                let card = Arc::new(self.card_of(tasks));
                *judged = Some((results, Arc::clone(&card)));
                card
            }
        }
    }

    fn card_of(&self, tasks: &[TaskProgress]) -> Card {
        let seed = self.program.map_or(0, |program| program.seed);
        // The page names no command.
        let mut card = Card::new(Vec::new(), seed, wire::GENERATOR);
        let graded = tasks.iter().flat_map(|task| &task.graded);
        card.add(graded.map(|graded| graded.grade.clone()));
        card
    }

    fn change(&self, change: impl FnOnce(&mut Cards)) {
        let mut cards = lock(&self.cards);
        change(&mut cards);
        drop(cards);
        self.live.changed();
    }
}

impl Cards {
    /// A task of the current card, by its number.
    fn task(&mut self, number: usize) -> Option<&mut TaskProgress> {
        self.current.as_mut()?.tasks.get_mut(number)
    }
}

impl TaskProgress {
    fn end(&mut self, case: &CaseGrade) {
        self.ended += 1;
        let is_crash = case.goal.verdict == GoalVerdict::Crashed && case.wire.total == 0;
        if is_crash && self.crash.is_none() {
            self.crash = Some(Arc::new(case.clone()));
        }
    }
}

impl GradedTask {
    /// A case of it in one line.
    pub(super) fn picture(&self) -> Option<&Markup> {
        self.picture.get_or_init(|| self.grade.line()).as_ref()
    }
}

impl ShownCard {
    /// The newest result of a task that is known, which may be that of the card before.
    pub(super) fn newest(&self, task: &Task) -> Option<&TaskGrade> {
        let name = task.words.name;
        let before = self.before.as_ref();
        self.card
            .task(name)
            .or_else(|| before.and_then(|card| card.task(name)))
    }

    /// The number of the task to do next: the first that is not known to be done.
    pub(super) fn next(&self) -> Option<usize> {
        TASKS.iter().position(|task| {
            let newest = self.newest(task);
            !newest.is_some_and(|grade| grade.result(&KnownFailures::default()).is_done())
        })
    }
}
