//! The open card: cases for clients of any kind, judged while requests arrive.
//!
//! Only one card is open at a time; a new one replaces it. The card is judged only when a
//! page requests it, so an unwatched card costs nothing.

mod routes;

use std::error::Error;

use grade::{OpenCases, TASKS};
use host::StopError;
use http::StatusCode;
use judge::rules::TOLERANCE;
use scenario::Settings;
use serde::Serialize;
use tokio::{sync::Mutex, task::spawn_blocking};

use crate::{
    causes::causes,
    web::{feed::token, problem::Problem},
};

pub(crate) use routes::routes;

/// The card, if one is open.
#[derive(Default)]
pub(crate) struct Cards {
    current: Mutex<Option<OpenCard>>,
}

/// The open card as JSON.
#[derive(Serialize)]
struct CardView {
    /// None if no card is open.
    id: Option<String>,
    /// The card's seed, and how exact waits have to be.
    terms: Option<String>,
    cases: Vec<CaseView>,
    /// The rules that were broken so far, in words.
    broken: Vec<String>,
    /// The tasks with what came so far, as HTML.
    html: String,
}

/// An open case, for a program that calls it.
#[derive(Serialize)]
struct CaseView {
    task: &'static str,
    number: usize,
    name: &'static str,
    url: String,
    token: Option<String>,
}

impl CardView {
    fn of(card: &OpenCard) -> Self {
        let cases = card.cases.cases().map(|case| CaseView {
            task: case.task.words.name,
            number: case.number,
            name: case.name,
            url: case.url.to_owned(),
            token: case.token.map(str::to_owned),
        });
        let grades = card.cases.grades();
        let broken = grades.iter().flat_map(|grade| {
            let rules = grade.broken();
            rules.map(|rule| format!("{}: {} is broken", grade.task, rule.id))
        });
        let tolerance = wire::duration(TOLERANCE);
        Self {
            id: Some(card.id.clone()),
            terms: Some(format!(
                "seed {} · waits may be {tolerance} short",
                card.cases.seed()
            )),
            cases: cases.collect(),
            broken: broken.collect(),
            html: grade::open_tasks(&card.cases, &grades).into_string(),
        }
    }

    fn closed() -> Self {
        Self {
            id: None,
            terms: None,
            cases: Vec::new(),
            broken: Vec::new(),
            html: grade::closed_tasks().into_string(),
        }
    }
}

/// The card that is open.
struct OpenCard {
    /// Distinguishes this card from earlier ones.
    id: String,
    cases: OpenCases,
}

impl OpenCard {
    /// The tasks with their results so far, unless this process has failed meanwhile.
    fn view(&self) -> Result<CardView, Problem> {
        self.cases.check().map_err(failed)?;
        Ok(CardView::of(self))
    }
}

impl Cards {
    /// Opens the cases of every task, after stopping those that were open.
    async fn open(&self) -> Result<CardView, Problem> {
        let mut current = self.current.lock().await;
        stop(current.take()).await.map_err(failed)?;
        // Each service takes a moment to listen; starting all of them at once would block
        // this thread's other requests.
        let start = || OpenCases::start(TASKS.iter().copied(), Settings::random_seed());
        let cases = spawn_blocking(start).await.map_err(|error| {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            Problem::new(status, "card_failed", error.to_string())
        })?;
        let card = current.insert(OpenCard {
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

async fn stop(card: Option<OpenCard>) -> Result<(), StopError> {
    match card {
        Some(card) => card.cases.stop().await.map(drop),
        None => Ok(()),
    }
}

fn failed(error: impl Error + 'static) -> Problem {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    Problem::new(status, "card_failed", causes(&error))
}
