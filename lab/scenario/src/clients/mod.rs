//! The clients that run a scenario, all with the same [`Task`].
//!
//! A client is one file here: a [`ClientUnderTest`] has its name and its limits and
//! builds it, and a [`ScenarioClient`] is one that is connected to the service of a run.
//! One function performs a task with any client. To add a client, add a file here and
//! its entry in [`CLIENTS`].

mod connection;
mod naive;
mod perform;
mod reliable;
mod without;

use std::{fmt, ops::ControlFlow};

use client::{
    ConfigError, Endpoint, IdempotencyKey, JsonObject, MemoryCheckpoints,
    teaching::{Redirect, endpoint},
    telemetry::Operation,
};
use host::ExpectedRoute;
use http::{Method, StatusCode};

use crate::{Client, Outcome, ScenarioPolicy};

pub(crate) use connection::Connection;
pub use naive::{NAIVE, Naive};
pub(crate) use perform::perform;
pub(crate) use reliable::register;
pub use reliable::{RELIABLE, Reliable};
pub use without::{WITHOUT, Without};

/// Every client that can be chosen by its name, the reference client first.
pub static CLIENTS: &[&dyn ClientUnderTest] = &[&Reliable, &Naive];

/// A client that can run, before it is connected to a service.
pub trait ClientUnderTest: fmt::Debug + Sync {
    /// Its name, and the counters that it is known by.
    fn identity(&self) -> Client;

    /// A short description.
    fn about(&self) -> &'static str;

    /// How it works, and what this policy allows it in a task, term by term.
    fn terms(&self, policy: &ScenarioPolicy, task: Task) -> Vec<String>;

    /// Builds a client of the service at the other end of the connection.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if the policy breaks a rule of the client.
    fn connect(&self, connection: Connection) -> Result<Box<dyn ScenarioClient>, ConfigError>;
}

/// A client of the service of a run.
///
/// A failure is an [`Outcome`] with everything that the client keeps of it. A method with
/// a body is for a client that has nothing of its own there.
#[async_trait::async_trait]
pub trait ScenarioClient: Send + Sync {
    /// Calls `/flaky` and returns the number in the response.
    async fn flaky(&self) -> Result<u64, Outcome>;

    /// GETs a JSON object.
    async fn get(&self, endpoint: Endpoint) -> Result<(), Outcome>;

    /// GETs `/no-content`.
    async fn no_content(&self) -> Result<(), Outcome> {
        self.get(endpoint::NO_CONTENT).await
    }

    /// GETs `/redirect`; `None` from a client that follows redirects and does not
    /// see them.
    async fn redirect(&self) -> Result<Option<Redirect>, Outcome> {
        self.get(endpoint::REDIRECT).await.map(|()| None)
    }

    /// The key of a new change; `None` from a client that takes a new key for each request.
    fn new_key(&self) -> Option<IdempotencyKey> {
        None
    }

    /// POSTs to an endpoint that promises nothing.
    async fn post(
        &self,
        endpoint: Endpoint,
        key: Option<&IdempotencyKey>,
        body: &JsonObject,
    ) -> Result<(), Outcome>;

    /// Creates a job; its id.
    async fn create_job(
        &self,
        key: Option<&IdempotencyKey>,
        body: &JsonObject,
    ) -> Result<String, Outcome>;

    /// Reads a listing to its end, and hands over the text of each item.
    async fn read(
        &self,
        endpoint: Endpoint,
        each_item: &mut (dyn FnMut(String) + Send),
    ) -> Result<(), Outcome> {
        let mut each_page = |page: Vec<String>| {
            page.into_iter().for_each(&mut *each_item);
            ControlFlow::Continue(())
        };
        let checkpoints = MemoryCheckpoints::default();
        self.crawl(endpoint, &checkpoints, &mut each_page).await
    }

    /// Crawls a listing from the saved checkpoint, if the client uses one, and passes on
    /// the items of each page. A break simulates a process that dies after it has processed
    /// a page and before it saves the checkpoint.
    async fn crawl(
        &self,
        endpoint: Endpoint,
        checkpoints: &MemoryCheckpoints,
        each_page: &mut (dyn FnMut(Vec<String>) -> ControlFlow<()> + Send),
    ) -> Result<(), Outcome>;
}

