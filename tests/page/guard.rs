//! The page works for any address and shows text from outside as text; another web site
//! cannot use the lab.

use serde_json::{Value, json};
use testkit::{http::raw, responding};

use crate::stage::{Browser, Lab, PROJECTOR};

/// For any address, the page shows a scenario, follows the feed, and reports what it
/// could not find.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_page_works_for_any_address() {
    let lab = Lab::start();
    let browser = Browser::open(PROJECTOR).await;
    let unknown = "no such run; only the newest are kept";

    for (address, problem) in [
        ("/", ""),
        ("/#", ""),
        ("/#flaky", ""),
        ("/#%66laky", ""),
        ("/#%", "No scenario is called '%'."),
        ("/#100%25", "No scenario is called '100%'."),
        ("/#%E0%A4%A", "No scenario is called '%E0%A4%A'."),
        ("/#%ff%fe", "No scenario is called '%ff%fe'."),
        ("/#%C3%A9", "No scenario is called 'é'."),
        ("/#flaky%00", "No scenario is called 'flaky\u{0}'."),
        ("/#__proto__", "No scenario is called '__proto__'."),
        ("/#constructor", "No scenario is called 'constructor'."),
        ("/#flaky#items", "No scenario is called 'flaky#items'."),
        (
            "/#<img src=x onerror=document.title='owned'>",
            "No scenario is called '<img src=x onerror=document.title='owned'>'.",
        ),
        ("/?%=%#flaky", ""),
        ("/runs/abcdefgh", unknown),
        ("/runs/%", unknown),
        ("/runs/%ff", unknown),
        ("/runs/%2e%2e%2fapi", unknown),
        ("/runs/__proto__", unknown),
        ("/runs/<img src=x>", unknown),
        ("/runs/abcdefgh#flaky", unknown),
        ("/nowhere", "There is no page /nowhere."),
        ("/%3Cb%3E", "There is no page /<b>."),
    ] {
        // A change of the fragment alone would not reload the page.
        browser.go("about:blank").await;
        browser.go(&format!("http://{}{address}", lab.page)).await;

        browser
            .until("text('#link') === 'live' && text('.choose[aria-current] .name') && text('#question')")
            .await;
        let shown = "one('#problem').textContent";
        browser.becomes(shown, problem).await;
    }

    let mut complaints = browser.complaints().await;
    complaints.retain(|complaint| complaint.contains("Uncaught"));
    assert_eq!(complaints, [""; 0]);
}

/// Everything with which a web site can send a request to `urls`, from its own origin and
/// from the origin `null` of a sandbox. It is over when each try has ended.
const TRIES: &str = "
    const ended = (it, ...names) => new Promise((then) => names.forEach((name) => it.addEventListener(name, then)));
    const shown = (name, members) => {
        const element = Object.assign(document.createElement(name), members);
        document.body.append(element);
        return ended(element, 'load', 'error');
    };
    const tries = (url) => [
        ended(new WebSocket(url.replace('http', 'ws')), 'close'),
        ended(new EventSource(url), 'error'),
        fetch(url).catch(() => {}),
        fetch(url, { mode: 'no-cors', credentials: 'include' }).catch(() => {}),
        fetch(url, { mode: 'no-cors', method: 'POST', body: '{}' }).catch(() => {}),
        shown('img', { src: url }),
        shown('script', { src: url }),
        shown('link', { rel: 'stylesheet', href: url }),
        shown('iframe', { src: url }),
    ];
    const everything = (urls) => Promise.all(urls.flatMap(tries));";

/// Another web site, until the end of the process: its port.
fn stranger() -> u16 {
    let url =
        responding("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<body>");
    let (_, port) = url.rsplit_once(':').expect("a port");
    port.parse().expect("a number")
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn another_web_site_moves_no_lesson_and_no_case() {
    let lab = Lab::start();
    let to_page = |method: &str, path: &str| {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\n\
             Content-Length: 0\r\nConnection: close\r\n\r\n",
            lab.page
        );
        let response = raw(&lab.page, &request);
        let (_, body) = response.split_once("\r\n\r\n").expect("a body");
        serde_json::from_str::<Value>(body).expect("JSON")
    };
    to_page("POST", "/api/card");
    let card = to_page("GET", "/api/card");
    let case = card["cases"][1]["url"].as_str().expect("a URL");
    let urls = [
        format!("http://{}/flaky", lab.service),
        format!("http://{}/api/events", lab.page),
        case.to_owned(),
    ];
    let browser = Browser::open(PROJECTOR).await;
    browser
        .go(&format!("http://stranger.example:{}/", stranger()))
        .await;

    let sandbox = format!(
        "<body><script>{TRIES} everything({}).then(() => parent.postMessage('over', '*'))</script>",
        json!(urls)
    );
    let over = browser
        .ask(&format!(
            "{TRIES}
             const sandbox = document.createElement('iframe');
             sandbox.setAttribute('sandbox', 'allow-scripts');
             sandbox.srcdoc = {};
             document.body.append(sandbox);
             Promise.all([ended(window, 'message'), everything({})]).then(() => done(origin));",
            json!(sandbox),
            json!(urls)
        ))
        .await;

    assert!(
        over.as_str()
            .is_some_and(|text| text.contains("stranger.example"))
    );
    let flaky = "GET /flaky HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let [.., third] = [(); 3].map(|()| raw(&lab.service, flaky));
    assert!(third.ends_with(r#"{"attempt":3}"#), "{third}");
    assert_eq!(to_page("GET", "/api/card"), card);
}
