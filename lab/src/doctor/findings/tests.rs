use std::{collections::BTreeSet, fs, path::Path};

use serde_json::json;

use super::{
    super::{
        facts::Version,
        languages::{GO, NODE, PYTHON},
    },
    *,
};

/// A machine without any problem, dashboards included, except for this change.
fn machine(change: impl FnOnce(&mut Facts)) -> Facts {
    let mut facts = Facts {
        system: "linux",
        service: Port::Free,
        page: Port::Free,
        loopback: Ok(()),
        proxies: Vec::new(),
        languages: languages([Some(Version(3, 12)), Some(Version(22, 1)), None]),
        docker: engine(false),
        prometheus: Probe::Status(200),
        api: Api {
            targets: targets(&["up"]),
            rules: rules("lab-alerts=ok"),
            ..Api::default()
        },
        tempo: Probe::Status(200),
        otlp: Probe::Status(200),
        grafana: Probe::Status(200),
        dashboards: dashboards(DASHBOARDS),
        terminal: Terminal {
            width: Some(80),
            utf8: true,
        },
    };
    change(&mut facts);
    facts
}

/// A machine without Prometheus, Tempo and Grafana.
fn bare(docker: Docker) -> Facts {
    machine(|it| {
        (it.docker, it.api) = (docker, Api::default());
        (it.prometheus, it.tempo, it.grafana) = (Probe::Refused, Probe::Refused, Probe::Refused);
    })
}

fn engine(is_desktop: bool) -> Docker {
    Docker {
        is_desktop,
        trouble: None,
    }
}

/// Another target, and the lab with each of these states.
fn targets(health: &[&str]) -> Value {
    let lab = |health| json!({ "labels": { "job": "lab" }, "health": health });
    let mut active: Vec<_> = health.iter().map(lab).collect();
    active.push(json!({ "labels": { "job": "node" }, "health": "up" }));
    json!({ "data": { "activeTargets": active } })
}

/// Groups with one rule each, as the name of the group and the health of the rule.
fn rules(groups: &str) -> Value {
    let groups = groups.split(' ').filter_map(|group| group.split_once('='));
    let groups = groups.map(|(name, health)| {
        let rule = json!({ "name": "ServiceDown", "health": health });
        json!({ "name": name, "rules": [rule] })
    });
    json!({ "data": { "groups": groups.collect::<Vec<_>>() } })
}

fn dashboards(uids: &[&str]) -> Value {
    uids.iter().map(|uid| json!({ "uid": uid })).collect()
}

fn languages(versions: [Option<Version>; 3]) -> Vec<Language> {
    let all = [PYTHON, NODE, GO].into_iter().zip(versions);
    all.map(|(language, version)| Language {
        version,
        ..language
    })
    .collect()
}

fn addresses(wanted: bool) -> Addresses {
    let url = |port: u16| format!("http://127.0.0.1:{port}").parse().expect("a URL");
    Addresses {
        service: 8765,
        page: 8766,
        prometheus: url(9090),
        tempo: url(3200),
        otlp: url(4318),
        grafana: url(3000),
        wanted,
    }
}

/// The finding of one check: level, text and advice.
fn found(check: &str, facts: &Facts, wanted: bool) -> (Level, String, String) {
    let all = findings(facts, &addresses(wanted));
    let finding = all.into_iter().find(|finding| finding.check == check);
    let finding = finding.expect(check);
    assert_eq!(finding.level == Level::Ok, finding.advice.is_none());
    let advice = finding.advice.unwrap_or_default();
    (finding.level, finding.found, advice)
}

