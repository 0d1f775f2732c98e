//! Who runs a scenario: one and the same [`Task`], for different clients.
//!
//! A client is one file here: a [`ClientUnderTest`] says what it is called, how it
//! works and how it is built, and a [`ScenarioClient`] is one that is connected to the
//! service of a run. What a task asks of a client, and what is made of its results,
//! is the same for all of them, and stands in one place. Adding a client is adding a
//! file, and its name to the list that makes [`CLIENTS`].

mod connection;
mod perform;
mod without;

use std::{fmt, ops::ControlFlow};

use client::{
    ConfigError, Endpoint, IdempotencyKey, JsonObject, MemoryCheckpoints,
    teaching::{Redirect, endpoint},
    telemetry::{Metric, Operation, SharedRecorder},
};
use evidence::{Client, Outcome, Policy};
use http::Method;

pub use connection::Connection;
pub use naive::{METRICS as NAIVE_METRICS, NAIVE, Naive};
pub(crate) use perform::perform;
pub use reliable::{RELIABLE, Reliable};
pub use without::{WITHOUT, Without};

/// Makes each name a module, and what stands behind it a client to choose.
///
/// `cargo fmt` does not see a module that a macro declares: `.ci/run` checks the
/// format of these files apart.
macro_rules! clients {
    ($($module:ident::$client:ident),+ $(,)?) => {
        $(mod $module;)+

        /// Every client that can be chosen by its name, the reference client first.
        pub static CLIENTS: &[&dyn ClientUnderTest] = &[$(&$module::$client),+];
    };
}

clients! {
    reliable::Reliable,
    naive::Naive,
}

/// A client that can run, before it is connected to a service.
pub trait ClientUnderTest: fmt::Debug + Sync {
    /// What it is called, and what the names of its counters begin with.
    fn identity(&self) -> Client;

    /// What it is, in a few words.
    fn about(&self) -> &'static str;

    /// How it works, and what this policy allows it, term by term. `listing` says
    /// whether a listing is read.
    fn terms(&self, policy: &Policy, listing: bool) -> Vec<String>;

    /// The metrics that it counts with.
    fn metrics(&self) -> &'static [Metric];

    /// Registers, at zero, every counter that these tasks can move. A series that
    /// begins at 1 has not risen for Prometheus.
    fn register(&self, recorder: &SharedRecorder, tasks: &[Task]);

    /// Builds a client of the service at the other end of the connection.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if the policy breaks a rule of the client.
    fn connect(&self, connection: Connection) -> Result<Box<dyn ScenarioClient>, ConfigError>;
}

/// A client of the service of a run.
///
/// A failure is an [`Outcome`] with all that the client keeps of it.
#[async_trait::async_trait]
pub trait ScenarioClient: Send + Sync {
    /// Calls `/flaky`; the number that it responds with.
    async fn flaky(&self) -> Result<u64, Outcome>;

    /// GETs a JSON object.
    async fn get(&self, endpoint: Endpoint) -> Result<(), Outcome>;

    /// GETs `/no-content`.
    async fn no_content(&self) -> Result<(), Outcome>;

    /// GETs `/redirect`; `None` of a client that follows redirects and does not
    /// see them.
    async fn redirect(&self) -> Result<Option<Redirect>, Outcome>;

    /// The key of a change that is about to begin; `None` of a client that takes a
    /// new one for each request.
    fn new_key(&self) -> Option<IdempotencyKey>;

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
    ) -> Result<(), Outcome>;

    /// Crawls a listing from what `checkpoints` hold, if the client uses them, and
    /// hands over the items of each page. A break is the death of the process: it
    /// comes when a page is processed, before that is noted.
    async fn crawl(
        &self,
        endpoint: Endpoint,
        checkpoints: &MemoryCheckpoints,
        each_page: &mut (dyn FnMut(Vec<String>) -> ControlFlow<()> + Send),
    ) -> Result<(), Outcome>;
}

/// What a client is to do. It says nothing about how: that is what a client is
/// for.
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
    /// Whether one request is sent after the other.
    #[must_use]
    pub fn has_one_caller(self) -> bool {
        !matches!(self, Self::Workers(..))
    }

    /// Whether the wire can tell a call from a retry of another.
    #[must_use]
    pub fn is_told_apart(self) -> bool {
        !matches!(self, Self::Workers(..) | Self::Repeat(..))
    }

    /// What is called, and with which method.
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

    /// What it asks of the reference client beside that client's own methods.
    fn operation(self) -> Option<Operation> {
        Some(match self {
            Self::Flaky | Self::NoContent | Self::Redirect | Self::CreateJobs(_) => return None,
            Self::Post(endpoint) => Operation::post(endpoint),
            Self::List(endpoint) | Self::ResumeCrawl(endpoint) => Operation::listing(endpoint),
            Self::Get(endpoint) | Self::Repeat(endpoint, _) | Self::Workers(endpoint, _) => {
                Operation::get(endpoint)
            }
        })
    }
}
