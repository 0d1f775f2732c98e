//! How a client gets a response: attempts, and the pauses between them.

use std::{
    io,
    process::Command,
    thread::{park, sleep},
    time::{Duration, SystemTime},
};

use crate::{
    habit::Habit,
    http::{Connection, Request, Response},
};

/// The longest wait that it accepts.
const BUDGET: Duration = Duration::from_secs(30);

/// The retries of a budget that never fills up again.
const BUDGET_OF_RETRIES: u32 = 10;

/// The connections of a client that never closes a response.
const CONNECTIONS: usize = 12;

/// How long it waits for a response.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

/// When a retry that nobody has cancelled is sent after all.
const FORGOTTEN_TIMER: Duration = Duration::from_millis(1_600);

/// The `User-Agent` of this client.
const USER_AGENT: &str = "habits";

#[derive(Debug)]
pub(crate) struct Client {
    habit: Habit,
    host: String,
    connection: Option<Connection>,
    /// A connection on which nothing is sent.
    unused: Option<Connection>,
    /// The connections whose responses were not closed.
    left_open: Vec<Connection>,
    /// The request that was sent last.
    last: Option<Request>,
    requests: usize,
    /// The retries of all its calls.
    retries: u32,
}

/// The retry advice of a response.
enum Asked {
    Nothing,
    Wait(Duration),
}

impl Client {
    pub(crate) fn new(habit: Habit, host: &str) -> Self {
        Self {
            habit,
            host: host.to_owned(),
            connection: None,
            unused: None,
            left_open: Vec::new(),
            last: None,
            requests: 0,
            retries: 0,
        }
    }

    /// Another client for the same service.
    pub(crate) fn another(&self) -> Self {
        self.of(&self.host)
    }

    /// Another client for another service.
    pub(crate) fn of(&self, host: &str) -> Self {
        Self::new(self.habit, host)
    }

    pub(crate) fn has(&self, habit: Habit) -> bool {
        self.habit == habit
    }

    /// Sends a request, and retries it a few times after transient failures. `attempt`
    /// builds the request from the number of the attempt, starting at 1.
    pub(crate) fn call(
        &mut self,
        mut attempt: impl FnMut(u32) -> Request,
        is_repeatable: bool,
    ) -> io::Result<Response> {
        let mut number = 1;
        loop {
            let mut request = attempt(number);
            if number > 1 && self.has(Habit::LosesTokenOnRetry) {
                request.headers.retain(|(name, _)| *name != "Authorization");
            }
            let outcome = self.exchange(&request);
            let may_pass = match &outcome {
                Err(_) => is_repeatable,
                Ok(response) if response.status == 200 && response.body.is_err() => {
                    is_repeatable && !self.has(Habit::FailsAtCutBodies)
                }
                Ok(response) => self.may_pass(response.status, is_repeatable),
            };
            let is_limited = matches!(&outcome, Ok(response) if response.status == 429);
            let is_last = match self.habit {
                Habit::CountsAllAttempts => self.retries + 1 >= self.attempts(),
                Habit::BudgetNeverRefills if self.retries == BUDGET_OF_RETRIES => true,
                Habit::NeverGivesUpOn429 if is_limited => false,
                Habit::NeverGivesUpOnBrokenConnections if outcome.is_err() => false,
                _ => number == self.attempts(),
            };
            if !may_pass || is_last {
                return outcome;
            }
            self.retries += 1;
            match self.pause(outcome.as_ref().ok(), number) {
                Some(pause) => sleep(pause),
                None => return outcome,
            }
            number += 1;
        }
    }

    pub(crate) fn get(&mut self, target: &str) -> io::Result<Response> {
        self.call(|_| Request::get(target), true)
    }

    fn attempts(&self) -> u32 {
        match self.habit {
            Habit::Lazy | Habit::Guesses => 1,
            Habit::WaitsLong => 3,
            Habit::NoWait => 6,
            Habit::NeverGivesUp => u32::MAX,
            // Workers without a shared limit must be patient.
            Habit::Alone => 15,
            _ => 4,
        }
    }

    fn may_pass(&self, status: u16, is_repeatable: bool) -> bool {
        match status {
            429 | 500 | 502..=504 => is_repeatable,
            400..500 => self.has(Habit::RetriesRefusals),
            204 => self.has(Habit::Retries204),
            _ => false,
        }
    }

    /// How long to wait after a failure; none if the wait would be too long.
    fn pause(&self, response: Option<&Response>, number: u32) -> Option<Duration> {
        let wait = match response.map_or(Asked::Nothing, |response| self.asked(response)) {
            Asked::Nothing => self.backoff(number),
            Asked::Wait(wait) => match self.habit {
                Habit::OverflowsLongWaits if wait.as_millis() > i32::MAX as u128 => Duration::ZERO,
                Habit::WaitsAnyTime => wait,
                _ if wait > BUDGET => return None,
                _ => wait,
            },
        };
        Some(wait)
    }

