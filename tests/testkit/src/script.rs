//! Records of the wire and of processes, scripted for the tests of rules and cards.

use std::time::Duration;

use wire::{
    BodyState, ClosedBy, ConnectionEnd, FaultLabel, IssuedCursor, JobResult, ProcessRecord,
    RecordedHeader, RetryAfter, Stopped, ValueHash, WireConnection, WireRecord, WireRequest,
};

/// A process that ended with this exit code and last line.
#[must_use]
pub fn exits(code: i32, last_line: &str) -> ProcessRecord {
    ProcessRecord {
        exit: Some(code),
        last_line: (!last_line.is_empty()).then(|| last_line.to_owned()),
        ..ProcessRecord::default()
    }
}

/// A case of one caller, with its requests in order.
#[derive(Clone, Debug, Default)]
pub struct Script {
    wire: WireRecord,
    process: Option<ProcessRecord>,
    hedges: bool,
}

impl Script {
    /// A record without requests.
    #[must_use]
    pub fn new() -> Self {
        let mut script = Self::default();
        script.wire.one_call = true;
        script
    }

    /// The card shows that the client hedges.
    #[must_use]
    pub fn hedging(mut self) -> Self {
        self.hedges = true;
        self
    }

    /// The last request is at this position of this connection.
    #[must_use]
    pub fn on(self, connection: u64, position: u64) -> Self {
        self.with(|request| {
            (request.connection, request.position) = (Some(connection), Some(position));
        })
    }

    /// The last request gets no byte of a response.
    #[must_use]
    pub fn lost(self) -> Self {
        self.with(|request| (request.status, request.head, request.ended) = (None, None, None))
    }

    /// Adds a GET that arrives this many milliseconds after the start and gets its response
    /// at once.
    #[must_use]
    pub fn respond(mut self, millis: u64, status: u16) -> Self {
        let at = Duration::from_millis(millis);
        self.wire.total += 1;
        self.wire.entries.push(WireRequest {
            seq: self.wire.total,
            arrived: at,
            method: "GET",
            route: "/value".into(),
            status: Some(status),
            head: Some(at),
            ended: Some(at),
            ..WireRequest::default()
        });
        self
    }

    /// Adds a POST of a body, with this key if any.
    #[must_use]
    pub fn post(self, millis: u64, status: u16, body: u64, key: Option<u64>) -> Self {
        self.respond(millis, status).with(|request| {
            request.method = "POST";
            request.body = Some(ValueHash(body));
            request.body_state = BodyState::Complete;
            request.idempotency_key = key.map(ValueHash);
        })
    }

    /// A failure, and retries after these gaps in milliseconds that fail as well. Each
    /// response is changed in this way.
    #[must_use]
    pub fn gaps(gaps: &[u64], change: fn(Self) -> Self) -> Self {
        let (mut at, first) = (0, change(Self::new().respond(0, 503)));
        gaps.iter().fold(first, |script, gap| {
            at += gap;
            change(script.respond(at, 503))
        })
    }

    /// The requests are of several callers.
    #[must_use]
    pub fn of_several_callers(mut self) -> Self {
        self.wire.one_call = false;
        self
    }

    /// The last response asks for a wait.
    #[must_use]
    pub fn retry_after_header(self, retry_after: RetryAfter) -> Self {
        self.with(|request| request.retry_after = Some(retry_after))
    }

