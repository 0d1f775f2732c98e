//! Label values: closed sets, so that no caller's data becomes a series.

use http::{Method, StatusCode};

use crate::{
    error::{FailureKind, StopReason},
    retry::{Eligibility, RetryAfter, RetryReason, Verdict, WaitSource, may_repeat},
};

/// How many statuses have a label of their own.
const KNOWN_STATUSES: usize = 33;

/// Every status that a label can show, in ascending order; any other is [`OTHER`]. A label
/// borrows its digits from here.
static STATUSES: [StatusCode; KNOWN_STATUSES] = [
    StatusCode::OK,
    StatusCode::CREATED,
    StatusCode::ACCEPTED,
    StatusCode::NO_CONTENT,
    StatusCode::PARTIAL_CONTENT,
    StatusCode::MOVED_PERMANENTLY,
    StatusCode::FOUND,
    StatusCode::SEE_OTHER,
    StatusCode::NOT_MODIFIED,
    StatusCode::TEMPORARY_REDIRECT,
    StatusCode::PERMANENT_REDIRECT,
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::NOT_ACCEPTABLE,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::CONFLICT,
    StatusCode::GONE,
    StatusCode::PRECONDITION_FAILED,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    StatusCode::UNPROCESSABLE_ENTITY,
    StatusCode::TOO_EARLY,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::NOT_IMPLEMENTED,
    StatusCode::BAD_GATEWAY,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
    StatusCode::INSUFFICIENT_STORAGE,
];

/// The label of a status outside the closed set.
const OTHER: &str = "other";

/// How an attempt ended: with a complete response, or without one.
pub(crate) type AttemptResult = Result<StatusCode, FailureKind>;

/// How many labels [`result`] can give, for a table of handles.
pub(crate) const RESULTS: usize = KNOWN_STATUSES + 1 + FailureKind::ALL.len();

/// A number of its own for each label of [`result`], below [`RESULTS`].
pub(crate) fn result_index(result: AttemptResult) -> usize {
    match result {
        Ok(status) => STATUSES.binary_search(&status).unwrap_or(STATUSES.len()),
        Err(kind) => STATUSES.len() + 1 + kind as usize,
    }
}

/// The label `result`: a status, or an error type.
pub(crate) fn result(result: AttemptResult) -> &'static str {
    result.map_or_else(FailureKind::as_str, status_label)
}

/// `error.type` as OpenTelemetry defines it: the kind of failure, or the
/// status where it is an error in the client's eyes (4xx and 5xx).
pub(crate) fn error_type(ended: AttemptResult) -> Option<&'static str> {
    let fine = ended.is_ok_and(|status| status.as_u16() < 400);
    (!fine).then(|| result(ended))
}

/// The label of a status: itself if it is one of the usual ones, else `other`.
#[must_use]
pub fn status_label(status: StatusCode) -> &'static str {
    let known = STATUSES.binary_search(&status).ok();
    let known = known.and_then(|index| STATUSES.get(index));
    known.map_or(OTHER, StatusCode::as_str)
}

/// The label of an unknown method.
pub(super) const OTHER_METHOD: &str = "_OTHER";

/// The label of a method: OpenTelemetry's closed list, else `_OTHER`.
#[must_use]
pub fn method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        Method::TRACE => "TRACE",
        Method::CONNECT => "CONNECT",
        _ => OTHER_METHOD,
    }
}

/// The result that is the reason for a retry.
pub(super) const fn result_of(reason: RetryReason) -> AttemptResult {
    match reason {
        RetryReason::Status(status) => Ok(status),
        RetryReason::Failure(kind) => Err(kind),
    }
}

/// The label of a reason to retry, such as `503` or `read_timeout`.
pub(super) fn reason(reason: RetryReason) -> &'static str {
    result(result_of(reason))
}

/// The label of what made an attempt worth looking at again; none of one that was
/// not.
pub(super) fn verdict_reason(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Transient(why) => Some(reason(why)),
        Verdict::Tls => Some(FailureKind::Tls.as_str()),
        Verdict::Final => None,
    }
}

