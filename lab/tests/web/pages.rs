//! The pages, as a plain client gets them: the texts of their main parts, their forms, and their
//! errors.

use http::{Method, StatusCode};
use scenario::catalogue::{CATALOGUE, Chapter};
use serde_json::json;

use crate::web::support::{Browser, serve};

/// The text of the main part of a page: a line for each element that has text of its own.
pub(crate) fn main_text(page: &str) -> String {
    let (_, main) = page.split_once("<main ").expect("a main part");
    let (main, _) = main.split_once("</main>").expect("its end");
    let main = main.split_once('>').expect("its content").1;
    let mut lines = vec![String::new()];
    let mut rest = main;
    while let Some((text, tag)) = rest.split_once('<') {
        let (tag, after) = tag.split_once('>').expect("the end of a tag");
        let name = tag.trim_start_matches('/').split([' ', '>']).next();
        lines.last_mut().expect("a line").push_str(text);
        let inline = [
            "a", "b", "span", "code", "small", "kbd", "time", "wbr", "label", "input",
        ];
        if !name.is_some_and(|name| inline.contains(&name)) {
            lines.push(String::new());
        }
        rest = after;
    }
    let lines = lines
        .iter()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    lines
        .join("\n")
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
}

/// The text of a page.
async fn text(browser: &Browser, path: &str) -> String {
    let page = browser.page(path).await;
    assert_eq!(page.status, StatusCode::OK, "{path}");
    assert_eq!(page.headers["cache-control"], "no-store");
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    main_text(&page.text())
}

/// Runs what a form describes, and returns the id and the address to which it leads.
async fn run(browser: &Browser, form: &str) -> (String, String) {
    let response = browser.submit("/runs", form).await;
    assert_eq!(
        response.status,
        StatusCode::SEE_OTHER,
        "{}",
        response.text()
    );
    let there = response.headers["location"]
        .to_str()
        .expect("text")
        .to_owned();
    let id = there.trim_start_matches("/runs/");
    let id = id.split('?').next().expect("an id");
    (id.to_owned(), there)
}

const FLAKY: &str = "scenario=flaky&pace=virtual&seed=1";