    /// The last response asks for a wait of this many seconds.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        self.retry_after_header(RetryAfter::seconds(Duration::from_secs(seconds)))
    }

    /// The last request carries a cursor.
    #[must_use]
    pub fn cursor(self, cursor: u64) -> Self {
        self.with(|request| request.cursor = Some(ValueHash(cursor)))
    }

    /// The last response contains a next cursor.
    #[must_use]
    pub fn issues(self, cursor: u64) -> Self {
        self.with(|request| request.cursor_issued = Some(IssuedCursor::Hash(ValueHash(cursor))))
    }

    /// The last response is the last page.
    #[must_use]
    pub fn issues_null(self) -> Self {
        self.with(|request| request.cursor_issued = Some(IssuedCursor::Null))
    }

    /// The last response is an injected fault.
    #[must_use]
    pub fn fault(self, fault: FaultLabel) -> Self {
        self.with(|request| request.fault = Some(fault))
    }

    /// The last request submits a job.
    #[must_use]
    pub fn job(self, result: JobResult) -> Self {
        self.with(|request| request.job = Some(result))
    }

    /// The last request has this media type.
    #[must_use]
    pub fn content_type(self, value: &str) -> Self {
        self.with(|request| {
            request.content_type = Some(RecordedHeader::Value(value.to_owned().into()));
        })
    }

    /// The last request accepts these media types.
    #[must_use]
    pub fn accept(self, value: &str) -> Self {
        self.with(|request| request.accept = Some(RecordedHeader::Value(value.to_owned().into())))
    }

    /// The last request belongs to this call.
    #[must_use]
    pub fn call(self, call: u64) -> Self {
        self.with(|request| request.call = Some(call))
    }

    /// The last response is complete this many milliseconds after its request.
    #[must_use]
    pub fn lasting(self, millis: u64) -> Self {
        self.with(|request| {
            let end = request.arrived + Duration::from_millis(millis);
            (request.head, request.ended) = (Some(end), Some(end));
        })
    }

    /// Adds a connection with this number, and when and by which side it was closed.
    #[must_use]
    pub fn connection(mut self, number: u64, closed: Option<(u64, ClosedBy)>) -> Self {
        self.wire.connections.push(WireConnection {
            number,
            opened: Duration::ZERO,
            closed: closed.map(|(millis, by)| ConnectionEnd {
                at: Duration::from_millis(millis),
                by,
            }),
            requests: 1,
        });
        self
    }

    /// This many earlier requests were dropped.
    #[must_use]
    pub fn dropping(mut self, dropped: u64) -> Self {
        self.wire.dropped = dropped;
        self
    }

    /// The client's process ends with this exit code and last line.
    #[must_use]
    pub fn exits(mut self, code: i32, last_line: &str) -> Self {
        self.process = Some(exits(code, last_line));
        self
    }

    /// The lab stops the client's process this many milliseconds after the start.
    #[must_use]
    pub fn stopped_at(mut self, millis: u64) -> Self {
        self.process = Some(ProcessRecord {
            ended: Duration::from_millis(millis),
            watched_until: Duration::from_millis(millis),
            left_running: true,
            stopped: Some(Stopped::TimeUp),
            ..ProcessRecord::default()
        });
        self
    }

    /// The client's process prints a result after this many milliseconds, and goes on until
    /// its time is up.
    #[must_use]
    pub fn rests(mut self, printed: u64, last_line: &str, ended: u64) -> Self {
        self = self.stopped_at(ended);
        if let Some(process) = &mut self.process {
            process.last_line = Some(last_line.to_owned());
            process.printed_at = Some(Duration::from_millis(printed));
        }
        self
    }

    /// The client's process ends with code 1, and another that it has started goes on until
    /// the time is up.
    #[must_use]
    pub fn leaves_running(mut self, until: u64) -> Self {
        self = self.exits(1, "");
        if let Some(process) = &mut self.process {
            process.watched_until = Duration::from_millis(until);
            process.left_running = true;
        }
        self
    }

    /// Changes the last request.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut WireRequest)) -> Self {
        change(self.wire.entries.last_mut().expect("a request"));
        self
    }

    /// The record.
    #[must_use]
    pub fn record(self) -> WireRecord {
        self.wire
    }

    /// The record, and how the client's process ended if there is one.
    #[must_use]
    pub fn case(&self) -> (&WireRecord, Option<&ProcessRecord>) {
        (&self.wire, self.process.as_ref())
    }

    /// Whether the card shows that the client hedges.
    #[must_use]
    pub fn hedges(&self) -> bool {
        self.hedges
    }
}