/// The label of what allows a request to be repeated; none if nothing does.
pub(super) fn allowed_by(eligibility: Eligibility, method: &Method) -> Option<&'static str> {
    match eligibility {
        Eligibility::NotPermitted => None,
        Eligibility::Repeatable | Eligibility::BodyIsStream if may_repeat(method, None) => {
            Some("method")
        }
        Eligibility::Repeatable | Eligibility::BodyIsStream => Some("permission"),
    }
}

/// The label of what became of a `Retry-After` as it was read.
pub(super) const fn retry_after_form(read: Option<RetryAfter>) -> &'static str {
    match read {
        None => "none",
        Some(RetryAfter::Wait(_)) => "valid",
        Some(RetryAfter::PastDate) => "past_date",
        Some(RetryAfter::Unusable) => "unusable",
    }
}

/// The label of what forbade another attempt, in a span: there a body that is a stream
/// is told from a method that must not be repeated.
pub(super) const fn stop_reason(why: StopReason) -> &'static str {
    match why {
        StopReason::BodyIsStream => "body_is_stream",
        why => GiveUp::Retry(why).as_str(),
    }
}

/// The label of who chose the length of a wait.
pub(crate) const fn wait_source(source: WaitSource) -> &'static str {
    match source {
        WaitSource::RetryAfter => "retry_after",
        WaitSource::Backoff => "backoff",
    }
}

/// Why a client gave up although another request might have helped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum GiveUp {
    /// The retry rules forbade another attempt.
    Retry(StopReason),
    /// A listing had more pages than `max_pages`.
    PageLimit,
    /// A listing had more items than `max_items`.
    ItemLimit,
}

impl GiveUp {
    /// Every reason that has a label of its own.
    pub(crate) const ALL: [Self; 8] = [
        Self::Retry(StopReason::Tls),
        Self::Retry(StopReason::NotEligible),
        Self::Retry(StopReason::RetryAfterOverBudget),
        Self::Retry(StopReason::AttemptsExhausted),
        Self::Retry(StopReason::Deadline),
        Self::Retry(StopReason::RetryBudgetEmpty),
        Self::PageLimit,
        Self::ItemLimit,
    ];

    /// A number of its own for each label, its place in [`Self::ALL`].
    pub(crate) fn index(self) -> usize {
        let place = Self::ALL
            .iter()
            .position(|reason| reason.as_str() == self.as_str());
        place.unwrap_or_default()
    }

    /// The reason's label.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Retry(StopReason::Tls) => "tls",
            // Whoever reads a dashboard looks at the same place for both: at what
            // is sent, and not at the service.
            Self::Retry(StopReason::NotEligible | StopReason::BodyIsStream) => "not_eligible",
            Self::Retry(StopReason::RetryAfterOverBudget) => "retry_after_over_budget",
            Self::Retry(StopReason::AttemptsExhausted) => "attempts_exhausted",
            Self::Retry(StopReason::Deadline) => "deadline",
            Self::Retry(StopReason::RetryBudgetEmpty) => "retry_budget_empty",
            Self::PageLimit => "page_limit",
            Self::ItemLimit => "item_limit",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_of_a_result_has_a_place_of_its_own_in_the_table() {
        let statuses = (100..1000).filter_map(|code| StatusCode::from_u16(code).ok());
        let failures = FailureKind::ALL.into_iter().map(Err);
        let mut labels = [None; RESULTS];

        for ended in statuses.map(Ok).chain(failures) {
            let label = labels[result_index(ended)].get_or_insert(result(ended));
            assert_eq!(*label, result(ended));
        }

        let labels: std::collections::BTreeSet<_> = labels.into_iter().flatten().collect();
        assert_eq!(labels.len(), RESULTS);
    }

    #[test]
    fn every_status_of_the_closed_set_is_its_own_label_and_any_other_is_other() {
        for status in &STATUSES {
            assert_eq!(status_label(*status), status.as_str());
        }
        let unforeseen = Ok(StatusCode::IM_A_TEAPOT);
        let labels = (result(unforeseen), error_type(unforeseen));
        assert_eq!(labels, ("other", Some("other")));
    }

    #[test]
    fn every_reason_to_give_up_has_a_place_of_its_own_in_the_table() {
        assert_eq!(GiveUp::ALL.map(GiveUp::index), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