#[tokio::test]
async fn the_page_of_a_scenario_before_any_run() {
    let (_dashboard, browser) = serve().await;

    let text = text(&browser, "/scenarios/flaky?max_attempts=2").await;

    insta::assert_snapshot!(text, @"
    flaky
    the service fails twice, then recovers
    Retrying, 1 of 2 ›
    Two requests get a 503, the third would succeed. How many requests will the service see? Predict first
    GET /flaky
    up to 2 attempts
    backoff 200 ms–5 s, full jitter
    Retry-After up to 30 s
    Run
    ReliableNaiveCompare
    Real waitsVirtual time: no waiting
    Settings · Attempts: 2
    Attempts First backoff, ms Longest Retry-After, s Seed Break the client
    nothing removed
    without retry-after-seconds
    without backoff-jitter
    without idempotency-key-reuse
    without body-media-type
    without deadline
    Show the premises
    Hint
    A GET changes nothing, so a client may send it again while it has attempts left.
    Not run since the lab started. Press Run, or the key r.
    What you can choose
    Reliable
    up to 2 attempts · backoff 200 ms–5 s, full jitter · Retry-After up to 30 s
    Naive
    a typical first client: up to 10 attempts, no waits
    Compare
    Both, with the same faults, on one axis of time.
    Virtual time
    Each wait is computed and not waited for, so the result is there at once.
    ");
    // Whatever is chosen.
    let (_, choices) = text.split_once("What you can choose").expect("choices");
    for client in ["naive", "compare"] {
        let path = format!("/scenarios/flaky?max_attempts=2&client={client}");
        let page = browser.page(&path).await.text();
        assert!(main_text(&page).ends_with(choices.trim_end()), "{page}");
    }
}

#[tokio::test]
async fn a_run_in_virtual_time_is_complete_in_the_first_response() {
    let (_dashboard, browser) = serve().await;

    let (id, there) = run(&browser, FLAKY).await;
    let text = text(&browser, &there).await;

    assert_eq!(there, format!("/runs/{id}"));
    let text = text.replace(&id, "ID");
    let (before, after) = text.split_once("since start").expect("the picture");
    let (_, verdict) = after.split_once("\nExpected").expect("the verdict");
    insta::assert_snapshot!(before, @"
    flaky
    the service fails twice, then recovers
    Retrying, 1 of 2 ›
    Two requests get a 503, the third would succeed. How many requests will the service see?
    Run again
    ReliableNaiveCompare
    Real waitsVirtual time: no waiting
    Settings
    Attempts First backoff, ms Longest Retry-After, s Seed Break the client
    nothing removed
    without retry-after-seconds
    without backoff-jitter
    without idempotency-key-reuse
    without body-media-type
    without deadline
    Show the premises
    Hint
    A GET changes nothing, so a client may send it again while it has attempts left.
    flaky: ok on attempt 3, 3 attempts, 5 of 5 expectations met
    ✓ok on attempt 3
    virtual time: waits are computed, not waited for · seed 1
    The answer: 3 requests
    GET /flaky · up to 3 attempts · backoff 200 ms–5 s, full jitter · Retry-After up to 30 s
    ");
    insta::assert_snapshot!(verdict, @"

    5 of 5
    ✓clientsucceeded on attempt 3
    ✓wirethe service saw exactly 3 requests
    ✓clientthe wire and the client agree on the number of requests
    ✓clienteach retry came after a backoff or a Retry-After
    ✓wireContent-Type and Accept named JSON
    “wire” is the service's record, “client” the client's own.
    On the wire, the service saw 3 requests; the client counted 3. Outcome: ok on attempt 3.
    Why it matters
    A 503 is often temporary. A GET changes nothing, so it is safe to send again. Each wait of the reliable client was chosen at random below a ceiling that doubles (full jitter), so clients that failed together do not retry together.
    What it does not solve
    A service that stays down. The attempts run out, and the caller must handle the error.
    Try next
    Try it the attempts run out before the service recovers
    In a terminal: cargo run -p lab -- scenario flaky --max-attempts 2
    Counters
    The changes by this run, under their names in /metrics
    counter
    change
    what it answers
    client_attempts_total
    +3200 +1503 +2
    How many requests did the client put on the wire, and how did each end (status or error type)?
    client_retries_total
    +2503, backoff +2
    How often did the client decide to retry, why, and who chose the wait: the service or the client?
    client_calls_total
    +1ok, retried +1
    How many calls of a client method ended, how did each end, and did it take more than one request?
    service_faults_total
    +2flaky +2
    How many responses were faults on purpose, and which?
    On the wire
    3 requests
    Every request as the service saw it; times count from the start of the run
    #
    arrived
    request
    status
    fault
    request id
    1
    0 ms
    GET /flaky
    503
    flaky
    req-eaa109acf008e299
    2
    194 ms
    GET /flaky
    503
    flaky
    req-8d48a710825ec11e
    3
    471 ms
    GET /flaky
    200
    —
    req-660b33d37f30f190
    Run IDKeep this seedDownload the reportas JSONas text
    ");
}

#[tokio::test]
async fn a_comparison_leads_with_what_differs() {
    let (_dashboard, browser) = serve().await;

    let form = "scenario=lost-response&client=compare&pace=virtual&seed=1";
    let (_, there) = run(&browser, form).await;
    let text = text(&browser, &there).await;

    // What the requests were stands in the rows of the picture.
    let (_, lead) = text.split_once("What differs").expect("the difference");
    let (lead, measured) = lead
        .split_once("Measured and expected")
        .expect("the measurements");
    let is_of_lead = |line: &&str| {
        ["The ", "one axis"]
            .iter()
            .any(|start| line.starts_with(start))
            || line.ends_with("created")
    };
    let lead: Vec<_> = lead.lines().filter(is_of_lead).collect();
    insta::assert_snapshot!(lead.join("\n"), @"
    one axis for both clients · virtual time: waits are computed, not waited for · seed 1
    The answer: 1 job (reliable), 2 jobs (naive)
    The reliable client: ✓ok, the client has its job
    the connection broke off key 1, body 1, a job was created
    1✓ job created
    The naive client: ok, the client has its job · ✗4 of 8 expectations not met
    the connection broke off key 1, body 1, a job was created
    201 Created key 2, body 1, a job was created
    2✗ jobs created
    ");
    let (measured, _) = measured.split_once("Why it matters").expect("the lesson");
    insta::assert_snapshot!(measured, @"

    The effects of the two clients
    Effect
    reliable
    naive
    Equal?
    requests at the service
    2
    2
    equal
    jobs created
    1
    2
    differs
    time until the caller knew
    50 ms
    0 ms
    differs
    result for the caller
    ok, the client has its job
    ok, the client has its job
    equal
    The expectations of both
    Expectation
    reliable
    naive
    the client has its job
    ✓
    ✓
    the service saw exactly 2 requests
    ✓
    ✓
    the service created one job, not two
    ✓
    ✗ it created 2
    the wire and the client agree on the number of requests
    ✓
    ✓
    each retry came after a backoff or a Retry-After
    ✓
    ✗ 1 of 1 came at once
    every attempt of a call carried the same idempotency key
    ✓
    ✗ an attempt had another Idempotency-Key (request 2)
    no job was created twice
    ✓
    ✗ 1 job too many (request 2)
    Content-Type and Accept named JSON
    ✓
    ✓
    ");
}

#[tokio::test]
async fn the_runs_are_listed_and_filtered() {
    let (_dashboard, browser) = serve().await;
    for form in [
        FLAKY,
        "scenario=not-found&pace=virtual&seed=1",
        "scenario=lost-response&client=compare&pace=virtual&seed=1",
        "scenario=redirect&client=naive&pace=virtual&seed=1",
    ] {
        let (id, _) = run(&browser, form).await;
        browser.ended(&id).await;
    }
    let rows = async |path: &str| {
        let page = browser.page(path).await.text();
        let (_, rows) = page.split_once("<tbody").expect("rows");
        let (rows, _) = rows.split_once("</tbody>").expect("their end");
        let rows = rows.split("<tr").skip(1).map(|row| {
            let row = main_text(&format!("<main ><p{row}</p></main>"));
            row.split_once(" UTC").expect("a time").1.replace('\n', " ")
        });
        rows.collect::<Vec<_>>().join("\n")
    };

    insta::assert_snapshot!(rows("/runs").await, @"
    redirect naive ✗ ok · its status is 302: the result has no status 2 0 0 ms
    lost-response compare ✓ ok ✗ naive: 2 jobs created 2 / 2 1 / 1 50 ms / 0 ms
    not-found reliable ✓ gave up, as expected · 404 1 0 0 ms
    flaky reliable ✓ ok on attempt 3 3 2 471 ms
    ");
    insta::assert_snapshot!(rows("/runs?ending=unexpected&client=naive").await, @" redirect naive ✗ ok · its status is 302: the result has no status 2 0 0 ms");
    insta::assert_snapshot!(rows("/runs?scenario=flaky").await, @" flaky reliable ✓ ok on attempt 3 3 2 471 ms");
}

#[tokio::test]
async fn the_overview_has_an_example_before_any_run_which_moves_no_counter() {
    let (dashboard, browser) = serve().await;

    let text = text(&browser, "/").await;

    let (hero, rest) = text.split_once("since start").expect("the picture");
    insta::assert_snapshot!(hero, @"
    A service fails on purpose.
    See what a client does about it.
    Each attempt, each wait, each job created twice.
    ▶ Run flaky
    or predict first: retry-after-seconds
    flaky✓ ok on attempt 3an example: seed 1, virtual time
    ");
    let (_, rest) = rest.split_once("200 OK\n").expect("its end");
    // The storm's pictures come when they are simulated.
    let (counters, _) = rest.split_once("\nStorm").expect("the doors");
    insta::assert_snapshot!(counters.replace(lab::invocation::lab(), "LAB"), @"
    Attempts
    none yet0
    Retries
    none yet0
    Give-ups
    none yet0
    Cursor loops
    none yet0
    Course
    ● 0 of 32 run · next: flaky
    Retrying
    ▶flaky
    ·flaky-gives-up
    Retry-After
    ·retry-after-seconds
    ·retry-after-date
    ·retry-after-past-date
    ·retry-after-unusable
    ·retry-later
    Responses
    ·bad-json
    ·text-json
    ·no-content
    ·redirect
    ·not-found
    Listings
    ·items
    ·bad-items
    ·bad-cursor
    ·looping-items
    ·endless-items
    ·item-cap
    ·resumed-crawl
    Writes
    ·create-job
    ·replay
    ·conflict
    ·post-without-permission
    ·lost-response
    Network
    ·read-timeout
    ·reset
    ·oversized-body
    ·connection-refused
    ·tls-refused
    Limits
    ·deadline
    ·retry-budget
    ·too-many-requests
    Last runs
    No run yet. Each run appears here as one line: its attempts, its waits, and how it ended.
    From a terminal: LAB scenario flaky --live
    ");
    let service = Browser::of(&dashboard.service_url());
    assert_eq!(service.total("client_attempts_total{").await, 0);
    assert_eq!(browser.get("/api/runs").await.json(), json!([]));
}

#[tokio::test]
async fn the_overview_has_the_last_run_and_small_pictures_of_a_storm() {
    let (_dashboard, browser) = serve().await;
    let (id, _) = run(&browser, FLAKY).await;
    browser.ended(&id).await;
    let mut changes = browser.listen().await;

    let page = loop {
        let page = browser.page("/").await.text();
        if page.contains("fill-wasted") {
            break page;
        }
        changes.changed().await;
    };

    let text = main_text(&page);
    for part in [
        "ok on attempt 3the last run, ",
        "1 of 32 run · next: flaky-gives-up",
        "Last runs\nall 1\n",
        "✗ 3 attempts, jitter",
        "✓ with a retry budget",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let predicted = main_text(&browser.page("/?predict").await.text());
    for ending in ["attempt 3", "✗", "with a retry budget"] {
        assert!(!predicted.contains(ending), "{ending} in {predicted}");
    }
}

#[tokio::test]
async fn a_client_is_started_in_a_terminal() {
    let (_dashboard, browser) = serve().await;

    let text = text(&browser, "/client").await;

    insta::assert_snapshot!(text.replace(lab::invocation::lab(), "LAB"), @"
    Your client
    A terminal grades the program that you name there.
    Write a client in any language. The service fails in 22 ways; the card says what your client did about each.
    Three lines
    in a terminal
    LAB starter python
    Copy
    Writes client.py, never over a file that is there. It also knows node, go and rust.
    LAB grade -- python3 client.py
    Copy
    Grades it once in the terminal, up to the first task that is not done. Any other language will do.
    LAB serve --watch client.py -- python3 client.py
    Copy
    Shows its card on this page, and again at every save. Stop this lab first.
    22 tasks, in this order
    about a minute for all
    ·read-all
    ·flaky
    ·retry-after
    ·retry-at
    ·maintenance
    ·down
    ·refused
    ·invalid-body
    ·no-body
    ·loop
    ·long-list
    ·half-a-list
    ·create
    ·create-twice
    ·lost-response
    ·post-once
    ·many-calls
    ·crowded
    ·silence
    ·unbounded
    ·redirected
    ·redirect-post
    Nothing on this page can name or start a program: only a terminal can.
    ");
}

/// The titles of the chapters, each with the names of its scenarios.
fn chapters_of_the_course() -> Vec<(String, Vec<String>)> {
    let chapters = Chapter::ALL.into_iter().map(|chapter| {
        let names = chapter
            .scenarios()
            .map(|scenario| scenario.name().to_owned());
        (chapter.title().to_owned(), names.collect())
    });
    chapters.collect()
}

#[tokio::test]
async fn every_page_lists_the_course_by_chapters_with_its_ticks() {
    let (_dashboard, browser) = serve().await;
    let (id, there) = run(&browser, &format!("{FLAKY}&guess=2")).await;
    browser.ended(&id).await;
    let ticks = async |path: &str| {
        let page = browser.page(path).await.text();
        let (_, side) = page.split_once("id=\"side\"").expect("the course");
        let (side, _) = side.split_once("</nav>").expect("its end");
        let chapters = side.split("<h3>").skip(1).map(|chapter| {
            let (title, scenarios) = chapter.split_once("</h3>").expect("its title");
            let links = scenarios.split("href=\"/scenarios/").skip(1);
            let names = links.filter_map(|link| link.split_once('"'));
            (
                title.to_owned(),
                names.map(|(name, _)| name.to_owned()).collect(),
            )
        });
        assert_eq!(
            chapters.collect::<Vec<_>>(),
            chapters_of_the_course(),
            "{path}"
        );
        ["●</span>", "★</span>"].map(|sign| side.matches(sign).count())
    };

    assert_eq!(ticks(&there).await, [1, 0], "a wrong guess");
    assert_eq!(ticks(&format!("/runs/{id}?guess=3")).await, [0, 1]);
    for path in ["/course", "/scenarios/items", &format!("/runs/{id}")] {
        assert_eq!(ticks(path).await, [0, 1], "{path}");
    }
}

/// What a page must not say before there is a guess about a run of `flaky`.
const ENDINGS: [&str; 6] = [
    "attempt 3",
    "3 requests",
    "ok on",
    "200 OK",
    "as expected",
    "✓</span> ok",
];

#[tokio::test]
async fn under_predict_no_page_shows_an_ending_before_a_guess() {
    let (_dashboard, browser) = serve().await;
    let (id, there) = run(&browser, &format!("{FLAKY}&predict=")).await;
    assert_eq!(there, format!("/runs/{id}?predict"));
    for path in [
        "/?predict",
        "/course?predict",
        "/runs?predict",
        "/runs?predict&ending=unexpected",
        "/scenarios/flaky?predict",
        "/scenarios/flaky?predict&present",
        "/client?predict",
        &there,
        &format!("/runs/{id}?predict&present&step=4"),
        &format!("/runs/{id}?predict&guess=many"),
    ] {
        let page = browser.page(path).await.text();

        let main = main_text(&page);
        for ending in ENDINGS {
            assert!(!main.contains(ending), "{path} says {ending:?}:\n{main}");
        }
    }
    let page = browser.page("/runs?predict&ending=unexpected").await.text();
    assert!(
        page.contains("1 of 1, newest first"),
        "the filter tells the ending: {page}"
    );

    let guessed = browser
        .page(&format!("/runs/{id}?predict&guess=3"))
        .await
        .text();
    assert!(
        guessed.contains("✓ Your prediction: </b>3 requests, correct."),
        "{guessed}"
    );
}

#[tokio::test]
async fn every_link_and_form_keeps_the_modes() {
    let (_dashboard, browser) = serve().await;
    let (id, _) = run(&browser, FLAKY).await;
    for path in [
        "/",
        "/course",
        "/runs",
        "/scenarios/flaky",
        "/client",
        &format!("/runs/{id}"),
    ] {
        let page = browser.page(&format!("{path}?predict")).await.text();
        let links = page
            .split("<a ")
            .skip(1)
            .map(|link| link.split_once("</a>").expect("its end").0);
        for link in links {
            let is_kept = link.contains("predict");
            let leaves = link.contains("Predict first: on") || link.contains("without a guess");
            let is_a_file = link.contains("href=\"/api/") || link.contains("href=\"#main\"");
            assert!(is_kept || leaves || is_a_file, "{path}: {link}");
        }
        for form in page.split("<form").skip(1) {
            let (form, _) = form.split_once("</form>").expect("its end");
            assert!(form.contains("name=\"predict\""), "{path}: {form}");
        }
    }
}

#[tokio::test]
async fn a_presentation_goes_step_by_step() {
    let (_dashboard, browser) = serve().await;

    let (id, there) = run(&browser, &format!("{FLAKY}&present=&plan=45&stop=2")).await;
    assert_eq!(there, format!("/runs/{id}?step=2&present&plan=45&stop=2"));
    let step = async |step: u8| {
        let path = format!("/runs/{id}?step={step}&present&plan=45&stop=2");
        browser.page(&path).await.text()
    };

    let [question, happened, answer, lesson] =
        [step(1).await, step(2).await, step(3).await, step(4).await];
    let says = |page: &str| {
        [
            "up to 3 attempts</li>",
            "attempt 3",
            "The answer: </b>3 requests",
            "A 503 is often temporary.",
        ]
        .map(|part| page.contains(part))
    };
    assert_eq!(says(&question), [true, false, false, false]);
    assert_eq!(says(&happened), [false, true, false, false]);
    assert_eq!(says(&answer), [false, true, true, false]);
    assert_eq!(says(&lesson), [false, true, true, true]);
    for (page, next) in [
        (&happened, format!("href=\"/runs/{id}?step=3&amp;present&amp;plan=45&amp;stop=2\" aria-keyshortcuts=\"ArrowRight\"")),
        (&lesson, "href=\"/scenarios/retry-after-seconds?present&amp;plan=45&amp;stop=3\" aria-keyshortcuts=\"ArrowRight\"".to_owned()),
    ] {
        assert!(page.contains(&next), "{next} is missing in {page}");
        assert!(!page.contains("<header class=\"top\">"), "{page}");
    }
    // A step that does not exist is the last one.
    assert!(says(&step(99).await)[3]);
    let built = [happened, lesson].map(|page| page.contains("Now build: <b>flaky</b>"));
    assert_eq!(built, [false, true]);
    let unguessed = format!("/runs/{id}?step=2&predict&present");
    let unguessed = browser.page(&unguessed).await.text();
    assert!(
        unguessed.contains("aria-disabled=\"true\">Guess first<"),
        "{unguessed}"
    );
}

#[tokio::test]
async fn an_invalid_form_is_shown_again_with_what_was_typed() {
    let (_dashboard, browser) = serve().await;
    let (id, _) = run(&browser, FLAKY).await;
    let form = format!("scenario=flaky&run={id}&backoff_ms=50&seed=x&client=naive");

    let response = browser.submit("/runs", &form).await;
    let page = response.text();

    assert_eq!(response.status, StatusCode::UNPROCESSABLE_ENTITY);
    for part in [
        "Seed: it must be a whole number from 0 to 18446744073709551615, got “x”.",
        "First backoff, ms: it must be a whole number from 100 to 5000, got “50”.",
        "name=\"backoff_ms\" type=\"number\" value=\"50\"",
        "name=\"seed\" inputmode=\"numeric\" value=\"x\"",
        "value=\"naive\" checked",
        // The run above which the form stood.
        "ok on attempt 3",
    ] {
        assert!(page.contains(part), "{part:?} is missing in {page}");
    }
    assert_eq!(
        browser
            .get("/api/runs")
            .await
            .json()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    // The same in an address.
    let page = browser
        .page("/scenarios/flaky?backoff_ms=50&max_attempts=")
        .await;
    assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(page.text().contains("got “50”."));
    // A program gets a problem object.
    let headers = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("sec-fetch-site", "same-origin"),
    ];
    let response = browser.send(Method::POST, "/runs", &headers, &form).await;
    assert_eq!(response.code(), "invalid_run");
}

/// Anybody can type an address.
#[tokio::test]
async fn bad_input_is_named_on_a_page() {
    let (_dashboard, browser) = serve().await;
    for (path, status, says) in [
        ("/nowhere", 404, "no such path"),
        ("/%3Cb%3E", 404, "/%3Cb%3E"),
        ("/scenarios/flakey", 404, "did you mean 'flaky'?"),
        ("/scenarios/%ff", 404, "no scenario is called ''"),
        ("/scenarios/%3Cimg%20src=x%3E", 404, "&lt;img src=x&gt;"),
        ("/runs/abcdefgh", 404, "only the newest runs are kept"),
        ("/runs/%", 404, "only the newest runs are kept"),
        ("/runs/..%2fapi", 404, "only the newest runs are kept"),
        ("/runs?ending=lost", 422, "Ending: it must be one of"),
        ("/runs?scenario=%3Cb%3E", 422, "got “&lt;b&gt;”"),
        (
            "/scenarios/flaky?max_attempts=0",
            422,
            "Attempts: it must be a whole number from 1 to 10000, got “0”.",
        ),
        ("/scenarios/flaky?max_attempts=%", 422, "got “%”"),
        (
            "/scenarios/flaky?client=curl",
            422,
            "Client: it must be one of reliable, naive, compare, got “curl”.",
        ),
        (
            "/scenarios/flaky?pace=slow",
            422,
            "Pace: it must be one of real, virtual, got “slow”.",
        ),
        (
            "/scenarios/flaky?client=naive&without=deadline",
            422,
            "have a defence to remove",
        ),
        ("/api/runs/abcdefgh/report", 404, "no such run"),
    ] {
        let page = browser.page(path).await;

        assert_eq!(page.status, status, "{path}");
        assert_eq!(
            page.headers["content-type"], "text/html; charset=utf-8",
            "{path}"
        );
        let text = page.text();
        assert!(text.contains(says), "{path}: {says:?} is missing in {text}");
        assert!(text.contains("<nav class=\"views\""), "{path}");
    }
    let text = [
        ("content-type", "text/plain"),
        ("sec-fetch-site", "same-origin"),
        ("accept", "text/html"),
    ];
    let refused = browser
        .send(Method::POST, "/runs", &text, "scenario=flaky")
        .await;
    assert_eq!(refused.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(
        refused
            .text()
            .contains("a form is sent as application/x-www-form-urlencoded")
    );
    let unknown = browser.submit("/runs", "scenario=flakey").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn run_again_is_one_press_with_the_settings_of_the_run() {
    let (_dashboard, browser) = serve().await;
    let form = "scenario=flaky&client=compare&without=deadline&pace=virtual&max_attempts=2&seed=7";
    let (id, there) = run(&browser, form).await;

    let page = browser.page(&there).await.text();

    for part in [
        ">Run again</button>",
        "value=\"compare\" checked",
        "value=\"virtual\" checked",
        "name=\"max_attempts\" type=\"number\" value=\"2\"",
        "value=\"deadline\" selected",
        // A new seed, unless the old one is kept.
        "name=\"seed\" inputmode=\"numeric\" value=\"\"",
        "href=\"/scenarios/flaky?client=compare&amp;without=deadline&amp;pace=virtual&amp;seed=7&amp;max_attempts=2\">Keep this seed",
    ] {
        assert!(page.contains(part), "{part:?} is missing in {page}");
    }
    let run = browser.run(&id).await;
    assert_eq!(run["settings"], json!({ "max_attempts": 2 }));
    assert_eq!(run["seed"], 7);
    // A reload runs nothing.
    browser.page(&there).await;
    assert_eq!(
        browser
            .get("/api/runs")
            .await
            .json()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

/// The suggestion of a lesson is a link to the form that it describes.
#[tokio::test]
async fn every_suggestion_leads_to_a_form_without_errors() {
    let (_dashboard, browser) = serve().await;
    for scenario in CATALOGUE {
        for client in ["reliable", "naive", "compare"] {
            let name = scenario.name();
            let form = format!("scenario={name}&client={client}&pace=virtual&seed=1");
            let (_, there) = run(&browser, &form).await;
            let page = browser.page(&there).await.text();
            let Some((before, _)) = page.split_once("\">Try it</a>") else {
                assert!(
                    page.contains("scenario all</code>"),
                    "{name} {client}: {page}"
                );
                continue;
            };
            let (_, link) = before.rsplit_once("href=\"").expect("a link");
            let shown = browser.page(&link.replace("&amp;", "&")).await;
            assert_eq!(shown.status, StatusCode::OK, "{name} {client}: {link}");
        }
    }
}

/// The document, and every file that it names or that these request.
#[tokio::test]
async fn the_first_paint_takes_at_most_80_kib() {
    let (_dashboard, browser) = serve().await;
    for path in ["/", "/scenarios/flaky"] {
        let document = browser.page(path).await.text();
        let files = document
            .split('"')
            .filter(|text| text.starts_with("/assets/"));
        let mut total = document.len();
        for file in files.chain(["/assets/patch.js"]) {
            total += browser.get(file).await.body.len();
        }

        assert!(total <= 80 * 1024, "{path}: {total} bytes");
    }
}
