//! Runs that a person ends: what is left of them, and what is not.

use runner::{NAIVE, RELIABLE};
use std::{future::ready, net::TcpListener, sync::Arc, time::Duration};

use evidence::{Client, Ending, Overrides, Pace, Run, trace::SpanName};
use runner::{Settings, run_until, scenario};
use tokio::{runtime::Handle, sync::Notify, task::yield_now, time::timeout};
use tracing::{Subscriber, span};
use tracing_subscriber::{
    Layer,
    layer::{Context, Identity},
};

/// A test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// Tells when a span of this name opens.
struct Opens(&'static str, Arc<Notify>);

impl<S: Subscriber> Layer<S> for Opens {
    fn on_new_span(&self, span: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        if span.metadata().name() == self.0 {
            self.1.notify_one();
        }
    }
}

/// Plays a scenario in real time, patiently, and cancels it once a span of this
/// name has opened.
async fn cancelled_in(name: &str, client: Client, span: &'static str) -> Run {
    let settings = Settings {
        seed: 7,
        client,
        pace: Pace::Real,
        overrides: Overrides {
            max_retry_after: Some(Duration::from_secs(120)),
            ..Overrides::default()
        },
    };
    let scenario = scenario::find(name).expect("known");
    let opened = Arc::new(Notify::new());
    let layer = Opens(span, Arc::clone(&opened));
    let run = run_until(opened.notified(), layer, scenario, &settings);
    run.await.expect("a run")
}

/// Waits until no task is left but those that were there before.
async fn settle(before: usize) {
    let alive = || Handle::current().metrics().num_alive_tasks();
    let settled = timeout(PATIENCE, async {
        while alive() > before {
            yield_now().await;
        }
    });
    let settled = settled.await;
    assert!(settled.is_ok(), "{} tasks are left", alive() - before);
}

#[tokio::test]
async fn a_wait_of_two_minutes_ends_at_once_and_nothing_goes_on() {
    let before = Handle::current().metrics().num_alive_tasks();

    let run = cancelled_in("retry-later", RELIABLE, "wait").await;

    assert_eq!(run.outcome.ending, Ending::Cancelled);
    assert_eq!(run.outcome.text, "cancelled after 1 request");
    assert_eq!((run.ledger.total, run.verdict.len()), (1, 0));
    let spans = run.traces.iter().flat_map(|trace| &trace.spans);
    let (mut waits, mut ports) = (Vec::new(), Vec::new());
    for span in spans {
        waits.extend((span.name == SpanName::Wait).then_some(span.end));
        ports.extend(span.fields.number("server.port"));
    }
    assert!(matches!(waits[..], [Some(_)]), "{waits:?}");
    let words = &scenario::find("retry-later").expect("known").words;
    let text = render::text(words, &run, None, &render::Options::default());
    for shown in [
        text.clone(),
        render::html(words, &run, None, &runner::metrics()),
        render::table(std::slice::from_ref(&run), &render::Options::default()),
    ] {
        assert!(shown.contains("cancelled"), "{shown}");
        assert!(!shown.contains("expectations held"), "{shown}");
        assert!(!shown.contains('✓'), "{shown}");
    }
    assert!(text.contains("wait 120 s, cut off after "), "{text}");
    for port in ports {
        let port = u16::try_from(port).expect("a port");
        TcpListener::bind(("127.0.0.1", port)).expect("a port that is free again");
    }
    settle(before).await;
}

/// Whatever stands between client and service, and whatever it was about to do.
#[tokio::test]
async fn every_kind_of_run_can_be_cancelled() {
    let before = Handle::current().metrics().num_alive_tasks();

    for (name, client) in [
        ("read-timeout", RELIABLE),
        ("read-timeout", NAIVE),
        ("lost-response", RELIABLE),
        ("connection-refused", RELIABLE),
        ("tls-refused", RELIABLE),
        ("too-many-requests", RELIABLE),
        ("too-many-requests", NAIVE),
        ("resumed-crawl", RELIABLE),
        ("oversized-body", RELIABLE),
    ] {
        let run = cancelled_in(name, client, "attempt").await;

        assert_eq!(run.outcome.ending, Ending::Cancelled, "{name}");
    }
    settle(before).await;
}

#[tokio::test]
async fn a_run_can_be_cancelled_before_it_has_begun() {
    let settings = Settings {
        seed: 7,
        client: RELIABLE,
        pace: Pace::Virtual,
        overrides: Overrides::default(),
    };
    let scenario = scenario::find("items").expect("known");

    let run = run_until(ready(()), Identity::new(), scenario, &settings).await;

    assert_eq!(run.expect("a run").outcome.ending, Ending::Cancelled);
}

#[cfg(unix)]
mod by_ctrl_c {
    use std::{
        fs,
        io::{BufRead, BufReader, Read},
        process::{Child, Command, Stdio},
    };

    use serde_json::Value;

    /// What the command leaves behind.
    struct Ended {
        code: Option<i32>,
        stdout: String,
    }

    fn interrupt(lab: &Child) {
        let pid = lab.id().to_string();
        let kill = Command::new("kill").args(["-INT", &pid]).status();
        assert!(kill.expect("kill runs").success());
    }

    /// Plays a service that asks for two minutes, and presses Ctrl+C once it has
    /// done so.
    fn ended(arguments: &[&str]) -> Ended {
        let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"))
            .args(["scenario", "--max-retry-after", "120", "--pace", "real"])
            .args(arguments)
            .env("LC_ALL", "C.UTF-8")
            .env("RUST_LOG", "info")
            .env_remove("OTEL_EXPORTER_OTLP_ENDPOINT")
            .env_remove("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("lab runs");
        let mut log = BufReader::new(lab.stderr.take().expect("a pipe")).lines();
        log.find(|line| {
            line.as_ref()
                .is_ok_and(|line| line.contains(" client: close"))
        })
        .expect("an attempt that has ended")
        .expect("text");

        interrupt(&lab);

        log.for_each(drop);
        let mut stdout = String::new();
        let mut pipe = lab.stdout.take().expect("a pipe");
        pipe.read_to_string(&mut stdout).expect("text");
        let code = lab.wait().expect("a status").code();
        Ended { code, stdout }
    }

    #[test]
    fn a_run_ends_with_what_there_is_and_130() {
        let folder = tempfile::tempdir().expect("a folder");
        let report = folder.path().join("report.html");
        let file = report.to_str().expect("UTF-8");

        let lab = ended(&["retry-later", "--report", file]);

        assert_eq!(lab.code, Some(130), "{}", lab.stdout);
        for part in [
            "attempt 1   503 Service Unavailable",
            "outcome   cancelled after 1 request",
            "wire      the service saw 1 request; the client counted 1",
            "! cancelled before its end, so nothing is judged",
        ] {
            assert!(
                lab.stdout.contains(part),
                "{part:?} is missing in\n{}",
                lab.stdout
            );
        }
        let report = fs::read_to_string(report).expect("a report");
        assert!(report.contains("cancelled after 1 request"));
    }

    #[test]
    fn a_run_as_json_says_that_it_was_cancelled() {
        let lab = ended(&["retry-later", "--json"]);

        let run: Value = serde_json::from_str(&lab.stdout).expect("JSON");
        assert_eq!(lab.code, Some(130));
        assert_eq!(run["outcome"]["ending"], "cancelled");
        assert_eq!(run["verdict"], Value::Array(vec![]));
    }

    #[test]
    fn the_course_ends_with_the_scenario_that_was_cancelled() {
        let lab = ended(&["all", "--filter", "retry-"]);

        assert_eq!(lab.code, Some(130), "{}", lab.stdout);
        let told = "0 as expected; the last was cancelled, and nothing after it was played";
        assert!(lab.stdout.contains(told), "{}", lab.stdout);
    }

    #[test]
    fn half_a_comparison_is_shown_as_the_run_it_is() {
        let text = ended(&["retry-later", "--compare"]);
        let json = ended(&["retry-later", "--compare", "--json"]);

        assert_eq!((text.code, json.code), (Some(130), Some(130)));
        assert!(!text.stdout.contains("The naive client"), "{}", text.stdout);
        assert!(
            text.stdout.contains("cancelled after 1 request"),
            "{}",
            text.stdout
        );
        let runs: Vec<Value> = serde_json::from_str(&json.stdout).expect("JSON");
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0]["outcome"]["ending"], "cancelled");
    }
}