/// Asserts the finding of one check: `check (level): words -> advice`. A finding that is
/// grave is a note, and a problem with `--with-grafana`.
fn holds(facts: &Facts, expected: &str) {
    let (check, rest) = expected.split_once(" (").expect("a level");
    let (level, rest) = rest.split_once("): ").expect("words");
    let (words, advice) = rest.split_once(" -> ").unwrap_or((rest, ""));
    let levels = match level {
        "ok" => [Level::Ok; 2],
        "note" => [Level::Note; 2],
        "grave" => [Level::Note, Level::Problem],
        "problem" => [Level::Problem; 2],
        other => panic!("{other} is no level"),
    };
    for (wanted, level) in [false, true].into_iter().zip(levels) {
        let (is, said, to_do) = found(check, facts, wanted);
        assert_eq!(is, level, "{check}, wanted {wanted}: {said}");
        assert!(said.contains(words), "{expected}: {said}");
        assert!(to_do.contains(advice), "{expected}: {to_do}");
        assert_eq!(to_do.is_empty(), advice.is_empty(), "{to_do}");
    }
}

/// The names must match the files in the repository.
#[test]
fn job_and_dashboards_are_those_of_the_configuration() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dashboards");
    let has = |path: &str, line: String| {
        let text = fs::read_to_string(folder.join(path)).expect(path);
        assert!(text.contains(&line), "{path}: {line}");
    };

    has("prometheus/prometheus.yml", format!("- job_name: {JOB}\n"));
    has("prometheus/rules/alerts.yml", format!("- name: {ALERTS}\n"));
    let files = fs::read_dir(folder.join("grafana/dashboards")).expect("dashboards");
    let found = files.map(|file| {
        let file = fs::read(file.expect("an entry").path()).expect("a file");
        let dashboard: Value = serde_json::from_slice(&file).expect("JSON");
        dashboard["uid"].as_str().expect("a uid").to_owned()
    });
    let expected: BTreeSet<_> = DASHBOARDS.iter().map(|uid| (*uid).to_owned()).collect();
    assert_eq!(found.collect::<BTreeSet<_>>(), expected);
}

#[test]
fn a_healthy_machine_has_nothing_to_do() {
    let healthy = machine(|_| ());
    for expected in [
        "service port (ok): 8765 is free",
        "web UI port (ok): 8766 is free",
        "loopback (ok): connections to 127.0.0.1 work",
        "proxy (ok): no proxy",
        "terminal (ok): 80 columns",
        "locale (ok): UTF-8",
        "languages (ok): Python 3.12, Node 22.1, for `lab starter`",
        "docker (ok): docker compose up -d",
        "prometheus (ok): scrapes the lab",
        "tempo (ok): 127.0.0.1:4318 takes traces",
        "grafana (ok): has the lab's dashboards",
    ] {
        holds(&healthy, expected);
    }
    assert_eq!(findings(&healthy, &addresses(false)).len(), 11);
}

#[test]
fn a_port_that_is_taken_or_barred_is_a_problem() {
    let barred = Port::Barred("permission denied".to_owned());
    for (port, words) in [
        (
            Port::Taken("python3 (process 42)".to_owned()),
            "taken by python3 (process 42)",
        ),
        (barred, "cannot be listened on: permission denied"),
    ] {
        let facts = machine(|it| (it.service, it.page) = (port.clone(), port));

        // Another port will do, unless Prometheus must find the lab.
        for (check, wanted, advice) in [
            ("service port", false, "lab serve --port 0"),
            ("service port", true, "scrapes the lab only there"),
            ("web UI port", false, "lab serve --page-port 0"),
            ("web UI port", true, "lab serve --page-port 0"),
        ] {
            let (level, said, to_do) = found(check, &facts, wanted);
            assert_eq!(level, Level::Problem);
            assert!(said.contains(words), "{said}");
            assert!(to_do.ends_with(advice), "{to_do}");
        }
    }
}

#[test]
fn a_running_lab_holds_both_ports_and_a_plain_service_is_in_its_way() {
    let lab = machine(|it| (it.service, it.page) = (Port::Lab, Port::Lab));
    let plain = machine(|it| it.service = Port::Lab);

    holds(&lab, "service port (ok): running `lab serve`");
    holds(&lab, "web UI port (ok): running `lab serve`");
    holds(
        &plain,
        "service port (problem): without the web UI -> stop it",
    );
}

