//! The expectations of a scenario, and how evidence contradicts them.

use std::{fmt, rc::Rc, time::Duration};

use judge::Ties;
use wire::{counted, duration};

use super::{Evidence, Source};
use crate::{
    counters::{ATTEMPTS, RETRIES},
    outcome::{Ending, Fact, in_words},
    stop_reason::StopReason,
};

/// The kind of failure of an attempt without a response in time.
pub(super) const READ_TIMEOUT: &str = "read_timeout";

/// An expectation: a text, and what evidence says about it.
#[derive(Clone)]
pub struct Expectation {
    pub(super) text: String,
    /// The evidence that decides it.
    pub(super) source: Source,
    /// Whether a response or a listing must be rejected.
    pub(super) is_rejection: bool,
    check: Rc<dyn Fn(Evidence<'_>) -> Checked>,
}

/// `None` if the run did not exercise the expectation. If it did not hold, the finding.
type Checked = Option<Result<(), String>>;

impl Expectation {
    /// The run ends this way.
    #[must_use]
    pub fn ending(ending: Ending, text: impl Into<String>) -> Self {
        Self::new(text, Source::Client, move |evidence| {
            let ended = evidence.outcome.ending;
            (ended != ending).then(|| format!("it ended with: {ended}"))
        })
    }

    /// The run ends this way, because the client must not accept a response or a listing: a
    /// success would tell the caller something untrue.
    #[must_use]
    pub fn rejection(ending: Ending, text: impl Into<String>) -> Self {
        Self {
            is_rejection: true,
            ..Self::ending(ending, text)
        }
    }

    /// The outcome has this detail.
    #[must_use]
    pub fn fact(name: &'static str, fact: impl Into<Fact>, text: impl Into<String>) -> Self {
        let expected = fact.into();
        Self::new(text, Source::Client, move |evidence| {
            match evidence.outcome.fact(name) {
                Some(fact) if *fact == expected => None,
                Some(fact) => Some(match name {
                    "items" | "delivered" | "distinct" => format!("{fact} were delivered"),
                    _ => format!("its {} is {}", detail(name), in_words(fact)),
                }),
                None if name == "gave_up" => {
                    Some("the result does not say why the client gave up".to_owned())
                }
                None => Some(format!("the result has no {}", detail(name))),
            }
        })
    }

    /// The client gives up for this reason, which its error names.
    #[must_use]
    pub fn names_reason(why: StopReason) -> Self {
        let text = format!("the error gives the reason: {}", in_words(&why));
        Self::gave_up(why, text)
    }

    /// The client gives up for this reason.
    #[must_use]
    pub fn gave_up(why: StopReason, text: impl Into<String>) -> Self {
        Self::fact("gave_up", why, text)
    }

    /// The service sees this many requests.
    #[must_use]
    pub fn requests(number: u64) -> Self {
        let text = match number {
            0 => "the service saw no request".to_owned(),
            _ => format!("the service saw exactly {}", counted(number, "request")),
        };
        Self::new(text, Source::Wire, move |evidence| {
            let seen = evidence.wire.total;
            (seen != number).then(|| format!("it saw {seen}"))
        })
    }

    /// The service creates this many jobs.
    #[must_use]
    pub fn created(number: u64, text: impl Into<String>) -> Self {
        Self::new(text, Source::Wire, move |evidence| {
            let created = evidence.wire.jobs_created();
            (created != number).then(|| format!("it created {created}"))
        })
    }

    /// The waits that the service asked for in seconds, in order. If it asked for none, a run
    /// without a retry shows nothing.
    #[must_use]
    pub fn waited_as_asked(waits: &[Duration]) -> Self {
        let expected = waits.to_vec();
        let held = move |waits: &[Duration]| waits == expected;
        if waits.is_empty() {
            let text = "the service did not set the length of any wait";
            return Self::waited(text, held)
                .if_exercised(|evidence| !Ties::of(evidence.wire).waits().is_empty());
        }
        Self::waited(
            format!("the client waited as asked: {}", lengths(waits)),
            held,
        )
    }

    /// One wait for a date, at most this far ahead when the service named it. The time left
    /// when the client reads it depends on the machine; that no request arrives before it
    /// does not.
    #[must_use]
    pub fn waited_until_date(longest: Duration) -> Self {
        let text = "the client waited until the date that the service named";
        Self::waited(
            text,
            move |waits| matches!(waits, [wait] if *wait <= longest),
        )
    }

    /// The waits that the wire shows are as expected.
    fn waited(text: impl Into<String>, held: impl Fn(&[Duration]) -> bool + 'static) -> Self {
        Self::new(text, Source::Wire, move |evidence| {
            evidence.cut_short().or_else(|| {
                let waits: Vec<_> = evidence.waits_asked_for().collect();
                (!held(&waits)).then(|| format!("it waited {}", lengths(&waits)))
            })
        })
    }

