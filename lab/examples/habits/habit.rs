//! What a client may do in its own way.

use clap::ValueEnum;

/// One habit of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Habit {
    /// It has none, and is right.
    None,

    /// It sends a cursor without encoding more of it than its spaces.
    CursorUnescaped,
    /// It takes a page without records for the last one.
    StopsAtEmptyPage,
    /// It calls so many pages the whole listing.
    StopsAfterTenPages,
    /// It sends the token in the query.
    TokenInUrl,
    /// It comes back at once.
    NoWait,
    /// It always waits for the same time.
    NoJitter,
    /// It backs off whatever Retry-After says.
    IgnoresRetryAfter,
    /// It comes back after half the wait.
    HalvesRetryAfter,
    /// It forgets the head of a response whose body breaks off.
    ForgetsCutBodies,
    /// It reads seconds alone.
    IgnoresDates,
    /// It takes a Retry-After that it cannot read for no wait.
    TakesUnusableForZero,
    /// It waits for a second where it was asked for minutes.
    CutsLongWaits,
    /// It never gives up.
    NeverGivesUp,
    /// It sends again what was refused.
    RetriesRefusals,
    /// It sends again what came back as JSON that does not parse.
    RetriesBadJson,
    /// It sends again what came back as something else than JSON.
    RetriesOtherMediaTypes,
    /// It sends again what came back in another shape.
    RetriesOtherShapes,
    /// It reads on from a page that is none.
    TakesAnyCursor,
    /// It parses a body that is not there, and asks again.
    Retries204,
    /// It goes where a redirect leads.
    FollowsRedirects,
    /// It compares a cursor with none that came before.
    ForgetsCursors,
    /// It reads on for as long as there is a next page.
    NoPageLimit,
    /// It makes an idempotency key for each attempt.
    KeyPerAttempt,
    /// It has one idempotency key for everything.
    OneKey,
    /// It sends no idempotency key, and its POST again.
    NoKey,
    /// It writes into the body which retry it is.
    NumbersRetries,
    /// It sends every POST again.
    RetriesEveryPost,
    /// It waits for a response for ever.
    NeverTimesOut,
    /// It calls its JSON text.
    CallsJsonText,
    /// It says that it takes HTML alone.
    AcceptsHtml,

    /// It waits for seconds before each retry.
    WaitsLong,
    /// It waits for as long as it is asked to.
    WaitsAnyTime,
    /// It sends at once what does not depend on each other.
    Parallel,
    /// It speaks HTTP/1.0.
    Http10,
    /// It opens a connection for each request.
    ConnectionPerRequest,
    /// It sends a HEAD first.
    HeadFirst,
    /// It sends an OPTIONS first.
    OptionsFirst,
    /// It opens two connections beforehand, and uses the second.
    Preconnects,
    /// Its name is empty.
    EmptyUserAgent,
    /// Its transport loses a connection that was used before, and sends the request
    /// again on another.
    Replays,
    /// It prints no error, and says by its exit code that there was one.
    ExitCodeAlone,

    /// It sends every request once.
    Lazy,
}