#[test]
fn each_trouble_of_the_machine_has_a_level_and_advice() {
    let loopback = machine(|it| it.loopback = Err("no response in time".to_owned()));
    let linux = machine(|it| it.proxies = vec!["http_proxy", "ALL_PROXY"]);
    let mut windows = linux.clone();
    windows.system = "windows";
    let piped = machine(|it| it.terminal.width = None);
    let narrow = machine(|it| it.terminal.width = Some(39));
    let ascii = machine(|it| it.terminal.utf8 = false);
    let one = machine(|it| it.languages = languages([Some(Version(3, 8)), None, None]));
    let none = machine(|it| it.languages = languages([Some(Version(3, 7)), None, None]));

    holds(
        &loopback,
        "loopback (problem): no response in time -> firewall",
    );
    let names = "127.0.0.1,localhost";
    let proxy = "proxy (note): http_proxy, ALL_PROXY ->";
    holds(
        &linux,
        &format!("{proxy} export NO_PROXY={names},$NO_PROXY"),
    );
    holds(
        &windows,
        &format!("{proxy} set NO_PROXY={names},%NO_PROXY%"),
    );
    holds(&piped, "terminal (ok): not a terminal");
    holds(&narrow, "terminal (note): 39 columns -> widen the window");
    holds(&ascii, "locale (note): ASCII -> LC_ALL=C.UTF-8");
    // One language is enough for the starters.
    let words = "languages (ok): Python 3.8, for `lab starter`; if you want others: Node 18.0 or \
                 later (nodejs.org), Go 1.18 or later (go.dev)";
    holds(&one, words);
    let words = "languages (note): Python 3.7 is too old, no Node, no Go; `lab starter` needs one \
                 -> install Python 3.8 or later (python.org), Node 18.0 or later (nodejs.org), Go";
    holds(&none, words);
}

#[test]
fn the_docker_of_a_machine_says_how_the_dashboards_are_started() {
    let plain = "docker compose up -d";
    let desktop = "docker compose --profile desktop up -d";
    for (is_desktop, command) in [(false, plain), (true, desktop)] {
        let running = bare(engine(is_desktop));
        let mut broken = running.clone();
        broken.docker.trouble = Some(("no engine runs", "start it"));

        for facts in [&running, &broken] {
            let (.., advice) = found("grafana", facts, true);
            assert_eq!(advice, command);
            let (level, _, advice) = found("dashboards", facts, false);
            assert_eq!(level, Level::Note);
            assert_eq!(advice, format!("if you want them: {command}"));
        }
        holds(&running, &format!("docker (ok): {command}"));
        holds(&broken, "docker (grave): no engine runs -> start it");
        // Docker is not needed if the dashboards run without it.
        let elsewhere = machine(|it| it.docker = broken.docker);
        holds(&elsewhere, "docker (note): no engine runs -> start it");
    }
}

#[test]
fn a_missing_dashboard_is_a_problem_only_with_grafana() {
    let compose = "docker compose up -d";
    for (probe, words, advice) in [
        (Probe::Refused, "nobody listens at 127.0.0.1:", compose),
        (Probe::TimedOut, "does not respond", "docker compose logs"),
        (Probe::NotHttp, "another program listens", "--help"),
        (Probe::Status(404), "another program responds", "--help"),
        (Probe::Status(503), "is not ready (503)", "lab doctor"),
    ] {
        for (check, facts) in [
            ("prometheus", machine(|it| it.prometheus = probe)),
            ("tempo", machine(|it| it.tempo = probe)),
            ("grafana", machine(|it| it.grafana = probe)),
        ] {
            holds(&facts, &format!("{check} (grave): {words} -> {advice}"));
        }
        let no_traces = machine(|it| it.otlp = probe);
        for words in ["127.0.0.1:3200 is ready, but takes no traces", words] {
            holds(&no_traces, &format!("tempo (grave): {words} -> tempo.yml"));
        }
    }
}

