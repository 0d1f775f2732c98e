//! Another web site cannot use the lab.

use serde_json::json;
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
async fn another_web_site_moves_no_lesson_and_starts_no_run() {
    let lab = Lab::start();
    let urls = [
        format!("http://{}/flaky", lab.service),
        format!("http://{}/live", lab.page),
        format!("http://{}/runs", lab.page),
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
    // A form of another site is refused, too, and one of a sandbox, which has no origin.
    for url in ["runs", "runs/abcdefgh/cancel"] {
        browser
            .go(&format!("http://stranger.example:{}/", stranger()))
            .await;
        browser
            .read(&format!(
                "(() => {{ const form = document.createElement('form');
                    form.method = 'post'; form.action = 'http://{}/{url}';
                    const field = document.createElement('input');
                    field.name = 'scenario'; field.value = 'flaky';
                    form.append(field); document.body.append(form); form.submit(); }})()",
                lab.page
            ))
            .await;
        browser
            .until("document.body.innerText.includes('may change state')")
            .await;
    }
    let runs = format!(
        "GET /api/runs HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        lab.page
    );
    let runs = raw(&lab.page, &runs);
    assert!(runs.ends_with("[]"), "{runs}");
    let flaky = "GET /flaky HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let [.., third] = [(); 3].map(|()| raw(&lab.service, flaky));
    assert!(third.ends_with(r#"{"attempt":3}"#), "{third}");
}