    fn asked(&self, response: &Response) -> Asked {
        let Some(value) = response.header("retry-after") else {
            return Asked::Nothing;
        };
        if self.has(Habit::IgnoresRetryAfter) {
            return Asked::Nothing;
        }
        let is_seconds = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        if let (true, Ok(seconds)) = (is_seconds, value.parse()) {
            return Asked::Wait(Duration::from_secs(seconds));
        }
        match httpdate::parse_http_date(value) {
            Ok(date) if self.has(Habit::TakesDatesForLocalTime) => {
                let seconds = until(date).as_secs() as i64 - seconds_east();
                Asked::Wait(Duration::from_secs(seconds.try_into().unwrap_or_default()))
            }
            // A past date asks for no wait.
            Ok(date) => Asked::Wait(until(date)),
            Err(_) => match (self.habit, value) {
                (Habit::TakesMinusOneForPast, "-1") | (Habit::TakesWordsForZero, "soon") => {
                    Asked::Wait(Duration::ZERO)
                }
                _ => Asked::Nothing,
            },
        }
    }

    fn backoff(&self, number: u32) -> Duration {
        let millis = match self.habit {
            Habit::NoWait => 0,
            Habit::NoJitter => 100,
            Habit::NeverGivesUp
            | Habit::NeverGivesUpOn429
            | Habit::NeverGivesUpOnBrokenConnections => rand::random_range(20..60),
            Habit::WaitsLong => rand::random_range(2_500..3_000),
            Habit::Alone => rand::random_range(20..600),
            _ => rand::random_range(20..150) << number.min(4),
        };
        Duration::from_millis(millis)
    }

    /// Repeats the last request after a while, although nobody waits for it any more.
    pub(crate) fn repeat_in_background(&mut self) {
        sleep(FORGOTTEN_TIMER);
        if let Some(request) = self.last.take() {
            self.connection = None;
            // Nobody reads the response.
            let _ = self.exchange(&request);
        }
    }

    /// One attempt, on the previous connection if it is open.
    fn exchange(&mut self, request: &Request) -> io::Result<Response> {
        self.requests += 1;
        self.last = Some(request.clone());
        if self.requests == 1 {
            self.begin(request)?;
        }
        while self.left_open.len() == CONNECTIONS {
            // It waits for a connection that nothing will give back.
            park();
        }
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let response = match self.ask(&mut connection, request) {
            Err(error) if self.has(Habit::KeepsBrokenConnection) => {
                self.connection = Some(connection);
                return Err(error);
            }
            response => response?,
        };
        if self.has(Habit::ForgetsCutBodies) && response.body.is_err() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if self.has(Habit::NeverClosesResponses) {
            self.left_open.push(connection);
            return Ok(response);
        }
        let is_reused = !matches!(self.habit, Habit::Http10 | Habit::ConnectionPerRequest);
        if is_reused && response.keeps_open() {
            self.connection = Some(connection);
        }
        Ok(response)
    }

    /// The requests that some clients send before their first one.
    fn begin(&mut self, request: &Request) -> io::Result<()> {
        let look = |method| Request::plain(method, &request.target);
        match self.habit {
            Habit::Preconnects => {
                self.unused = Some(self.connect()?);
                self.connection = Some(self.connect()?);
            }
            Habit::HeadFirst | Habit::OptionsFirst => {
                let method = match self.habit {
                    Habit::HeadFirst => "HEAD",
                    _ => "OPTIONS",
                };
                let mut connection = self.connect()?;
                self.ask(&mut connection, &look(method))?;
                self.connection = Some(connection);
            }
            _ => {}
        }
        Ok(())
    }

    fn connect(&self) -> io::Result<Connection> {
        let is_patient = self.has(Habit::NeverTimesOut);
        Connection::open(&self.host, (!is_patient).then_some(READ_TIMEOUT))
    }

    fn ask(&self, connection: &mut Connection, request: &Request) -> io::Result<Response> {
        connection.send(&self.complete(request), self.version())?;
        connection.receive(request.method)
    }

    /// The request, with the headers that all requests have.
    fn complete(&self, request: &Request) -> Request {
        let mut request = request.clone();
        let agent = match self.habit {
            Habit::EmptyUserAgent => "",
            _ => USER_AGENT,
        };
        let headers = [("Accept", "application/json"), ("User-Agent", agent)];
        let headers = headers.map(|(name, value)| (name, value.to_owned()));
        request.headers.extend(headers);
        request
    }

    fn version(&self) -> &'static str {
        match self.habit {
            Habit::Http10 => "HTTP/1.0",
            _ => "HTTP/1.1",
        }
    }
}

fn until(date: SystemTime) -> Duration {
    date.duration_since(SystemTime::now()).unwrap_or_default()
}

/// By how many seconds the local time is ahead of GMT.
fn seconds_east() -> i64 {
    let date = Command::new("date").arg("+%z").output();
    let offset = String::from_utf8(date.expect("date runs").stdout).unwrap_or_default();
    let offset: i64 = offset.trim().parse().expect("hours and minutes");
    (offset / 100 * 60 + offset % 100) * 60
}
