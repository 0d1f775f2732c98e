//! The card that is open: cases for clients of any kind, judged as requests come.
//!
//! There is one at a time: another takes its place. A page looks at it as often as it
//! likes to show it, so while nobody looks nothing is judged, and while none is open
//! nothing of it runs.

mod routes;
mod view;

use http::StatusCode;
use tokio::{sync::Mutex, task::spawn_blocking};

use super::{feed::token, problem::Problem, runs::in_words};
use runner::{
    RunError, Settings,
    grade::{OpenCases, all},
};

pub(super) use routes::routes;
use view::CardView;

/// The card, if one is open.
#[derive(Default)]
pub(super) struct Cards {
    current: Mutex<Option<Card>>,
}

/// Runs that are open.
struct Card {
    /// Tells it from those before it.
    id: String,
    cases: OpenCases,
}

impl Cards {
    /// Opens the cases of every task, once those that were open have stopped.
    async fn open(&self) -> Result<CardView, Problem> {
        let mut current = self.current.lock().await;
        stop(current.take()).await.map_err(failed)?;
        // Each service takes a moment to listen, and all of them together would hold up
        // everybody who is served on this thread.
        let start = || OpenCases::start(all(), Settings::random_seed());
        let cases = spawn_blocking(start).await.map_err(|error| {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            Problem::new(status, "card_failed", error.to_string())
        })?;
        let card = current.insert(Card {
            id: token(),
            cases: cases.map_err(failed)?,
        });
        Ok(CardView::of(&card.id, &card.cases))
    }

    /// What became of the tasks so far; their words alone if no card is open.
    async fn view(&self) -> CardView {
        match &*self.current.lock().await {
            Some(card) => CardView::of(&card.id, &card.cases),
            None => CardView::closed(),
        }
    }

    /// Begins a case again: what became of the tasks, unless there is no such case.
    async fn again(&self, task: &str, number: usize) -> Option<CardView> {
        let current = self.current.lock().await;
        let card = current.as_ref()?;
        let known = card.cases.again(task, number);
        known.then(|| CardView::of(&card.id, &card.cases))
    }

    /// Stops all services of the card that is open, if one is.
    ///
    /// # Errors
    ///
    /// [`RunError`] if one of them left something behind.
    pub(super) async fn stop(&self) -> Result<(), RunError> {
        stop(self.current.lock().await.take()).await
    }

    /// Cuts them off.
    pub(super) fn abort(&self) {
        // Whoever holds it is being cut off as well, and lets go of it then.
        if let Ok(mut current) = self.current.try_lock() {
            current.take();
        }
    }
}

async fn stop(card: Option<Card>) -> Result<(), RunError> {
    match card {
        Some(card) => card.cases.stop().await.map(drop),
        None => Ok(()),
    }
}

fn failed(error: RunError) -> Problem {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    Problem::new(status, "card_failed", in_words(&error))
}