    /// There were retries, and each of them followed a failure of this kind.
    #[must_use]
    pub fn retried_after(kind: &'static str, text: impl Into<String>) -> Self {
        Self::new(text, Source::Client, move |evidence| {
            let retries = evidence.counters.total(RETRIES);
            let after = evidence.counters.labelled(RETRIES, "reason", kind);
            (after != retries || retries == 0).then(|| match retries {
                0 => "there was no retry".to_owned(),
                _ => format!("{after} of {retries} retries followed one"),
            })
        })
    }

    /// A counter rises by this much, summed over its labels.
    #[must_use]
    pub fn counter(name: &'static str, by: u64, text: impl Into<String>) -> Self {
        Self::new(text, Source::Client, move |evidence| {
            let risen = evidence.counters.total(name);
            (risen != by).then(|| {
                if name == ATTEMPTS {
                    format!("it made {}", counted(risen, "attempt"))
                } else {
                    format!("{name} rose by {risen}")
                }
            })
        })
    }

    /// The expectations of every run. `unseen` requests are meant not to reach the service. A
    /// request that timed out may or may not have reached it.
    #[must_use]
    pub fn of_every_run(unseen: u64) -> [Self; 3] {
        let agree = move |evidence: Evidence<'_>| {
            let timed_out = evidence.counters.labelled(ATTEMPTS, "result", READ_TIMEOUT);
            let (seen, counted) = (evidence.wire.total, evidence.counted());
            match counted.checked_sub(seen) {
                Some(more) if more == unseen => Some(Ok(())),
                // These may be the requests that timed out.
                Some(more) if (unseen..=timed_out).contains(&more) => None,
                _ => Some(Err(format!(
                    "the service saw {seen}, the client counted {counted}"
                ))),
            }
        };
        let paused = |evidence: Evidence<'_>| {
            let retries = evidence.counters.total(RETRIES);
            let waited = ["backoff", "retry_after"]
                .map(|source| evidence.counters.labelled(RETRIES, "wait_source", source));
            let at_once = retries.saturating_sub(waited.iter().sum());
            (at_once > 0).then(|| format!("{at_once} of {retries} came at once"))
        };
        let never_early = |evidence: Evidence<'_>| {
            let early = Ties::of(evidence.wire).early();
            (early > 0).then(|| format!("{early} came too early"))
        };
        [
            Self {
                text: counts_agree(unseen),
                source: Source::Client,
                is_rejection: false,
                check: Rc::new(agree),
            },
            Self::new(
                "each retry came after a backoff or a Retry-After",
                Source::Client,
                paused,
            )
            .if_exercised(|evidence| evidence.counters.total(RETRIES) > 0),
            Self::new(
                "no request came earlier than allowed",
                Source::Wire,
                never_early,
            )
            .if_exercised(|evidence| {
                let ties = Ties::of(evidence.wire);
                ties.waits().iter().any(|wait| wait.retry_after.is_usable())
            }),
        ]
    }

    /// This expectation, in a run that exercises it.
    #[must_use]
    pub(crate) fn if_exercised(self, is_exercised: fn(Evidence<'_>) -> bool) -> Self {
        let check = self.check;
        Self {
            check: Rc::new(move |evidence| {
                if is_exercised(evidence) {
                    check(evidence)
                } else {
                    None
                }
            }),
            ..self
        }
    }

    /// An expectation that holds unless `contradiction` finds something else.
    pub(crate) fn new(
        text: impl Into<String>,
        source: Source,
        contradiction: impl Fn(Evidence<'_>) -> Option<String> + 'static,
    ) -> Self {
        Self {
            text: text.into(),
            source,
            is_rejection: false,
            check: Rc::new(move |evidence| Some(contradiction(evidence).map_or(Ok(()), Err))),
        }
    }

    pub(super) fn check(&self, evidence: Evidence<'_>) -> Checked {
        (self.check)(evidence)
    }
}

impl fmt::Debug for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expectation({})", self.text)
    }
}

/// A detail of an outcome in words.
fn detail(name: &str) -> String {
    match name {
        "problem" => "error".to_owned(),
        "code" => "error code".to_owned(),
        "retry_after_seconds" => "time to wait".to_owned(),
        "has_location" => "location".to_owned(),
        "request_id_kept" => "request id".to_owned(),
        "attempt" => "number of attempts".to_owned(),
        "gave_up" => "reason to give up".to_owned(),
        name => in_words(&name),
    }
}

fn lengths(waits: &[Duration]) -> String {
    let lengths: Vec<_> = waits.iter().map(|wait| duration(*wait)).collect();
    if lengths.is_empty() {
        "for no Retry-After".to_owned()
    } else {
        lengths.join(", ")
    }
}

/// The text of the claim that both sides counted the same number of requests, except this
/// many that never reached the service.
fn counts_agree(unseen: u64) -> String {
    match unseen {
        0 => "the wire and the client agree on the number of requests".to_owned(),
        _ => {
            let attempts = counted(unseen, "attempt");
            format!("the client counted {attempts} more than the service saw")
        }
    }
}
