//! Grades the program on a thread of its own, as `lab grade --all` does: drawing a page must not
//! make the judge late.

use std::{
    future::pending,
    io,
    panic::AssertUnwindSafe,
    sync::Arc,
    thread::{self, JoinHandle},
};

use futures_util::FutureExt;
use grade::{CaseEvent, GradeError, ProcessSlots, TASKS, run_tasks};
use tokio::{
    runtime::Builder,
    sync::{mpsc, oneshot},
};

use super::{cards::ClientCards, program::GradedProgram};
use crate::{causes::causes, grade::policy_under_load::policy_under_load};

/// What the page asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// A new card. One that goes on ends.
    Grade,
    /// No card: one that goes on ends.
    Stop,
}

/// An order, and whom to tell that it was obeyed.
pub(super) struct OrderSent {
    pub(super) order: Order,
    pub(super) obeyed: oneshot::Sender<()>,
}

/// The thread that grades. It ends, with the program and all that this has started, once this is
/// dropped.
pub(crate) struct Grader {
    /// Open for as long as the thread is to go on.
    orders: Option<mpsc::UnboundedSender<OrderSent>>,
    thread: Option<JoinHandle<()>>,
}

impl Grader {
    /// Starts the thread. The cards take their orders from then on.
    pub(crate) fn start(program: GradedProgram, cards: Arc<ClientCards>) -> io::Result<Self> {
        let (orders, received) = mpsc::unbounded_channel();
        // The page orders as long as the grader goes on.
        cards.take_orders_with(orders.downgrade());
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name("grader".to_owned());
        let thread = thread.spawn(move || {
            runtime.block_on(grade(program, &cards, received));
            // A storm that goes on keeps nobody waiting.
            runtime.shutdown_background();
        })?;
        Ok(Self {
            orders: Some(orders),
            thread: Some(thread),
        })
    }
}

impl Drop for Grader {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A panic in there has been reported.
            let _ = thread.join();
        }
    }
}

/// Grades at each order and at each save, until no order can come any more.
async fn grade(
    program: GradedProgram,
    cards: &ClientCards,
    mut orders: mpsc::UnboundedReceiver<OrderSent>,
) {
    let mut saves = program.saves.clone();
    // A program whose files are watched is graded at once.
    let mut is_grading = !saves.is_empty();
    if is_grading {
        cards.begin();
    }
    loop {
        let card = async {
            if is_grading {
                one_card(&program, cards).await;
            } else {
                pending::<()>().await;
            }
        };
        // A card that is dropped leaves no process behind.
        let order = tokio::select! {
            biased;
            sent = orders.recv() => match sent {
                Some(sent) => Some(sent),
                None => return,
            },
            () = saves.next() => None,
            () = card => {
                is_grading = false;
                cards.leave();
                continue;
            }
        };
        is_grading = order.as_ref().is_none_or(|sent| sent.order == Order::Grade);
        if is_grading {
            cards.begin();
        } else {
            cards.leave();
        }
        if let Some(sent) = order {
            // A page that is gone needs no word.
            let _ = sent.obeyed.send(());
        }
    }
}

/// Grades once, with the next task first.
async fn one_card(program: &GradedProgram, cards: &ClientCards) {
    let next = cards.shown().and_then(|shown| shown.next());
    let mut tasks: Vec<_> = TASKS.iter().copied().enumerate().collect();
    tasks.sort_by_key(|(number, _)| Some(*number) != next);
    let slots = ProcessSlots::of_this_machine();
    let all = run_tasks(
        tasks,
        &program.command,
        program.seed,
        &slots,
        |task, event: CaseEvent<'_>| cards.case(task, event),
        |task, grade| cards.graded(task, grade),
    );
    match AssertUnwindSafe(all).catch_unwind().await {
        // The storm of its policy keeps the processors busy, so it comes last.
        Ok(Ok(())) => {
            if let Some(complete) = cards.shown() {
                cards.add_policy(policy_under_load(&complete.card).await);
            }
        }
        Ok(Err(error)) => {
            (program.on_error)(&error);
            cards.fail(reason(&error));
        }
        // The panic has been reported.
        Err(_) => cards.fail("the lab failed".to_owned()),
    }
}

/// Why a card could not be made, without the name of the program.
fn reason(error: &GradeError) -> String {
    match error {
        GradeError::Program { source, .. } => causes(source),
        other => causes(other),
    }
}