/// A client's task. How it is done is up to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Ask `/flaky` for its number.
    Flaky,
    /// GET a JSON object.
    Get(Endpoint),
    /// GET `/no-content`.
    NoContent,
    /// GET `/redirect`.
    Redirect,
    /// Read a listing to its end.
    List(Endpoint),
    /// Crawl a listing, be killed after processing its second page, and crawl
    /// on from what was saved.
    ResumeCrawl(Endpoint),
    /// Create jobs one after the other, all with one key, with these numbers in
    /// their bodies.
    CreateJobs(&'static [u64]),
    /// POST with a key to an endpoint that promises nothing.
    Post(Endpoint),
    /// GET a JSON object so many times, one after the other.
    Repeat(Endpoint, u32),
    /// GET a JSON object, from so many workers at once.
    Workers(Endpoint, u32),
}

impl Task {
    /// Whether its requests are one call: one object, one listing, or the job of one key.
    /// Otherwise the wire record cannot tell a new call from a retry without a trace.
    #[must_use]
    pub fn is_one_call(self) -> bool {
        !matches!(self, Self::Workers(..) | Self::Repeat(..))
    }

    /// What a client attempts so many times, if that is not the whole task.
    pub(crate) fn attempted(self) -> &'static str {
        match self {
            Self::List(_) | Self::ResumeCrawl(_) => " a page",
            Self::CreateJobs([_, _, ..]) | Self::Repeat(..) | Self::Workers(..) => " a call",
            _ => "",
        }
    }

    /// Whether it changes something, so that its requests carry an idempotency key.
    pub(crate) fn has_key(self) -> bool {
        self.request().0 == Method::POST
    }

    /// The names of the [settings](crate::Overrides) about listings that have an effect on it;
    /// the other settings have one on every task.
    #[must_use]
    pub fn settings_of_listings(self) -> &'static [&'static str] {
        match self {
            Self::List(_) => &["max_pages", "max_items"],
            // A crawl takes whole pages.
            Self::ResumeCrawl(_) => &["max_pages"],
            _ => &[],
        }
    }

    /// The method and the endpoint of its requests.
    #[must_use]
    pub fn request(self) -> (Method, Endpoint) {
        match self {
            Self::Flaky => (Method::GET, endpoint::FLAKY),
            Self::NoContent => (Method::GET, endpoint::NO_CONTENT),
            Self::Redirect => (Method::GET, endpoint::REDIRECT),
            Self::CreateJobs(_) => (Method::POST, endpoint::CREATE_JOB),
            Self::Post(endpoint) => (Method::POST, endpoint),
            Self::Get(endpoint)
            | Self::List(endpoint)
            | Self::ResumeCrawl(endpoint)
            | Self::Repeat(endpoint, _)
            | Self::Workers(endpoint, _) => (Method::GET, endpoint),
        }
    }

    /// The operation that the reference client registers for it.
    fn operation(self) -> Operation {
        let (_, endpoint) = self.request();
        match self {
            Self::Post(_) => Operation::post(endpoint),
            Self::CreateJobs(_) => {
                Operation::post_repeatable(endpoint).success(StatusCode::CREATED)
            }
            Self::List(_) | Self::ResumeCrawl(_) => Operation::listing(endpoint),
            Self::NoContent => Operation::get(endpoint).success(StatusCode::NO_CONTENT),
            Self::Redirect => Operation::get(endpoint).success(StatusCode::FOUND),
            Self::Flaky | Self::Get(_) | Self::Repeat(..) | Self::Workers(..) => {
                Operation::get(endpoint)
            }
        }
    }

    /// The statuses that a service with these routes sends.
    fn statuses(self, expected: &[ExpectedRoute]) -> Vec<StatusCode> {
        let (method, endpoint) = self.request();
        let mut routes = expected
            .iter()
            .filter(|expected| expected.path == endpoint.template() && expected.method == method)
            .peekable();
        match routes.peek() {
            Some(_) => routes.flat_map(|route| route.statuses.clone()).collect(),
            None => vec![StatusCode::NOT_FOUND],
        }
    }
}
