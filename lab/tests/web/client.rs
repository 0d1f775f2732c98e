//! *Your client*: the card of a program on the page.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use grade::TASKS;
use http::{Method, StatusCode};
use lab::web::GradedProgram;
use process::ClientCommand;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use testkit::{PATIENCE, files::example};

use crate::{
    program,
    web::{pages::main_text, support::serve_grading},
};

const SEED: u64 = 7;

/// The heading of the policy under load.
const UNDER_LOAD: &str = "This policy under load";

/// Before the endings of its storm.
const ENDINGS: &str = "In a spike of many such clients";

/// What the page offers once a card is over.
const OVER: &str = "Grade again";

/// A script in a folder of its own, which is graded.
struct Script {
    folder: TempDir,
}

impl Script {
    fn new(text: &str) -> Self {
        let folder = tempdir().expect("a folder");
        let script = Self { folder };
        script.save(text);
        script
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("its-client.sh")
    }

    fn save(&self, text: &str) {
        fs::write(self.file(), text).expect("written");
    }

    /// It runs the reference client in these tasks, and skips the others.
    fn does(tasks: &str) -> String {
        let (client, skip) = (example("reliable"), r#"echo '{"skip": true}'"#);
        format!("case $LAB_TASK in {tasks}) exec {client};; *) {skip};; esac\n")
    }

    /// Graded at once and at each save.
    fn watched(&self) -> GradedProgram {
        program_of(&["sh", path(&self.file())], Some(&self.file()))
    }

    /// Graded when the page asks for it.
    fn on_request(&self) -> GradedProgram {
        program_of(&["sh", path(&self.file())], None)
    }
}

fn path(file: &Path) -> &str {
    file.to_str().expect("Unicode")
}

fn program_of(command: &[&str], watched: Option<&Path>) -> GradedProgram {
    let command = ClientCommand::new(command.iter().map(OsString::from)).expect("a command");
    GradedProgram::new(command, watched, SEED, |_| ()).expect("files that exist")
}

/// The text of a row of the table: the task, its goal and its rules.
fn row(page: &str, task: &str) -> String {
    let rows = page.split("<tr role=\"row\">");
    let rows = rows.filter_map(|row| Some(row.split_once("</tr>")?.0));
    let mut rows = rows.map(|row| main_text(&format!("<main >{row}</main>")));
    let row = rows.find(|row| {
        row.trim_start_matches('▶')
            .starts_with(&format!("{task}\n"))
    });
    row.expect(task).replace('\n', " ")
}

/// The row that the page must have for a task of a printed card.
fn expected_row(task: &Value) -> String {
    let rules = task["rules"].as_array().expect("rules");
    let with = |verdicts: &[&str]| {
        let is_one = |rule: &&Value| verdicts.contains(&rule["verdict"].as_str().expect("text"));
        rules.iter().filter(is_one).collect::<Vec<_>>()
    };
    let broken = with(&["broken"]).into_iter();
    let broken = broken.map(|rule| format!(" ✗ {}", rule["id"].as_str().expect("an id")));
    let counts = [
        ("✓", "kept", with(&["kept"]).len()),
        ("?", "not told", with(&["cannot_tell"]).len()),
        (
            "·",
            "not exercised",
            with(&["not_exercised", "skipped"]).len(),
        ),
    ];
    let counts = counts.iter().filter(|(.., count)| *count > 0);
    let counts = counts.map(|(sign, words, count)| format!(" {sign} {count} {words}"));
    let goal = task["goal"]["verdict"].as_str().expect("a verdict");
    let sign = match goal {
        "reached" => "✓",
        "missed" | "crashed" => "✗",
        _ => "·",
    };
    let goal = goal.replace('_', " ");
    let name = task["task"].as_str().expect("a name");
    let rules: String = broken.chain(counts).collect();
    format!("{name} {sign} {goal}{rules}")
}

/// The card that `lab grade --all --json` prints.
fn printed_card(client: &[&str]) -> Value {
    let mut lab = program::lab();
    lab.args([
        "grade",
        "--all",
        "--json",
        "--seed",
        &SEED.to_string(),
        "--",
    ]);
    let printed = lab.args(client).output().expect("lab runs").stdout;
    serde_json::from_slice(&printed).expect("a card")
}

/// Compares the card on the page with the printed one. The rules about waits may be judged
/// differently if one of both cannot tell.
async fn assert_same_card(client: &[&str]) {
    let (dashboard, browser) = serve_grading(Some(program_of(client, None))).await;
    browser.submit("/client/start", "").await;
    let page = browser.client_with(OVER).await;
    dashboard.stop().await.expect("a stop");
    let card = printed_card(client);

    let tasks = card["tasks"].as_array().expect("tasks");
    assert_eq!(tasks.len(), TASKS.len());
    for task in tasks {
        let row = row(&page, task["task"].as_str().expect("a name"));
        let row = row.trim_start_matches('▶').trim();
        let is_untold = task.to_string().contains("cannot_tell") || row.contains("not told");
        if !is_untold {
            assert_eq!(row, expected_row(task), "{client:?}");
        }
    }
    // Its numbers are those of its rows.
    let text = main_text(&page);
    for (words, sign) in [
        ("kept", "✓"),
        ("broken", "✗"),
        ("not told", "?"),
        ("not exercised", "·"),
    ] {
        let in_rows: usize = TASKS
            .iter()
            .map(|task| {
                let row = row(&page, task.words.name);
                if words == "broken" {
                    // The first sign may be that of the goal.
                    let rules = row
                        .split_once(['✓', '✗', '·'])
                        .map_or("", |(_, rules)| rules);
                    return rules.matches("✗ ").count();
                }
                let before = row
                    .split_once(&format!(" {words}"))
                    .map_or("0", |(before, _)| before);
                let count = before.rsplit(' ').next().expect("a word");
                count.parse().unwrap_or(0)
            })
            .sum();
        assert!(
            text.contains(&format!("{sign} {in_rows}{words}")),
            "{words}: {in_rows}\n{text}"
        );
    }
}

#[tokio::test]
async fn the_page_and_the_command_line_have_the_same_card() {
    let script = Script::new(&Script::does("read-all|invalid-body|refused|create-twice"));

    assert_same_card(&["sh", path(&script.file())]).await;
    assert_same_card(&[&example("habits"), "guesses"]).await;
}

/// The clients of the folder, each with what runs it.
#[tokio::test]
#[ignore = "needs the clients of lab/clients, and takes half an hour"]
async fn the_page_and_the_command_line_have_the_same_card_of_real_clients() {
    let root = testkit::files::root().join("lab/clients");
    let file = |name: &str| path(&root.join(name)).to_owned();
    let reqwest = example("reqwest_client");
    for client in [
        &["python3", &*file("clients.py"), "urllib"][..],
        &["node", &file("clients.mjs"), "fetch"],
        &["sh", &file("clients.sh"), "curl"],
        &["sh", &file("clients.sh"), "wget"],
        &["ruby", &file("clients.rb"), "net-http"],
        &["java", &file("Clients.java"), "jdk"],
        &[&reqwest, "reqwest"],
        &[&reqwest, "reqwest-retry"],
        &["python3", &file("correct/client.py")],
        &["node", &file("correct/client.mjs")],
    ] {
        assert_same_card(client).await;
    }
}

#[tokio::test]
async fn the_card_shows_the_next_task_with_its_evidence_and_names_no_program() {
    let script = Script::new(&Script::does("read-all"));
    let (_dashboard, browser) = serve_grading(Some(script.watched())).await;

    let page = browser.client_with(OVER).await;

    assert_eq!(row(&page, "read-all"), "read-all ✓ reached ✓ 4 kept");
    assert_eq!(row(&page, "flaky"), "▶flaky · skipped · 3 not exercised");
    let text = main_text(&page);
    assert!(text.contains("▶ Next: flaky\ntask 2 of 22"), "{text}");
    assert!(
        text.contains("Your client skips it. Build it next"),
        "{text}"
    );
    let other = browser.page("/client?task=read-all").await.text();
    assert!(main_text(&other).contains("task 1 of 22"), "{other}");
    for page in [&page, &other] {
        assert!(!page.contains("its-client"), "it names the program: {page}");
        // It says what a policy still needs.
        let (_, policy) = page.split_once(UNDER_LOAD).expect("a policy");
        assert!(policy.contains("/client?task=silence"), "{policy}");
    }
    let unknown = browser.page("/client?task=flakey").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert!(unknown.text().contains("did you mean"));
    let overview = main_text(&browser.page("/").await.text());
    assert!(overview.contains("1 of 22 goals"), "{overview}");
    assert!(overview.contains("Next: flaky"), "{overview}");
}

/// Whether a process of this number runs.
fn runs(process: &str) -> bool {
    testkit::process::runs(process.trim().parse().expect("a number"))
}

/// Waits until a condition holds.
async fn until(what: &str, condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A client that writes its number to a file, and goes on. Those that have begun, by their
/// numbers.
fn that_goes_on(pids: &Path) -> String {
    format!("echo $$ >>{}; sleep 60 & echo $! >>{0}; wait", path(pids))
}

fn begun(pids: &Path) -> Vec<String> {
    let pids = fs::read_to_string(pids).unwrap_or_default();
    pids.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_save_during_a_card_begins_anew_and_leaves_nothing_of_the_old_client() {
    let script = Script::new("");
    let pids = script.folder.path().join("pids");
    script.save(&that_goes_on(&pids));
    let (_dashboard, browser) = serve_grading(Some(script.watched())).await;
    until("a client has begun", || !begun(&pids).is_empty()).await;
    assert!(main_text(&browser.page("/client").await.text()).contains("0 of 22 tasks so far"));

    script.save(&Script::does("none"));

    let page = browser.client_with(OVER).await;
    assert_eq!(
        row(&page, "read-all"),
        "▶read-all · skipped · 4 not exercised"
    );
    // No card was complete before it.
    assert!(!page.contains("What changed"), "{page}");
    until("the old clients have ended", || {
        begun(&pids).iter().all(|process| !runs(process))
    })
    .await;
}

#[tokio::test]
async fn a_crash_after_a_save_is_seen_at_once_with_its_stderr_and_the_lost_goal() {
    let script = Script::new(&Script::does("read-all|refused"));
    let (_dashboard, browser) = serve_grading(Some(script.watched())).await;
    browser.client_with(OVER).await;

    let crashes = "echo '<oops> line 3' >&2; exit 1";
    let pids = script.folder.path().join("pids");
    // The first client crashes, and all others go on.
    let first = format!("mkdir {}.d && {{ {crashes}; }}", path(&pids));
    script.save(&format!("{first}; {}", that_goes_on(&pids)));

    // The next task is the first to be graded, and shows its first crash.
    let page = browser.client_with("&lt;oops&gt; line 3").await;
    let text = main_text(&page);
    assert!(text.contains("▶ Next: flaky"), "{text}");
    assert!(
        text.contains("✗ crashed: no request was sent, exit code 1"),
        "{text}"
    );
    assert!(text.contains("0 of 22 tasks so far"), "{text}");
    script.save(crashes);
    let text = main_text(&browser.client_with(OVER).await);
    let lost = "read-all: ✓ reached → ✗ crashed";
    assert!(text.contains("What changed since the last card"), "{text}");
    assert!(text.contains(lost), "{text}");
    assert!(text.contains("no request was sent, exit code 1"), "{text}");
}

#[tokio::test]
async fn a_card_is_started_and_stopped_by_the_page_itself_and_by_no_other_site() {
    let script = Script::new("");
    let pids = script.folder.path().join("pids");
    script.save(&that_goes_on(&pids));
    let (_dashboard, browser) = serve_grading(Some(script.on_request())).await;
    let post = async |action: &str, site| {
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("sec-fetch-site", site),
        ];
        let path = format!("/client/{action}");
        browser
            .send(Method::POST, &path, &headers, "task=flaky")
            .await
            .status
    };

    assert_eq!(post("start", "cross-site").await, StatusCode::FORBIDDEN);
    let page = browser.page("/client").await.text();
    assert!(main_text(&page).contains("▶ Grade"), "{page}");
    assert_eq!(post("start", "same-origin").await, StatusCode::SEE_OTHER);
    until("a client has begun", || !begun(&pids).is_empty()).await;
    assert_eq!(post("stop", "cross-site").await, StatusCode::FORBIDDEN);
    assert!(
        browser
            .page("/client")
            .await
            .text()
            .contains("0 of 22 tasks so far")
    );
    assert_eq!(post("stop", "same-origin").await, StatusCode::SEE_OTHER);

    let page = browser.page("/client").await.text();
    assert!(
        main_text(&page).contains("stopped after 0 of 22 tasks"),
        "{page}"
    );
    until("the clients have ended", || {
        begun(&pids).iter().all(|process| !runs(process))
    })
    .await;
}

#[tokio::test]
async fn the_end_of_the_web_ui_ends_the_client() {
    let script = Script::new("");
    let pids = script.folder.path().join("pids");
    script.save(&that_goes_on(&pids));
    for is_stopped in [true, false] {
        let (dashboard, _browser) = serve_grading(Some(script.watched())).await;
        until("a client has begun", || !begun(&pids).is_empty()).await;

        if is_stopped {
            dashboard.stop().await.expect("a stop");
        } else {
            drop(dashboard);
        }

        until("the clients have ended", || {
            begun(&pids).iter().all(|process| !runs(process))
        })
        .await;
        fs::remove_file(&pids).expect("removed");
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_not_named() {
    let program = program_of(&["/absent/its-client"], None);
    let (_dashboard, browser) = serve_grading(Some(program)).await;

    browser.submit("/client/start", "").await;

    let page = browser.client_with("could not be run").await;
    let text = main_text(&page);
    let why = "✗ Your client could not be run: it could not be started: No such file or directory";
    assert!(text.contains(why), "{text}");
    assert!(!page.contains("its-client"), "{page}");
    let presented = main_text(&browser.page("/client?present").await.text());
    assert!(presented.contains(why), "{presented}");
}

#[tokio::test]
async fn without_a_program_a_form_starts_nothing() {
    let (_dashboard, browser) = serve_grading(None).await;

    for action in ["start", "stop"] {
        let refused = browser.submit(&format!("/client/{action}"), "").await;

        assert_eq!(refused.status, StatusCode::CONFLICT);
        assert!(
            refused
                .text()
                .contains("only a terminal can name a program")
        );
    }
}

/// The lab's own work may delay both.
#[tokio::test]
async fn a_run_and_a_card_say_that_the_other_one_goes_on() {
    let script =
        Script::new("case $LAB_TASK in flaky) sleep 60;; *) echo '{\"skip\": true}';; esac");
    let (_dashboard, browser) = serve_grading(Some(script.watched())).await;
    let run = browser
        .begin(
            &json!({ "scenario": "retry-later", "settings": { "max_retry_after_seconds": 600 } }),
        )
        .await;
    let graded = "Your client is graded at the same time";

    browser.shown(&run, graded).await;
    let card = browser.page("/client").await.text();
    assert!(card.contains("goes on at the same time"), "{card}");

    browser.submit("/client/stop", "").await;
    let alone = browser.page(&format!("/runs/{run}")).await.text();
    assert!(!alone.contains(graded), "{alone}");
}

#[tokio::test]
async fn a_card_with_retries_shows_their_policy_under_load_once_it_is_complete() {
    let (retries, skip) = (example("habits"), r#"echo '{"skip": true}'"#);
    let script =
        format!("case $LAB_TASK in flaky|down|silence) exec {retries} no-wait;; *) {skip};; esac");
    let script = Script::new(&script);
    // A busy machine cannot always tell the waits.
    for _ in 0..5 {
        let (_dashboard, browser) = serve_grading(Some(script.watched())).await;

        let text = main_text(&browser.client_with(OVER).await);

        let (_, policy) = text.split_once(UNDER_LOAD).expect("a policy");
        assert!(policy.contains("attempts"), "{text}");
        if policy.contains("Cannot tell the waits") {
            continue;
        }
        assert!(policy.contains(ENDINGS), "{text}");
        let hidden = main_text(&browser.page("/client?predict").await.text());
        assert!(hidden.contains(UNDER_LOAD), "{hidden}");
        assert!(!hidden.contains(ENDINGS), "{hidden}");
        return;
    }
    panic!("the waits could never be told");
}

#[tokio::test]
async fn a_presentation_shows_the_numbers_and_then_a_task() {
    let script = Script::new(&Script::does("read-all|refused"));
    let (_dashboard, browser) = serve_grading(Some(script.watched())).await;
    browser.client_with(OVER).await;
    let shown = async |query: &str| {
        let page = browser.page(&format!("/client?present{query}")).await;
        main_text(&page.text())
    };

    let first = shown("").await;
    let [next, done] = [shown("&step=2").await, shown("&step=99&task=refused").await];

    assert!(
        first.contains("2of 22 goals") && first.contains("✓ read-all"),
        "{first}"
    );
    assert!(first.contains("1 of 2"), "{first}");
    assert!(next.contains("▶ Next: flaky"), "{next}");
    // The task that the address names stays when it is done.
    assert!(done.contains("refused\ntask 7 of 22"), "{done}");
    assert!(done.contains("2 of 2"), "{done}");
    // Grading again leads back to the step that was shown.
    let page = browser.page("/client?present&step=2").await.text();
    let (_, form) = page.split_once("<form id=\"start\"").expect("a form");
    let (form, _) = form.split_once("</form>").expect("its end");
    let field = "name=\"step\" value=\"2\"";
    assert!(form.contains(field), "{form}");
    let again = browser.submit("/client/start", "present=&step=2").await;
    assert_eq!(again.headers["location"], "/client?step=2&present");
}
