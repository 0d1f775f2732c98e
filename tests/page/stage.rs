//! The setup of a test: a lab, a driver, a browser, and functions for the actions of a
//! person.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{PATIENCE, files};
use thirtyfour::{
    By, ChromeCapabilities, ChromiumLikeCapabilities, Key, LoggingPrefsLogLevel, WebDriver,
    error::WebDriverErrorInner,
};
use tokio::time::sleep;

/// The size of a small projector.
pub(crate) const PROJECTOR: (u32, u32) = (1280, 720);
/// The size of a small telephone.
pub(crate) const TELEPHONE: (u32, u32) = (390, 844);

/// By how many pixels the page is wider than its window.
pub(crate) const OVER: &str = "document.documentElement.scrollWidth - innerWidth";

/// Another web site, whose name leads to this machine.
const STRANGER: &str = "--host-resolver-rules=MAP stranger.example 127.0.0.1";

/// A process that ends with the test, even if the test fails.
struct Running(Child);

impl Running {
    /// Starts a program, and reads its output until `ready` returns a value; none if the
    /// program ends first.
    fn start<T>(
        command: &mut Command,
        mut ready: impl FnMut(&str) -> Option<T>,
    ) -> Option<(Self, T)> {
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        let mut running = Self(child);
        let output = running.0.stdout.take().expect("it is piped");
        let mut lines = BufReader::new(output).lines();
        let found = lines
            .by_ref()
            .find_map(|line| ready(&line.expect("text")))?;
        // A program without a reader would block at the first full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Some((running, found))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may already have ended, which is fine.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `lab serve` on two free ports.
pub(crate) struct Lab {
    process: Option<Running>,
    /// Where the service listens, as host and port.
    pub(crate) service: String,
    /// Where the page listens, as host and port.
    pub(crate) page: String,
}

impl Lab {
    pub(crate) fn start() -> Self {
        Self::start_on(["0", "0"], &[])
    }

    /// A lab that grades the client of this command.
    pub(crate) fn grading(command: &[&str]) -> Self {
        Self::start_on(["0", "0"], &[&["--"], command].concat())
    }

    /// The same, at each save of this file.
    pub(crate) fn watching(file: &str, command: &[&str]) -> Self {
        Self::start_on(["0", "0"], &[&["--watch", file, "--"], command].concat())
    }

    /// Kills it, as a power cut would.
    pub(crate) fn kill(&mut self) {
        self.process = None;
    }

    /// Kills it if it is running, and starts another in its place.
    pub(crate) fn restart(&mut self) {
        self.kill();
        let port = |address: &str| address.rsplit(':').next().expect("a port").to_owned();
        let ports = [port(&self.service), port(&self.page)];
        *self = Self::start_on([&ports[0], &ports[1]], &[]);
    }

    fn start_on([port, page_port]: [&str; 2], client: &[&str]) -> Self {
        let mut addresses = Vec::new();
        // The program, which `cargo build -p lab` has built.
        let mut command = Command::new(files::build().join("lab"));
        command.args(["serve", "--port", port, "--page-port", page_port]);
        command.args(client);
        let started = Running::start(&mut command, |line| {
            let (_, address) = line.split_once(" started at http://")?;
            addresses.push(address.to_owned());
            <[String; 2]>::try_from(addresses.clone()).ok()
        });
        let (process, [service, page]) = started.expect("the lab is ready");
        Self {
            process: Some(process),
            service,
            page,
        }
    }
}

/// The maximum number of attempts to start a driver: a driver that ends early says
/// nothing about the page.
const TRIES: u32 = 5;

/// A driver on a free port, which keeps its files in this folder.
fn driver(folder: &Path) -> Option<(Running, u16)> {
    let mut command = Command::new("chromedriver");
    command.arg("--port=0").env("TMPDIR", folder);
    Running::start(&mut command, |line| {
        let (_, rest) = line.split_once("started successfully on port ")?;
        rest.trim_end_matches('.').parse().ok()
    })
}

/// A lab, and a browser as wide as a projector that shows one of its pages.
pub(crate) async fn lab_showing(path: &str) -> (Lab, Browser) {
    let lab = Lab::start();
    let browser = Browser::open(PROJECTOR).await;
    browser.show(&lab, path).await;
    (lab, browser)
}

/// A browser with its own driver.
pub(crate) struct Browser {
    driver: WebDriver,
    driver_address: String,
    _process: Running,
    /// Dropped last, when nobody writes into it any more.
    _folder: TempDir,
}

impl Browser {
    pub(crate) async fn open(size: (u32, u32)) -> Self {
        let folder = TempDir::new().expect("a folder");
        let started = (0..TRIES).find_map(|_| driver(folder.path()));
        let (process, port) = started.expect("a driver");
        let driver_address = format!("127.0.0.1:{port}");
        let mut chrome = ChromeCapabilities::new();
        for argument in [
            "--headless",
            "--hide-scrollbars",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            STRANGER,
        ] {
            chrome.add_arg(argument).expect("an argument");
        }
        chrome
            .set_browser_log_level(LoggingPrefsLogLevel::All)
            .expect("a preference");
        // The connection to the driver uses no TLS, but its library needs a crypto
        // provider. Another test may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let driver = WebDriver::new(format!("http://{driver_address}"), chrome)
            .await
            .expect("a session");
        driver
            .set_script_timeout(PATIENCE)
            .await
            .expect("a timeout");
        let browser = Self {
            driver,
            driver_address,
            _process: process,
            _folder: folder,
        };
        browser.resize(size).await;
        browser
    }

    /// Gives the page this size. A browser window cannot be as narrow as a phone, so the browser
    /// emulates one.
    pub(crate) async fn resize(&self, (width, height): (u32, u32)) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.tool("Emulation.setDeviceMetricsOverride", metrics)
            .await;
    }

    /// Uses a developer tool of the browser.
    pub(crate) async fn tool(&self, name: &str, how: Value) -> Value {
        let used = self.driver.cdp().send_raw(name, how).await;
        used.expect(name)
    }

    /// Loads a page of the lab.
    pub(crate) async fn show(&self, lab: &Lab, path: &str) {
        // A change of the fragment alone would not load the page.
        let url = self.driver.current_url().await.expect("an address");
        if url.fragment().is_some() {
            self.go("about:blank").await;
        }
        self.go(&format!("http://{}{path}", lab.page)).await;
    }

    /// Waits until the page listens for changes.
    pub(crate) async fn is_live(&self) {
        self.until("text('#link') === 'live'").await;
    }

    /// Shows the page in a colour scheme.
    pub(crate) async fn in_scheme(&self, scheme: &str) {
        let prefers = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.emulate("", prefers).await;
    }

    pub(crate) async fn go(&self, url: &str) {
        self.driver.goto(url).await.expect("a page");
    }

    pub(crate) async fn reload(&self) {
        self.driver.refresh().await.expect("a page");
    }

    pub(crate) async fn address(&self) -> String {
        let url = self.driver.current_url().await.expect("an address");
        let query = url.query().map(|query| format!("?{query}"));
        format!("{}{}", url.path(), query.unwrap_or_default())
    }

    /// The value of a JavaScript expression. `text(selector)` and `all(selector)` read
    /// the page; `one` and `each` find its elements.
    pub(crate) async fn read(&self, expression: &str) -> Value {
        let script = format!("{HELPERS} return ({expression});");
        let found = self.driver.execute(&script, vec![]).await;
        found.expect("a value").json().clone()
    }

    /// Asserts the value of a JavaScript expression.
    pub(crate) async fn shows(&self, expression: &str, expected: impl Into<Value>) {
        assert_eq!(self.read(expression).await, expected.into(), "{expression}");
    }

    /// Asserts the values of JavaScript expressions.
    pub(crate) async fn shows_all(&self, expected: &[(&str, Value)]) {
        for (expression, expected) in expected {
            self.shows(expression, expected.clone()).await;
        }
    }

    /// Asserts that the text of a JavaScript expression has these parts.
    pub(crate) async fn says(&self, expression: &str, parts: &[&str]) {
        let found = self.read(expression).await;
        let found = found.as_str().expect("a text");
        for part in parts {
            assert!(found.contains(part), "{part:?} is missing in {found:?}");
        }
    }

    /// Waits until an expression is true, and checks it once a frame.
    pub(crate) async fn until(&self, expression: &str) {
        let script = format!(
            "{HELPERS} const done = arguments[arguments.length - 1];
             const look = () => ({expression}) ? done() : requestAnimationFrame(look); look();"
        );
        if let Err(error) = self.driver.execute_async(&script, vec![]).await {
            let page = self.read("text('main')").await;
            let page = page.as_str().unwrap_or_default();
            panic!("never true: {expression}\n{error}\non this page:\n{page}");
        }
    }

    /// The same for a page that is about to be replaced, or has no scripts: the test asks again
    /// and again.
    pub(crate) async fn settles(&self, expression: &str) {
        let script = format!("{HELPERS} return Boolean({expression});");
        let begun = Instant::now();
        loop {
            // While one page makes room for another there is no answer.
            let found = self.driver.execute(&script, vec![]).await;
            if found.is_ok_and(|found| found.json() == true) {
                return;
            }
            if begun.elapsed() > PATIENCE {
                let address = self.driver.current_url().await;
                panic!("never true: {expression}\nat {address:?}");
            }
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until what was asked for is drawn.
    pub(crate) async fn drawn(&self) {
        self.ask("requestAnimationFrame(() => requestAnimationFrame(() => done()))")
            .await;
    }

    /// Waits until an expression has this value.
    pub(crate) async fn becomes(&self, expression: &str, expected: impl Into<Value>) {
        let expected = Value::from(expected.into().to_string());
        let is_it = format!("JSON.stringify({expression}) === {expected}");
        self.until(&is_it).await;
    }

    /// Runs JavaScript that calls `done` with its result.
    pub(crate) async fn ask(&self, script: &str) -> Value {
        let script = format!("{HELPERS} const done = arguments[arguments.length - 1]; {script}");
        let found = self.driver.execute_async(&script, vec![]).await;
        found.expect("a result").json().clone()
    }

    /// Types on the keyboard, into the focused element.
    pub(crate) async fn press(&self, keys: impl Into<String>) {
        let chain = self.driver.action_chain().send_keys(keys.into());
        chain.perform().await.expect("keys");
    }

    /// Presses a key that leads to another page, and waits for it.
    ///
    /// The driver's own way, as that of `press` and of `read`, is done again in the next page if
    /// that comes before it has ended, and so may go two steps.
    pub(crate) async fn press_on(&self, key: &str) {
        self.read("window.isBefore = true").await;
        let (text, code) = match key {
            "Enter" => ("\r", 13),
            key if key.chars().count() == 1 => (key, 0),
            _ => ("", 0),
        };
        let down =
            json!({ "type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": code });
        self.tool("Input.dispatchKeyEvent", down).await;
        self.arrives().await;
    }

    /// Goes back to the page before.
    pub(crate) async fn back(&self) {
        self.driver.back().await.expect("a page");
    }

    /// Waits until the page that was marked as the one before has made room for the next.
    async fn arrives(&self) {
        self.settles("!window.isBefore && document.readyState === 'complete'")
            .await;
    }

    /// Presses a key without a character.
    pub(crate) async fn press_key(&self, key: Key) {
        self.press(char::from(key)).await;
    }

    /// Clicks an element as soon as nothing lies before it: a page that has just changed may
    /// move it between the look and the click.
    pub(crate) async fn click(&self, selector: &str) {
        // The driver does not wait for a page that scrolls smoothly.
        let there = "scrollIntoView({ behavior: 'instant', block: 'center' })";
        let begun = Instant::now();
        loop {
            self.read(&format!("one(`{selector}`).{there}")).await;
            let element = self.driver.find(By::Css(selector)).await;
            match element.expect(selector).click().await {
                Err(error)
                    if matches!(*error, WebDriverErrorInner::ElementClickIntercepted(_))
                        && begun.elapsed() < PATIENCE =>
                {
                    self.ask("requestAnimationFrame(done)").await;
                }
                clicked => return clicked.expect("a click"),
            }
        }
    }

    /// Presses the button of a form, and waits for the page to which it leads.
    pub(crate) async fn submit(&self, button: &str) {
        self.read("window.isBefore = true").await;
        self.click(button).await;
        self.arrives().await;
    }

    /// The browser's console: errors, and violations of the policy.
    pub(crate) async fn complaints(&self) -> Vec<String> {
        let log = self.driver.browser_log().await.expect("a log");
        log.into_iter().map(|entry| entry.message).collect()
    }

    /// Emulates a medium, such as `print`, and features of a media query.
    pub(crate) async fn emulate(&self, media: &str, features: Value) {
        let how = json!({ "media": media, "features": features });
        self.tool("Emulation.setEmulatedMedia", how).await;
    }

    /// The page as a picture, small enough for a README.
    pub(crate) async fn picture(&self) -> String {
        let how = json!({ "format": "webp", "quality": 55 });
        let picture = self.tool("Page.captureScreenshot", how).await;
        picture["data"].as_str().expect("base64").to_owned()
    }
}

impl Drop for Browser {
    /// Ends the session, because otherwise the browser would outlive its driver. The
    /// driver's own library would need the runtime, which is blocked at this time.
    fn drop(&mut self) {
        let session = self.driver.handle().session_id().clone();
        let request = format!(
            "DELETE /session/{session} HTTP/1.1\r\nHost: {}\r\n\r\n",
            self.driver_address
        );
        let mut wire = TcpStream::connect(&self.driver_address).expect("the driver listens");
        wire.write_all(request.as_bytes()).expect("a request");
        // The response comes once the browser has ended, and the connection stays open.
        wire.read_exact(&mut [0]).expect("a response");
        let _ = self.driver.clone().leak();
    }
}

/// The functions with which tests read the page.
const HELPERS: &str = "
    const one = (selector) => document.querySelector(selector);
    const each = (selector) => [...document.querySelectorAll(selector)];
    const all = (selector) => each(selector).map((it) => it.innerText.trim());
    const text = (selector) => one(selector)?.innerText.trim();";
