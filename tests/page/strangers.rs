//! Another web site cannot use the lab.

use serde_json::{Value, json};
use testkit::{http::raw, responding};

use crate::stage::{Browser, Lab, PROJECTOR};

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