#[test]
fn prometheus_must_scrape_the_lab_and_have_its_alerts() {
    // The health of the lab as a target, and whether it runs here.
    for row in [
        "down | waits for the lab -> lab serve --otlp",
        "down here | does not reach -> docker compose up",
        "unknown here | has not scraped the lab yet -> wait ten seconds",
        "| no job `lab` -> prometheus.yml",
    ] {
        let (health, expected) = row.split_once("| ").expect("words");
        let is_here = health.contains("here");
        let health: Vec<_> = health
            .split(' ')
            .filter(|it| !["here", ""].contains(it))
            .collect();
        let facts = machine(|it| {
            it.api.targets = targets(&health);
            it.page = if is_here { Port::Lab } else { Port::Free };
        });

        holds(&facts, &format!("prometheus (grave): {expected}"));
    }
    // Groups of rules, each with the health of its rule.
    for row in [
        "| has no alerts -> make dashboards/ readable",
        "other=err | has no alerts -> make dashboards/ readable",
        "lab-alerts=err | cannot evaluate -> check ServiceDown",
        "lab-alerts=ok lab-recording=err | cannot evaluate -> check ServiceDown",
    ] {
        let (groups, expected) = row.split_once("| ").expect("words");
        let facts = machine(|it| it.api.rules = rules(groups));

        holds(&facts, &format!("prometheus (grave): {expected}"));
    }
    let silent = machine(|it| it.api.targets = json!({ "status": "error" }));
    holds(
        &silent,
        "prometheus (grave): does not list its targets -> browser",
    );
    let silent = machine(|it| it.api.rules = Value::Null);
    holds(
        &silent,
        "prometheus (grave): does not list its rules -> browser",
    );
    let sound = machine(|it| {
        it.api.targets = targets(&["down", "up"]);
        it.api.rules = rules("other=err lab-alerts=unknown");
    });
    holds(&sound, "prometheus (ok): and has its alerts");
}

#[test]
fn a_room_waits_for_laptops_and_needs_no_local_lab() {
    let room = |result: Value| {
        machine(|it| {
            it.api = Api {
                targets: targets(&[]),
                rules: Value::Null,
                flags: json!({ "data": { "web.enable-remote-write-receiver": "true" } }),
                laptops: json!({ "data": { "result": result } }),
            };
            it.dashboards = dashboards(ROOM);
        })
    };
    let with = |laptops: &str| room(json!([{ "value": [1.5, laptops] }]));

    let mut no_grafana = with("3");
    no_grafana.grafana = Probe::Refused;
    let words = "grafana (grave): nobody listens -> docker compose --profile room up -d";
    holds(&no_grafana, words);
    let advice = "lab serve --otlp http://ADDRESS:4318";
    let words = format!("prometheus (grave): waits for the laptops -> {advice}");
    holds(&room(json!([])), &words);
    for (laptops, words) in [("1", "data from 1 laptop"), ("24", "data from 24 laptops")] {
        let room = with(laptops);
        let (level, found, _) = found("prometheus", &room, true);
        assert_eq!(level, Level::Ok);
        assert!(found.ends_with(words), "{found}");
        holds(&room, "grafana (ok): has the lab's dashboards");
    }
    // Nobody can write to a Prometheus without the flag.
    let mut closed = with("3");
    closed.api.flags = json!({ "data": { "web.enable-remote-write-receiver": "false" } });
    holds(
        &closed,
        "prometheus (grave): no job `lab` -> prometheus.yml",
    );
}

#[test]
fn grafana_must_have_the_dashboards() {
    let some = machine(|it| it.dashboards = dashboards(&["lab-client", "other"]));
    holds(
        &some,
        "grafana (grave): lacks lab-service, lab-workshop -> dashboards/",
    );
    let silent = machine(|it| it.dashboards = Value::Null);
    holds(&silent, "grafana (grave): does not list -> login");
}
