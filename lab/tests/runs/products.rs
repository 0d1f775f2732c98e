//! Where one product names another: tasks and stories lead to scenarios and rules.

use judge::rules;
use scenario::catalogue::{self, CATALOGUE};
use storm::STORIES;

/// Where a client from outside meets what a scenario shows: in which case of which
/// task. A part of the name of the case is enough.
const MET: [(&str, &str, &str); 28] = [
    ("items", "read-all", "pages of records"),
    ("flaky", "flaky", "503 twice, then 200"),
    ("flaky-gives-up", "down", "503 for ever"),
    ("retry-after-seconds", "retry-after", "Retry-After: 2, "),
    ("retry-after-date", "retry-at", "a future date, "),
    ("retry-after-past-date", "retry-at", "has passed"),
    ("retry-after-unusable", "retry-at", "Retry-After: soon"),
    ("retry-later", "maintenance", "Retry-After of minutes"),
    // A case has an end, and this wait is longer than what is left.
    ("deadline", "maintenance", "Retry-After of minutes"),
    ("bad-json", "invalid-body", "JSON that breaks off"),
    ("text-json", "invalid-body", "media type text/plain"),
    ("bad-items", "invalid-body", "item that is not an object"),
    ("bad-cursor", "invalid-body", "a cursor that is a number"),
    ("no-content", "no-body", "204"),
    ("redirect", "no-body", "302"),
    ("not-found", "refused", "404"),
    ("looping-items", "loop", "two cursors in turn"),
    ("endless-items", "long-list", "pages without an end"),
    ("create-job", "create", "503, then 201"),
    // A client that sends one key with both bodies gets a 409.
    ("conflict", "create", "503, then 201"),
    ("replay", "lost-response", "the job is created"),
    ("lost-response", "lost-response", "connection breaks"),
    ("post-without-permission", "post-once", "503"),
    ("read-timeout", "silence", "silence, then 200"),
    ("reset", "invalid-body", "only half sent"),
    ("oversized-body", "unbounded", "its length announced"),
    ("too-many-requests", "crowded", "room for four at once"),
    ("retry-budget", "many-calls", "twelve fail once"),
];

/// Scenarios in which the service does nothing that a case does not, and why no case
/// shows the rest.
const EXCUSED: [(&str, &str); 4] = [
    (
        "item-cap",
        "the service is as in read-all: the cap is a setting of the client",
    ),
    (
        "connection-refused",
        "no request arrives that could be judged",
    ),
    ("tls-refused", "no request arrives that could be judged"),
    (
        "resumed-crawl",
        "the service is as in read-all: it is the client that is killed and begins again, \
         and a case runs one process",
    ),
];

#[test]
fn every_fault_of_the_course_can_be_met_from_outside() {
    for (scenario, task, name) in MET {
        let task = grade::find(task).expect("a task");
        assert!(
            task.case_names().any(|case| case.contains(name)),
            "{scenario}: {name}"
        );
    }

    let met = MET.iter().map(|(scenario, ..)| *scenario);
    let excused = EXCUSED.iter().map(|(scenario, _)| *scenario);
    let mut named: Vec<_> = met.chain(excused).collect();
    named.sort_unstable();
    let scenarios = CATALOGUE.iter().map(|scenario| scenario.words.name);
    let mut scenarios: Vec<_> = scenarios.collect();
    scenarios.sort_unstable();
    assert_eq!(named, scenarios);
}

#[test]
fn every_task_leads_to_a_scenario() {
    for task in grade::TASKS {
        let scenario = task.words.scenario;

        assert!(catalogue::find(scenario).is_ok(), "{scenario}");
    }
}

#[test]
fn every_story_leads_to_a_scenario_and_a_rule() {
    for story in STORIES {
        let scenario = story.scenario;

        assert!(catalogue::find(scenario).is_ok(), "{scenario}");
        assert!(rules::find(story.rule).is_some(), "{}", story.rule);
    }
}
