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
        docker: engine(Flavour::Host),
        prometheus: Probe::Status(200),
        target: Target::Up,
        rules: Rules::Sound,
        tempo: Probe::Status(200),
        otlp: Probe::Status(200),
        grafana: Probe::Status(200),
        dashboards: Dashboards::Missing(Vec::new()),
        terminal: Terminal {
            width: Some(80),
            utf8: true,
        },
    };
    change(&mut facts);
    facts
}

/// A machine without Prometheus, Tempo and Grafana.
fn bare(docker: Docker, system: &'static str) -> Facts {
    machine(|it| {
        (it.system, it.docker) = (system, docker);
        (it.prometheus, it.tempo, it.grafana) = (Probe::Refused, Probe::Refused, Probe::Refused);
    })
}

fn engine(flavour: Flavour) -> Docker {
    Docker::Engine {
        flavour,
        compose: true,
    }
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

/// Asserts the finding of one check, without and with `--with-grafana`.
fn holds(check: &str, facts: &Facts, levels: [Level; 2], words: &str, advice: &str) {
    for (wanted, level) in [false, true].into_iter().zip(levels) {
        let (is, said, to_do) = found(check, facts, wanted);
        assert_eq!(is, level, "{check}, wanted {wanted}: {said}");
        assert!(said.contains(words), "{said}");
        assert!(to_do.contains(advice), "{to_do}");
        assert_eq!(to_do.is_empty(), advice.is_empty(), "{to_do}");
    }
}

const OK: [Level; 2] = [Level::Ok; 2];
const NOTE: [Level; 2] = [Level::Note; 2];
const PROBLEM: [Level; 2] = [Level::Problem; 2];
/// A note; a problem with `--with-grafana`.
const GRAVE_IF_WANTED: [Level; 2] = [Level::Note, Level::Problem];

#[test]
fn a_healthy_machine_has_nothing_to_do() {
    let healthy = machine(|_| ());
    for (check, words) in [
        ("service port", "8765 is free"),
        ("web UI port", "8766 is free"),
        ("loopback", "connections to 127.0.0.1 work"),
        ("proxy", "no proxy"),
        ("terminal", "80 columns"),
        ("locale", "UTF-8"),
        ("languages", "Python 3.12, Node 22.1, for `lab starter`"),
        ("docker", "docker compose up -d"),
        ("prometheus", "scrapes the lab"),
        ("tempo", "127.0.0.1:4318 takes traces"),
        ("grafana", "has the lab's dashboards"),
    ] {
        holds(check, &healthy, OK, words, "");
    }
    assert_eq!(findings(&healthy, &addresses(false)).len(), 11);
}

#[test]
fn a_port_that_is_taken_or_barred_is_a_problem() {
    let process = Holder {
        name: "python3".to_owned(),
        id: 42,
    };
    let barred = Port::Barred("permission denied".to_owned());
    for (port, words) in [
        (Port::Taken(Some(process)), "taken by python3 (process 42)"),
        (Port::Taken(None), "does not name"),
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

    let words = "running `lab serve`";
    holds("service port", &lab, OK, words, "");
    holds("web UI port", &lab, OK, words, "");
    let words = "without the web UI";
    holds("service port", &plain, PROBLEM, words, "stop it");
}

#[test]
fn a_loopback_that_does_not_work_is_a_problem() {
    let facts = machine(|it| it.loopback = Err("no response in time".to_owned()));

    let words = "no response in time";
    holds("loopback", &facts, PROBLEM, words, "firewall");
}

#[test]
fn a_proxy_is_worth_a_note() {
    let linux = machine(|it| it.proxies = vec!["http_proxy", "ALL_PROXY"]);
    let mut windows = linux.clone();
    windows.system = "windows";

    for (facts, advice) in [
        (linux, "export NO_PROXY=127.0.0.1,localhost,$NO_PROXY"),
        (windows, "set NO_PROXY=127.0.0.1,localhost,%NO_PROXY%"),
    ] {
        holds("proxy", &facts, NOTE, "http_proxy, ALL_PROXY", advice);
    }
}

#[test]
fn a_terminal_is_wide_enough_and_speaks_utf8() {
    let piped = machine(|it| it.terminal.width = None);
    let narrow = machine(|it| it.terminal.width = Some(39));
    let ascii = machine(|it| it.terminal.utf8 = false);

    holds("terminal", &piped, OK, "not a terminal", "");
    holds("terminal", &narrow, NOTE, "39 columns", "widen the window");
    holds("locale", &ascii, NOTE, "ASCII", "LC_ALL=C.UTF-8");
}

#[test]
fn one_language_is_enough_for_the_starters() {
    let one = machine(|it| it.languages = languages([Some(Version(3, 8)), None, None]));
    let none = machine(|it| it.languages = languages([Some(Version(3, 7)), None, None]));

    let words = "Python 3.8, for `lab starter`; if you want others: Node 18.0 or later \
                 (nodejs.org), Go 1.18 or later (go.dev)";
    holds("languages", &one, OK, words, "");
    let words = "Python 3.7 is too old, no Node, no Go; `lab starter` needs one";
    let advice = "install Python 3.8 or later (python.org), Node 18.0 or later (nodejs.org), Go";
    holds("languages", &none, NOTE, words, advice);
}

#[test]
fn the_docker_of_a_machine_says_how_the_dashboards_are_started() {
    let plain = "docker compose up -d";
    let desktop = "docker compose --profile desktop up -d";
    for (docker, system, command) in [
        (engine(Flavour::Host), "linux", plain),
        (engine(Flavour::Desktop), "linux", desktop),
        (engine(Flavour::Desktop), "macos", desktop),
        (Docker::NoEngine, "linux", plain),
        (Docker::NoEngine, "windows", desktop),
    ] {
        let facts = bare(docker, system);

        let (.., advice) = found("grafana", &facts, true);
        assert_eq!(advice, command);
        let (level, _, advice) = found("dashboards", &facts, false);
        assert_eq!(level, Level::Note);
        assert_eq!(advice, format!("if you want them: {command}"));
        if matches!(docker, Docker::Engine { .. }) {
            holds("docker", &facts, OK, command, "");
        }
    }
}

#[test]
fn an_unusable_docker_gets_a_reason_and_advice() {
    let without_compose = Docker::Engine {
        flavour: Flavour::Host,
        compose: false,
    };
    let rootless = engine(Flavour::Rootless);
    for (docker, words, advice) in [
        (Docker::Absent, "not installed", "install Docker"),
        (Docker::Silent, "not respond in time", "docker info"),
        (Docker::NoEngine, "no engine", "systemctl start"),
        (Docker::Denied, "may not connect", "usermod -aG docker"),
        (without_compose, "no `docker compose`", "plugin"),
        (rootless, "rootless", "docker context use default"),
    ] {
        let facts = bare(docker, "linux");

        holds("docker", &facts, GRAVE_IF_WANTED, words, advice);
    }
    let (.., advice) = found("docker", &bare(Docker::NoEngine, "macos"), false);
    assert_eq!(advice, "start Docker Desktop");
}

#[test]
fn docker_is_not_needed_if_all_dashboards_run_without_it() {
    let all = machine(|it| it.docker = Docker::Absent);
    let mut some = all.clone();
    some.tempo = Probe::Refused;

    for (facts, levels) in [(all, NOTE), (some, GRAVE_IF_WANTED)] {
        holds("docker", &facts, levels, "not installed", "install Docker");
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
            holds(check, &facts, GRAVE_IF_WANTED, words, advice);
        }
        let no_traces = machine(|it| it.otlp = probe);
        for words in ["127.0.0.1:3200 is ready, but takes no traces", words] {
            holds("tempo", &no_traces, GRAVE_IF_WANTED, words, "tempo.yml");
        }
    }
}

#[test]
fn prometheus_must_scrape_the_lab() {
    let (otlp, wait) = ("lab serve --otlp", "wait ten seconds");
    let unscraped = "has not scraped the lab yet";
    for (target, page, words, advice) in [
        (Target::Down, Port::Free, "waits for the lab", otlp),
        (Target::Awaited, Port::Lab, unscraped, wait),
        (
            Target::Down,
            Port::Lab,
            "does not reach",
            "docker compose up",
        ),
        (Target::Absent, Port::Free, "no job `lab`", "prometheus.yml"),
        (Target::Unknown, Port::Free, "does not list", "browser"),
    ] {
        let facts = machine(|it| (it.target, it.page) = (target, page));

        holds("prometheus", &facts, GRAVE_IF_WANTED, words, advice);
    }
}

#[test]
fn a_room_waits_for_laptops_and_needs_no_local_lab() {
    let room = |laptops| {
        machine(|it| {
            it.target = Target::Written(laptops);
            it.rules = Rules::Missing;
        })
    };

    let mut no_grafana = room(3);
    no_grafana.grafana = Probe::Refused;
    let advice = "docker compose --profile room up -d";
    let words = "nobody listens";
    holds("grafana", &no_grafana, GRAVE_IF_WANTED, words, advice);
    let advice = "lab serve --otlp http://ADDRESS:4318";
    let words = "waits for the laptops";
    holds("prometheus", &room(0), GRAVE_IF_WANTED, words, advice);
    for (laptops, words) in [(1, "data from 1 laptop"), (24, "data from 24 laptops")] {
        let (level, found, _) = found("prometheus", &room(laptops), true);
        assert_eq!(level, Level::Ok);
        assert!(found.ends_with(words), "{found}");
    }
}

#[test]
fn prometheus_must_have_the_alerts() {
    let failing = Rules::Failing("ServiceDown".to_owned());
    let readable = "make dashboards/ readable";
    for (rules, words, advice) in [
        (Rules::Missing, "has no alerts", readable),
        (failing, "cannot evaluate", "check ServiceDown"),
        (Rules::Unknown, "does not list its rules", "browser"),
    ] {
        let facts = machine(|it| it.rules = rules);

        holds("prometheus", &facts, GRAVE_IF_WANTED, words, advice);
    }
}

#[test]
fn grafana_must_have_the_dashboards() {
    let missing = Dashboards::Missing(vec!["lab-client", "lab-service"]);
    for (dashboards, words, advice) in [
        (missing, "lacks lab-client, lab-service", "dashboards/"),
        (Dashboards::Unknown, "does not list", "login"),
    ] {
        let facts = machine(|it| it.dashboards = dashboards);

        holds("grafana", &facts, GRAVE_IF_WANTED, words, advice);
    }
}
