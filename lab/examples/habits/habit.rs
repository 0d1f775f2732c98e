//! The habits that a client may have.

use clap::ValueEnum;

/// One habit of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Habit {
    /// No bad habit.
    None,

    /// It sends a cursor in which only spaces are encoded.
    CursorUnescaped,
    /// It takes a page without records for the last one.
    StopsAtEmptyPage,
    /// It takes this many pages for the whole listing.
    StopsAfterTenPages,
    /// It replaces the query of a URL with the cursor.
    ReplacesQuery,
    /// It takes a type with a parameter, or one that ends in `+json`, for something else.
    ExactMediaType,
    /// It does not retry a request whose response breaks off.
    FailsAtCutBodies,
    /// It reports the part of a listing that it could read as if it were the whole.
    PartAsWhole,
    /// It takes every cursor but a non-empty text for the end of a listing.
    LooseCursor,
    /// It reads a page without `items` as one without records.
    MissingItemsAsEmpty,
    /// It reads a success with an empty body as a page without records.
    EmptyBodyAsEmptyPage,
    /// Its retries do not send the token.
    LosesTokenOnRetry,
    /// It sends the token with the first page alone.
    TokenForFirstPageAlone,
    /// It counts the attempts of all its calls together.
    CountsAllAttempts,
    /// It has a budget of retries that never fills up again.
    BudgetNeverRefills,
    /// It never closes a response, and has only so many connections.
    NeverClosesResponses,
    /// It keeps a connection that is broken.
    KeepsBrokenConnection,
    /// It follows every redirect with a GET.
    RedirectsAsGet,
    /// It sends the token in the query.
    TokenInUrl,
    /// It retries immediately.
    NoWait,
    /// It always waits for the same time.
    NoJitter,
    /// It backs off and ignores Retry-After.
    IgnoresRetryAfter,
    /// It ignores the headers of a response whose body breaks off.
    ForgetsCutBodies,
    /// It takes a date in GMT for one of its own time zone.
    TakesDatesForLocalTime,
    /// It takes the number -1 in Retry-After for a date that has passed.
    TakesMinusOneForPast,
    /// It takes a word in Retry-After for zero.
    TakesWordsForZero,
    /// It takes a wait that has too many milliseconds for 32 bits for none.
    OverflowsLongWaits,
    /// It never gives up.
    NeverGivesUp,
    /// It gives up after failures of the service, and never after a 429.
    NeverGivesUpOn429,
    /// It gives up after failures of the service, and never after a broken connection.
    NeverGivesUpOnBrokenConnections,
    /// It retries a refused request.
    RetriesRefusals,
    /// It retries after invalid JSON.
    RetriesBadJson,
    /// It retries after a body that is not JSON.
    RetriesOtherMediaTypes,
    /// It retries after JSON of another shape.
    RetriesOtherShapes,
    /// It parses a missing body, and retries.
    Retries204,
    /// It follows redirects.
    FollowsRedirects,
    /// It sends the token to the target of a redirect.
    SendsTokenOn,
    /// It does not detect repeated cursors.
    ForgetsCursors,
    /// It reads as long as there is a next page.
    NoPageLimit,
    /// It generates an idempotency key for each attempt.
    KeyPerAttempt,
    /// It uses one idempotency key for everything.
    OneKey,
    /// It derives the idempotency key from the body.
    KeyOfBody,
    /// It writes the number of the retry into the body.
    NumbersRetries,
    /// It writes the number of the attempt into the body, of the first attempt as well.
    NumbersAttempts,
    /// It retries every POST.
    RetriesEveryPost,
    /// It reports its error, and repeats its last request afterwards.
    RetriesInBackground,
    /// It waits for a response forever.
    NeverTimesOut,
    /// It declares its JSON as text.
    CallsJsonText,
    /// Of its workers, each retries on its own.
    Alone,
    /// It repeats all that was refused after a fixed pause.
    Waves,
    /// It makes one call after another.
    OneByOne,

    /// It waits for seconds before each retry.
    WaitsLong,
    /// It waits for as long as it is asked to.
    WaitsAnyTime,
    /// It sends independent requests concurrently.
    Parallel,
    /// It uses HTTP/1.0.
    Http10,
    /// It opens a connection for each request.
    ConnectionPerRequest,
    /// It sends a HEAD request first.
    HeadFirst,
    /// It sends an OPTIONS request first.
    OptionsFirst,
    /// It opens two connections in advance, and uses the second.
    Preconnects,
    /// Its name is empty.
    EmptyUserAgent,
    /// It prints no error; only its exit code reports it.
    ExitCodeAlone,

    /// It sends every request once.
    Lazy,
    /// It sends one request, and prints what other cases want.
    Guesses,
}
