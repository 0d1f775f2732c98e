//! A session that remembers what it was sent, and responds from a script.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use client::Timeouts;
use http::{Extensions, HeaderMap, Method};
use reqwest::{Request, Response, Url};
use reqwest_middleware::{Middleware, Next, Result};

use crate::reply::Reply;

/// What stands instead of the transport. Clones share one memory.
#[derive(Clone)]
pub struct Session(Arc<Shared>);

struct Shared {
    /// The response to request number n, from 0; none passes every request on.
    script: Option<Mutex<Script>>,
    sent: Mutex<Vec<Sent>>,
}

type Script = Box<dyn FnMut(usize) -> Reply + Send>;

/// One request as the client handed it over.
#[derive(Clone)]
pub struct Sent {
    /// Its method.
    pub method: Method,
    /// Where it goes.
    pub url: Url,
    /// The headers that the client set.
    pub headers: HeaderMap,
    /// Its body; empty if it has none.
    pub body: Vec<u8>,
    /// The timeout pair it carries.
    pub timeouts: Option<Timeouts>,
    /// The time that the deadline of its call leaves it.
    pub time_left: Option<Duration>,
}

impl Session {
    /// Responds with one reply after the other, and bears no further request.
    pub fn of<R>(replies: R) -> Self
    where
        R: IntoIterator<Item = Reply, IntoIter: Send + 'static>,
    {
        let mut replies = replies.into_iter();
        Self::by(move |number| {
            replies
                .next()
                .unwrap_or_else(|| panic!("request {} is one too many", number + 1))
        })
    }

    /// Gives every request the same response.
    #[must_use]
    pub fn always(reply: Reply) -> Self {
        Self::by(move |_| reply.clone())
    }

    /// Responds to request number n, from 0, with what `script` makes of n.
    pub fn by(script: impl FnMut(usize) -> Reply + Send + 'static) -> Self {
        Self::new(Some(Mutex::new(Box::new(script))))
    }

    /// Looks on and passes every request to the real session.
    #[must_use]
    pub fn watching() -> Self {
        Self::new(None)
    }

    /// Everything that was sent, in order.
    #[must_use]
    pub fn sent(&self) -> Vec<Sent> {
        lock(&self.0.sent).clone()
    }

    fn new(script: Option<Mutex<Script>>) -> Self {
        let sent = Mutex::default();
        Self(Arc::new(Shared { script, sent }))
    }
}

#[async_trait::async_trait]
impl Middleware for Session {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let number = {
            let mut sent = lock(&self.0.sent);
            sent.push(Sent::of(&request, extensions));
            sent.len() - 1
        };
        match &self.0.script {
            Some(script) => (lock(script))(number).into_result(),
            None => next.run(request, extensions).await,
        }
    }
}

/// A panic of a script is the failure of its test, and poisons nothing here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the wire saw, for the story that a failing assertion tells.
impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the wire saw:")?;
        for (number, sent) in self.sent().iter().enumerate() {
            writeln!(f, "  {} {sent:?}", number + 1)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Sent {
    fn of(request: &Request, extensions: &Extensions) -> Self {
        let body = request.body().and_then(reqwest::Body::as_bytes);
        Self {
            method: request.method().clone(),
            url: request.url().clone(),
            headers: request.headers().clone(),
            body: body.unwrap_or_default().to_vec(),
            timeouts: extensions.get().copied(),
            time_left: request.timeout().copied(),
        }
    }

    /// Method, path and query, as the request line has them.
    #[must_use]
    pub fn line(&self) -> String {
        let query = self.url.query().map(|query| format!("?{query}"));
        format!(
            "{} {}{}",
            self.method,
            self.url.path(),
            query.unwrap_or_default()
        )
    }

    /// A parameter of the query, decoded.
    #[must_use]
    pub fn query(&self, name: &str) -> Option<String> {
        let mut pairs = self.url.query_pairs();
        let (_, value) = pairs.find(|(key, _)| key == name)?;
        Some(value.into_owned())
    }

    /// A header that is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = String::from_utf8_lossy(&self.body);
        write!(f, "{} {:?} {body}", self.line(), self.headers)
    }
}
