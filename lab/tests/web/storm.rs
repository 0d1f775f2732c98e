//! Storms on their pages, as a plain client gets them.

use http::{Method, StatusCode};
use storm::STORIES;

use crate::web::{
    pages::main_text,
    support::{Browser, serve},
};

/// A storm of a few virtual seconds.
const SHORT: &str = "/storm/spike?seed=7&calls_per_second=20&workers=3&incident_lasts=2&length=16";

/// A storm that runs longer than any test.
const ENDLESS: &str = "/storm/spike?calls_per_second=1000&length=600";

/// The words of an ending.
const ENDINGS: [&str; 6] = [
    "ok after",
    "class=\"word",
    "degraded",
    "fill-good",
    "What it shows",
    "median",
];

/// The page of a storm that is over.
async fn ended(browser: &Browser, path: &str) -> String {
    // Listening starts before the first look, so that no change is missed in between.
    let mut changes = browser.listen().await;
    loop {
        let page = browser.page(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        let page = page.text();
        if !page.contains("data-changes") {
            return page;
        }
        changes.changed().await;
    }
}

/// Where a redirection leads.
async fn leads_to(browser: &Browser, path: &str) -> String {
    let response = browser.page(path).await;
    assert_eq!(response.status, StatusCode::SEE_OTHER, "{path}");
    response.headers["location"]
        .to_str()
        .expect("text")
        .to_owned()
}

#[tokio::test]
async fn one_address_shows_the_same_bytes() {
    let (ui, browser) = serve().await;
    let other = Browser::of(browser.url());

    let first = ended(&browser, SHORT).await;
    let again = other.page(SHORT).await.text();

    assert_eq!(first, again);
    let text = main_text(&first);
    let (text, _) = text.split_once("More figures").expect("more");
    insta::assert_snapshot!(text.replace(lab::invocation::lab(), "LAB"), @"
    Storm: spike
    usually 20 calls/s; 70/s from 10 s to 12 s; capacity 30 requests/s, queue of 300 (10 s); attempts time out after 1 s; seed 7.
    A spike ends at ▲. Under which policies does the service recover?
    Another seed
    Settings · 4 changed
    For all policies
    Seed Incident
    spike
    cut
    pause
    refusal
    none
    Calls/s Workers Queue Incident lasts, s Spike × Share of 503s Storm lasts, s
    Your own policy, as one more row:
    Attempts First wait, s Tokens of a budget In flight at most Deadline, s Added to Retry-After, s Wait
    jitter
    exponential
    constant
    none
    Run these settings
    The story's own
    The storm is over: 1 attempt: 183 calls lost; 3, no wait: 183 calls lost; 3, jitter: 183 calls lost; 3, budget: 183 calls lost
    policy
    requests per second, means of 0.5 s, over 16 s
    beforecalls ok
    endcalls ok
    lostcalls
    req/sat end
    mediancall time
    99 %call time
    new callsthe same for all
    capacity 30/s
    1 attemptno retry
    94/s
    100 %
    0 %
    183 of 438
    26
    429 ms
    1 s
    3, no waitretries at once
    140/s
    100 %
    0 %
    183 of 438
    85
    267 ms
    3 s
    3, jitterrandom waits
    136/s
    100 %
    0 %
    183 of 438
    100
    356 ms
    3.5 s
    3, budgetjitter, 10 tokens
    112/s
    100 %
    0 %
    183 of 438
    32
    429 ms
    3.1 s
    0 s
    5 s
    10 s
    15 s
    ▲ 12 s
    before
    end
    calls that succeed
    work nobody waited for any more
    requests that arrive
    capacity
    the spike, which ends at ▲
    No word: fewer than 300 calls in the 10 s before the incident or at the end.
    Another seed may give other results. To count those of 20 seeds: LAB storm spike --calls-per-second 20 --workers 3 --incident-lasts 2 --length 16 --seed 7 --seeds 20
    Copy
    ");
    ui.stop().await.expect("nothing is left");
}

#[tokio::test]
async fn the_page_of_another_site_starts_no_storm() {
    let (ui, browser) = serve().await;
    for seed in 0..10 {
        for site in ["cross-site", "same-site"] {
            let path = ENDLESS.replace('?', &format!("?seed={seed}&"));
            let headers = [("sec-fetch-site", site), ("sec-fetch-dest", "image")];
            let page = browser.send(Method::GET, &path, &headers, "").await.text();

            assert!(page.contains(">▶ Run</button>"), "{page}");
            assert!(
                page.contains("value=\"1000\""),
                "its form is filled in: {page}"
            );
            assert!(!page.contains("data-changes"), "{page}");
        }
    }

    // Both turns are free.
    let own = ended(&browser, SHORT).await;
    assert!(own.contains("Another seed"), "{own}");
    // A storm that is there costs nothing.
    let foreign = [("sec-fetch-site", "cross-site")];
    let shown = browser.send(Method::GET, SHORT, &foreign, "").await;
    assert_eq!(shown.text(), own);
    ui.stop().await.expect("nothing is left");
}

#[tokio::test]
async fn a_form_leads_to_the_shortest_address_of_its_storm() {
    let (ui, browser) = serve().await;
    for (given, shortest) in [
        ("/storm", "/storm/spike"),
        (
            "/storm?present&plan=45&stop=5",
            "/storm/spike?present&plan=45&stop=5",
        ),
        (
            "/storm/herd?seed=&workers=&incident=&predict=",
            "/storm/herd?predict",
        ),
        (
            "/storm/herd?attempts=4&workers=+7+&x=y",
            "/storm/herd?workers=7&attempts=4",
        ),
        (
            "/storm/spike?predict=&seed=&guess1=ok&guess2=down&guess3=down&guess4=ok",
            "/storm/spike?guess=ok-down-down-ok&predict",
        ),
    ] {
        assert_eq!(leads_to(&browser, given).await, shortest, "{given}");
    }
    ui.stop().await.expect("nothing is left");
}

/// The page cannot have asked for a guess of a row that the settings add.
#[tokio::test]
async fn guesses_beside_a_setting_that_changes_the_rows_are_asked_for_again() {
    let (ui, browser) = serve().await;
    let guesses = "guess1=ok&guess2=down&guess3=down&guess4=ok";
    for (given, shortest) in [
        (
            format!("/storm/spike?{guesses}&attempts=4&predict="),
            "/storm/spike?attempts=4&predict",
        ),
        (
            "/storm/spike?guess=none&incident=pause&predict=".to_owned(),
            "/storm/spike?incident=pause&predict",
        ),
    ] {
        assert_eq!(leads_to(&browser, &given).await, shortest, "{given}");
        let page = browser.page(shortest).await.text();

        let rows = 4 + usize::from(shortest.contains("attempts"));
        assert!(page.contains(&format!("name=\"guess{rows}\"")), "{page}");
        assert!(
            !page.contains(&format!("name=\"guess{}\"", rows + 1)),
            "{page}"
        );
        for ending in ENDINGS {
            assert!(!page.contains(ending), "{ending} in {page}");
        }
    }
    // A field that breaks its rule is corrected, and the rows of the form are those of the story.
    let wrong = format!("/storm/spike?{guesses}&attempts=0&predict=");
    let page = browser.page(&wrong).await;
    assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
    let without = "href=\"/storm/spike?attempts=0\">Without a guess";
    assert!(page.text().contains(without), "{}", page.text());
    ui.stop().await.expect("nothing is left");
}

/// Settings, each with the words of its problem and what stays in the form.
const REFUSED: [(&str, &str); 20] = [
    (
        "calls_per_second=0",
        "Calls/s: it must be a number from 0.1 to 1000",
    ),
    (
        "workers=1.5",
        "Workers: it must be a whole number from 1 to 10000",
    ),
    (
        "queue=-1",
        "Queue: it must be a whole number from 0 to 100000",
    ),
    (
        "incident_lasts=inf",
        "Incident lasts, s: it must be a number from 0 to 600",
    ),
    ("spike=many", "Spike ×: it must be a number from 1 to 100"),
    (
        "refused=0.5",
        "Share of 503s: it has no effect without the incident 'refusal'",
    ),
    (
        "incident=refusal&refused=2",
        "Share of 503s: it must be a number from 0 to 1",
    ),
    (
        "incident=cut&spike=2",
        "Spike ×: it has no effect without the incident 'spike'",
    ),
    (
        "length=1",
        "Storm lasts, s: it must be a number from 2 to 600",
    ),
    (
        "length=15",
        "the incident must end 2 s before the storm does or earlier",
    ),
    (
        "incident=half",
        "Incident: it must be one of spike, cut, pause, refusal, none",
    ),
    ("seed=-1", "Seed: it must be a whole number"),
    (
        "attempts=21",
        "Attempts: it must be a whole number from 1 to 20",
    ),
    (
        "base=0",
        "First wait, s: it must be a number from 0.001 to 60",
    ),
    (
        "budget=1e9",
        "Tokens of a budget: it must be a whole number from 0 to 10000",
    ),
    (
        "concurrency=-1",
        "In flight at most: it must be a whole number from 0 to 10000",
    ),
    (
        "deadline=601",
        "Deadline, s: it must be a number from 0 to 600",
    ),
    (
        "spread=NaN",
        "Added to Retry-After, s: it must be a number from 0 to 600",
    ),
    (
        "backoff=later",
        "Backoff: it must be one of jitter, exponential, constant, none",
    ),
    (
        "guess=ok-down",
        "Your guess: it must be ok or down for each of the 4 rows",
    ),
];

#[tokio::test]
async fn a_wrong_setting_is_named_with_its_rule_and_stays_in_the_form() {
    let (ui, browser) = serve().await;
    for (setting, says) in REFUSED {
        let page = browser.page(&format!("/storm/spike?{setting}")).await;

        assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY, "{setting}");
        let page = page.text();
        let said = &page;
        assert!(
            said.contains("✗ Not run.") && said.contains(says),
            "{setting}: {page}"
        );
        let (name, typed) = setting.rsplit_once('=').expect("a setting");
        let got = if says.starts_with("the incident") {
            "got 15 s of 15 s.".to_owned()
        } else {
            format!("got “{typed}”")
        };
        assert!(said.contains(&got), "{setting}: {page}");
        if name != "guess" {
            assert!(
                said.contains(&format!("value=\"{typed}\"")),
                "{setting}: {page}"
            );
            assert!(said.contains("aria-invalid=\"true\""), "{setting}: {page}");
        }
        assert!(said.contains(">▶ Run</button>"), "{setting}: {page}");
    }
    let both = browser
        .page("/storm/spike?workers=0&attempts=0")
        .await
        .text();
    assert_eq!(both.matches("class=\"why\"").count(), 2, "{both}");
    let unknown = browser.page("/storm/spikes").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert!(unknown.text().contains("did you mean 'spike'?"));
    ui.stop().await.expect("nothing is left");
}

#[tokio::test]
async fn the_settings_of_the_command_line_are_those_of_the_form() {
    let (ui, browser) = serve().await;
    let path = "/storm/spike?seed=3&incident=refusal&calls_per_second=20&workers=4&queue=9\
                &incident_lasts=1.5&refused=0.3&length=15&attempts=4&base=0.1&budget=5\
                &concurrency=8&deadline=4.5&spread=1&backoff=constant";

    let page = ended(&browser, path).await;

    let command = "storm spike --calls-per-second 20 --workers 4 --queue 9 --incident refusal \
                   --incident-lasts 1.5 --refused 0.3 --length 15 --attempts 4 --backoff constant \
                   --base 0.1 --budget 5 --concurrency 8 --deadline 4.5 --spread 1 --seed 3";
    assert!(page.contains(command), "{page}");
    // The row says what it is.
    let yours = "yours<span class=\"soft\">4 attempts, waits of 0.1 s, a budget of 5 tokens";
    assert!(page.contains(yours), "{page}");
    assert!(
        page.contains("Another seed may give other results."),
        "{page}"
    );
    assert!(page.contains("Settings · 14 changed"), "{page}");
    ui.stop().await.expect("nothing is left");
}

#[tokio::test]
async fn a_storm_that_goes_on_is_live_and_can_be_cancelled_and_started_again() {
    let (ui, browser) = serve().await;

    let page = browser.page(ENDLESS).await.text();
    assert!(page.contains("data-changes=\"in-progress\""), "{page}");
    assert!(page.contains("The storm goes on."), "{page}");
    assert!(
        page.contains("http-equiv=\"refresh\""),
        "a page without a stream reloads itself"
    );
    assert!(!page.contains("Another seed"), "{page}");

    let form = "calls_per_second=1000&length=600";
    let cancelled = browser.submit("/storm/spike/cancel", form).await;
    assert_eq!(cancelled.headers["location"], ENDLESS);
    let page = ended(&browser, ENDLESS).await;
    for part in [
        "The storm was cancelled.",
        "</span> cancelled</span>",
        ">Run again</button>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }

    let again = browser.submit("/storm/spike", form).await;
    assert_eq!(again.headers["location"], ENDLESS);
    let page = browser.page(ENDLESS).await.text();
    assert!(page.contains("data-changes=\"in-progress\""), "{page}");
    let wrong = browser.submit("/storm/spike/cancel", "workers=0").await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    ui.stop().await.expect("it ends with the page");
}

#[tokio::test]
async fn predict_first_shows_no_ending_before_a_guess() {
    let (ui, browser) = serve().await;
    // A storm that is kept is hidden, too.
    ended(&browser, SHORT).await;
    let hidden = format!("{SHORT}&predict");
    let stories = STORIES
        .iter()
        .map(|story| format!("/storm/{}?predict", story.name));
    for path in stories.chain([hidden]) {
        let page = browser.page(&path).await.text();

        for ending in ENDINGS {
            assert!(!page.contains(ending), "{path}: {ending} in {page}");
        }
        assert!(page.contains(">▶ Run</button>"), "{path}");
        let asks = page.contains("does the service recover?");
        let shows = page.contains("name=\"guess\" value=\"none\"");
        assert!(asks != shows, "{path}: {page}");
        // Its steps show nothing either.
        for step in [1, 2, 9] {
            let path = path.replace("predict", &format!("step={step}&present&predict"));
            let page = browser.page(&path).await.text();
            for ending in ENDINGS {
                assert!(!page.contains(ending), "{path}: {ending} in {page}");
            }
            assert!(
                page.contains("1 of ") && page.contains(">▶ Run</button>"),
                "{path}: {page}"
            );
        }
    }

    let guessed = format!("{SHORT}&guess=ok-down-ok-down&predict");
    let page = ended(&browser, &guessed).await;
    assert!(
        page.contains("fill-good") && page.contains("median"),
        "{page}"
    );
    ui.stop().await.expect("nothing is left");
}

#[tokio::test]
async fn a_presentation_reveals_row_by_row_then_the_words_then_the_lesson() {
    let (ui, browser) = serve().await;
    let story = "/storm/spike";
    ended(&browser, story).await;
    let step = |step: usize| format!("{story}?step={step}&present&plan=45&stop=1");

    let first = browser.page(&step(1)).await.text();
    assert!(
        first.contains("1 of 7") && first.contains(">▶ Run</button>"),
        "{first}"
    );
    assert!(!first.contains("fill-good"), "{first}");
    for rows in 1..=4 {
        let page = browser.page(&step(rows + 1)).await.text();
        assert_eq!(page.matches("fill-good\"><rect").count(), rows, "{page}");
        for word in ["ok after", "DOWN", "What it shows"] {
            assert!(!page.contains(word), "{rows}: {word} in {page}");
        }
        let next = format!(
            "href=\"{}\" aria-keyshortcuts=\"ArrowRight\"",
            step(rows + 2)
        );
        assert!(
            page.contains(&next.replace('&', "&amp;")),
            "{next} in {page}"
        );
    }
    let words = browser.page(&step(6)).await.text();
    assert!(
        words.contains("ok after") && words.contains("DOWN"),
        "{words}"
    );
    assert!(!words.contains("What it shows"), "{words}");
    let last = browser.page(&step(7)).await.text();
    assert!(
        last.contains("What it shows. </b>Retries are load"),
        "{last}"
    );
    assert!(last.contains("Next stop ›"), "{last}");
    // A step too far is the last one.
    let beyond = browser.page(&step(99)).await.text();
    assert!(beyond.contains("7 of 7"), "{beyond}");
    ui.stop().await.expect("nothing is left");
}
