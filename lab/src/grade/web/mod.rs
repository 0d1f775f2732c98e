//! The open card: cases for clients of any kind, judged while requests arrive.
//!
//! Only one card is open at a time; a new one replaces it. The card is judged only when a
//! page requests it, so an unwatched card costs nothing.

mod routes;
mod view;

use std::error::Error;

use grade::{OpenCases, all};
use host::StopError;
use http::StatusCode;
use scenario::Settings;
use tokio::{sync::Mutex, task::spawn_blocking};

use crate::web::{
    feed::token,
    problem::{Problem, causes},
};
use view::CardView;

pub(crate) use routes::routes;

/// The card, if one is open.
#[derive(Default)]
pub(crate) struct Cards {
    current: Mutex<Option<Card>>,
}

/// Runs that are open.
struct Card {
    /// Distinguishes this card from earlier ones.
    id: String,
    cases: OpenCases,
}

impl Card {
    /// The tasks with their results so far, unless this process has failed meanwhile.
    fn view(&self) -> Result<CardView, Problem> {
        self.cases.check().map_err(failed)?;
        Ok(CardView::of(&self.id, &self.cases))
    }
}

impl Cards {
    /// Opens the cases of every task, after stopping those that were open.
    async fn open(&self) -> Result<CardView, Problem> {
        let mut current = self.current.lock().await;
        stop(current.take()).await.map_err(failed)?;
        // Each service takes a moment to listen; starting all of them at once would block
        // this thread's other requests.
        let start = || OpenCases::start(all(), Settings::random_seed());
        let cases = spawn_blocking(start).await.map_err(|error| {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            Problem::new(status, "card_failed", error.to_string())
        })?;
        let card = current.insert(Card {
            id: token(),
            cases: cases.map_err(failed)?,
        });
        card.view()
    }

    /// The tasks with their results so far; without results if no card is open.
    async fn view(&self) -> Result<CardView, Problem> {
        match &*self.current.lock().await {
            Some(card) => card.view(),
            None => Ok(CardView::closed()),
        }
    }

    /// Starts a case again and returns the tasks; none if the case does not exist.
    async fn again(&self, task: &str, number: usize) -> Option<Result<CardView, Problem>> {
        let current = self.current.lock().await;
        let card = current.as_ref()?;
        let known = card.cases.again(task, number);
        known.then(|| card.view())
    }

    /// Stops all services of the open card, if there is one.
    ///
    /// # Errors
    ///
    /// [`StopError`] if a service could not be stopped properly.
    pub(crate) async fn stop(&self) -> Result<(), StopError> {
        stop(self.current.lock().await.take()).await
    }

    /// Aborts its services.
    pub(crate) fn abort(&self) {
        // A request that still holds the card is aborted, too, and then releases it.
        if let Ok(mut current) = self.current.try_lock() {
            current.take();
        }
    }
}

async fn stop(card: Option<Card>) -> Result<(), StopError> {
    match card {
        Some(card) => card.cases.stop().await.map(drop),
        None => Ok(()),
    }
}

fn failed(error: impl Error + 'static) -> Problem {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    Problem::new(status, "card_failed", causes(&error))
}
