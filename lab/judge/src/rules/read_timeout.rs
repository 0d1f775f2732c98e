//! A client must give up on a silent connection.

use wire::{ClosedBy, FaultLabel, WireRequest};

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "read-timeout",
    level: RuleLevel::GoodPractice,
    source: "AWS Builders' Library, Timeouts, retries and backoff with jitter; OWASP API10:2023",
    text: "the client gave up on a silent connection",
    why: "TCP alone waits for hours, and each waiting call holds a thread, a connection and its own caller.",
    hint: "Set a read timeout for every request; many libraries have none by default.",
    judge: Judge::Case(judge),
};

/// A client whose timeout is longer than the case is not wrong, so no client breaks it.
fn judge(case: &Case<'_>) -> Judgement {
    let requests = case.wire.entries.iter();
    let ends = requests
        .filter(|request| is_silent(request))
        .map(|request| end_of(request, case));
    match ends.max() {
        None => Judgement::not_exercised(),
        Some(End::ByClient) => Judgement::kept(),
        Some(End::Never) => {
            Judgement::cannot_tell("the client was still waiting when the case ended")
        }
        Some(End::Unknown) => {
            Judgement::cannot_tell("it is not known which side closed the connection")
        }
    }
}

/// Whether the service never responded to a request, on purpose.
pub(super) fn is_silent(request: &WireRequest) -> bool {
    request.fault == Some(FaultLabel::SILENCE) && request.status.is_none()
}

/// Which side closed the silent connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    ByClient,
    Never,
    Unknown,
}

fn end_of(request: &WireRequest, case: &Case<'_>) -> End {
    let mut connections = case.wire.connections.iter();
    let Some(connection) =
        connections.find(|connection| Some(connection.number) == request.connection)
    else {
        return End::Unknown;
    };
    let stopped = case.process.filter(|process| process.stopped.is_some());
    // The lab records the end of a process before it kills it.
    let in_time = |at| stopped.is_none_or(|process| at < process.ended);
    match connection.closed {
        Some(end) if in_time(end.at) => match end.by {
            ClosedBy::Client | ClosedBy::Reset => End::ByClient,
            ClosedBy::Service | ClosedBy::Bound | ClosedBy::Http2 => End::Unknown,
        },
        _ if stopped.is_some() => End::Never,
        // A process that ends closes its connections.
        _ if case.process.is_some() => End::ByClient,
        _ => End::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn a_silence_that_lasts_as_long_as_the_case_tells_nothing() {
        let silence = || Script::new().respond(0, 200).fault(FaultLabel::SILENCE);
        let silent = || silence().on(1, 1).lost();
        let open = || silent().connection(1, None);
        let answered = open().with(|request| request.status = Some(200));
        let lost = open().with(|request| request.fault = None);
        let closed = |at, by| silent().connection(1, Some((at, by)));
        let by_client = |at| closed(at, ClosedBy::Client);

        hold! { RULE;
            Script::new().respond(0, 200).stopped_at(20_000) => NotExercised,
            answered.stopped_at(20_000) => NotExercised,
            lost.stopped_at(20_000) => NotExercised,
            open().stopped_at(20_000) => CannotTell,
            open().respond(9, 200).stopped_at(20_000) => CannotTell,
            open().respond(9, 200).rests(10, r#"{"value": 1}"#, 20_000) => CannotTell,
            by_client(20_000).stopped_at(20_000) => CannotTell,
            by_client(20_010).stopped_at(20_000) => CannotTell,
            by_client(19_999).stopped_at(20_000) => Kept,
            closed(15_000, ClosedBy::Reset).exits(1, "") => Kept,
            open().exits(1, "") => Kept,
            by_client(15_000) => Kept,
            by_client(15_000).dropping(1) => CannotTell,
            open() => CannotTell,
            closed(9_000, ClosedBy::Bound) => CannotTell,
            silent().stopped_at(20_000) => CannotTell,
        }
    }
}
