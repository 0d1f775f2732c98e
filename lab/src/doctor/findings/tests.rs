use super::*;

/// A machine with nothing to say against it, the dashboards included.
fn healthy() -> Facts {
    Facts {
        system: "linux",
        service: Port::Free,
        page: Port::Free,
        loopback: Ok(()),
        proxies: Vec::new(),
        docker: engine(Flavour::Host),
        prometheus: Answer::Status(200),
        target: Target::Up,
        tempo: Answer::Status(200),
        otlp: Answer::Status(200),
        grafana: Answer::Status(200),
        dashboards: Dashboards::Missing(Vec::new()),
        terminal: Terminal {
            width: Some(80),
            utf8: true,
        },
    }
}

fn engine(flavour: Flavour) -> Docker {
    Docker::Engine {
        flavour,
        compose: true,
    }
}

fn places(wanted: bool) -> Places {
    let url = |text: &str| text.parse().expect("a URL");
    Places {
        service: 8765,
        page: 8766,
        prometheus: url("http://127.0.0.1:9090"),
        tempo: url("http://127.0.0.1:3200"),
        otlp: url("http://127.0.0.1:4318"),
        grafana: url("http://127.0.0.1:3000"),
        wanted,
    }
}

/// The finding of one check, as level, words and advice.
fn found(check: &str, facts: &Facts, wanted: bool) -> (Level, String, String) {
    let all = findings(facts, &places(wanted));
    let finding = all.into_iter().find(|finding| finding.check == check);
    let finding = finding.expect(check);
    assert_eq!(finding.level == Level::Ok, finding.advice.is_none());
    (
        finding.level,
        finding.found,
        finding.advice.unwrap_or_default(),
    )
}

/// Holds one check to what it finds, both where dashboards are wanted and
/// where they are not.
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
/// A note, unless the dashboards are wanted.
const GRAVE_IF_WANTED: [Level; 2] = [Level::Note, Level::Problem];

#[test]
fn a_healthy_machine_has_nothing_to_do() {
    for wanted in [false, true] {
        let findings = findings(&healthy(), &places(wanted));

        let mut checks: Vec<_> = findings.iter().map(|finding| finding.check).collect();
        checks.sort_unstable();
        checks.dedup();
        assert_eq!(checks.len(), 10, "{checks:?}");
        for finding in findings {
            assert_eq!(finding.level, Level::Ok, "{finding:?}");
            assert_eq!(finding.advice, None, "{finding:?}");
        }
    }
}

#[test]
fn another_port_will_do_unless_prometheus_is_to_find_the_lab() {
    for (port, words) in [
        (Port::Taken(Holder::Foreign), "is taken by"),
        (
            Port::Barred("permission denied".to_owned()),
            "cannot be listened on: permission denied",
        ),
    ] {
        let facts = Facts {
            service: port.clone(),
            page: port,
            ..healthy()
        };
        for (check, wanted, advice) in [
            ("service port", false, "lab serve --port 0"),
            ("service port", true, "looks for the lab nowhere else"),
            ("page port", false, "lab serve --page-port 0"),
            ("page port", true, "lab serve --page-port 0"),
        ] {
            let (level, said, to_do) = found(check, &facts, wanted);
            assert_eq!(level, Level::Problem);
            assert!(said.contains(words), "{said}");
            assert!(to_do.ends_with(advice), "{to_do}");
        }
    }
}

#[test]
fn a_port_is_free_the_labs_or_somebodys() {
    let process = Port::Taken(Holder::Process {
        name: "python3".to_owned(),
        id: 42,
    });
    for (port, levels, words, advice) in [
        (Port::Free, OK, "is free", ""),
        (process, PROBLEM, "taken by python3 (process 42)", "stop it"),
        (
            Port::Taken(Holder::Foreign),
            PROBLEM,
            "a process that is not yours",
            "stop it",
        ),
        (
            Port::Taken(Holder::Untold),
            PROBLEM,
            "does not tell",
            "stop it",
        ),
    ] {
        let facts = Facts {
            service: port.clone(),
            page: port,
            ..healthy()
        };

        holds("service port", &facts, levels, words, advice);
        holds("page port", &facts, levels, words, advice);
        let (.., advice) = found("service port", &facts, false);
        assert!(!advice.contains("--page-port"), "{advice}");
    }
}

#[test]
fn a_running_lab_holds_both_ports_and_a_plain_service_is_in_its_way() {
    let lab = Facts {
        service: Port::Lab,
        page: Port::Lab,
        ..healthy()
    };
    let plain = Facts {
        page: Port::Free,
        ..lab.clone()
    };

    holds("service port", &lab, OK, "running `lab serve`", "");
    holds("page port", &lab, OK, "running `lab serve`", "");
    holds(
        "service port",
        &plain,
        PROBLEM,
        "without the page",
        "stop it",
    );
}

#[test]
fn loopback_has_to_reach_itself() {
    let facts = Facts {
        loopback: Err("no answer in time".to_owned()),
        ..healthy()
    };

    holds("loopback", &healthy(), OK, "reaches itself", "");
    holds("loopback", &facts, PROBLEM, "no answer in time", "firewall");
}

#[test]
fn a_proxy_is_worth_a_note() {
    let facts = Facts {
        proxies: vec!["http_proxy", "ALL_PROXY"],
        ..healthy()
    };
    let windows = Facts {
        system: "windows",
        ..facts.clone()
    };

    let words = "http_proxy, ALL_PROXY";
    holds("proxy", &healthy(), OK, "none", "");
    holds(
        "proxy",
        &facts,
        NOTE,
        words,
        "export NO_PROXY=127.0.0.1,localhost,$NO_PROXY",
    );
    holds(
        "proxy",
        &windows,
        NOTE,
        words,
        "set NO_PROXY=127.0.0.1,localhost,%NO_PROXY%",
    );
}

#[test]
fn a_terminal_is_wide_enough_and_speaks_utf8() {
    let on = |width, utf8| Facts {
        terminal: Terminal { width, utf8 },
        ..healthy()
    };

    holds("terminal", &on(Some(80), true), OK, "80 columns", "");
    holds("terminal", &on(None, true), OK, "no terminal", "");
    holds(
        "terminal",
        &on(Some(79), true),
        NOTE,
        "79 columns",
        "widen the window",
    );
    holds("locale", &on(None, true), OK, "UTF-8", "");
    holds("locale", &on(None, false), NOTE, "ASCII", "LC_ALL=C.UTF-8");
}

/// A machine without any of what shows dashboards.
fn bare(docker: Docker, system: &'static str) -> Facts {
    Facts {
        system,
        docker,
        prometheus: Answer::Nobody,
        tempo: Answer::Nobody,
        grafana: Answer::Nobody,
        ..healthy()
    }
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
fn a_docker_that_cannot_do_it_says_what_it_lacks() {
    let without_compose = Docker::Engine {
        flavour: Flavour::Host,
        compose: false,
    };
    for (docker, system, words, advice) in [
        (Docker::Absent, "linux", "not installed", "install Docker"),
        (Docker::Silent, "linux", "nothing in time", "docker info"),
        (Docker::NoEngine, "linux", "no engine", "systemctl start"),
        (
            Docker::NoEngine,
            "macos",
            "no engine",
            "start Docker Desktop",
        ),
        (
            Docker::Denied,
            "linux",
            "may not speak",
            "usermod -aG docker",
        ),
        (without_compose, "linux", "no `docker compose`", "plugin"),
        (
            engine(Flavour::Rootless),
            "linux",
            "rootless",
            "docker context use default",
        ),
    ] {
        let facts = bare(docker, system);

        holds("docker", &facts, GRAVE_IF_WANTED, words, advice);
    }
}

#[test]
fn who_has_the_dashboards_without_docker_does_not_need_it() {
    let facts = Facts {
        docker: Docker::Absent,
        ..healthy()
    };

    holds("docker", &facts, NOTE, "not installed", "install Docker");
}

#[test]
fn what_does_not_answer_as_it_should_is_grave_only_if_it_is_wanted() {
    for (answer, words, advice) in [
        (
            Answer::Nobody,
            "nobody listens at 127.0.0.1:",
            "docker compose up -d",
        ),
        (Answer::Silent, "does not answer", "docker compose logs"),
        (Answer::Strange, "something else listens", "--help"),
        (Answer::Status(404), "something else answers", "--help"),
        (Answer::Status(503), "is not ready (503)", "lab doctor"),
    ] {
        let (prometheus, tempo, grafana) = (healthy(), healthy(), healthy());
        for (check, facts) in [
            (
                "prometheus",
                Facts {
                    prometheus: answer,
                    ..prometheus
                },
            ),
            (
                "tempo",
                Facts {
                    tempo: answer,
                    ..tempo
                },
            ),
            (
                "grafana",
                Facts {
                    grafana: answer,
                    ..grafana
                },
            ),
        ] {
            holds(check, &facts, GRAVE_IF_WANTED, words, advice);
        }
    }
    holds("prometheus", &healthy(), OK, "scrapes the lab", "");
    holds("tempo", &healthy(), OK, "127.0.0.1:4318 takes traces", "");
    holds("grafana", &healthy(), OK, "has the lab's dashboards", "");
}

#[test]
fn prometheus_has_to_see_the_lab() {
    let sees = |target, page| Facts {
        target,
        page,
        ..healthy()
    };
    for (target, page, words, advice) in [
        (
            Target::Down,
            Port::Free,
            "waits for the lab",
            "lab serve --otlp",
        ),
        (
            Target::Awaited,
            Port::Lab,
            "has not scraped the lab yet",
            "wait ten seconds",
        ),
        (
            Target::Down,
            Port::Lab,
            "does not reach",
            "docker compose up",
        ),
        (Target::Absent, Port::Free, "no job `lab`", "prometheus.yml"),
        (Target::Unknown, Port::Free, "does not tell", "browser"),
    ] {
        let facts = sees(target, page);

        holds("prometheus", &facts, GRAVE_IF_WANTED, words, advice);
    }
}

#[test]
fn tempo_has_to_take_traces() {
    for otlp in [Answer::Nobody, Answer::Silent, Answer::Status(404)] {
        let facts = Facts { otlp, ..healthy() };

        let words = "127.0.0.1:4318 takes no traces";
        holds("tempo", &facts, GRAVE_IF_WANTED, words, "tempo.yml");
    }
}

#[test]
fn grafana_has_to_have_the_dashboards() {
    let facts = |dashboards| Facts {
        dashboards,
        ..healthy()
    };
    let missing = facts(Dashboards::Missing(vec!["lab-client", "lab-service"]));
    let unknown = facts(Dashboards::Unknown);

    let words = "lacks lab-client, lab-service";
    holds("grafana", &missing, GRAVE_IF_WANTED, words, "dashboards/");
    holds(
        "grafana",
        &unknown,
        GRAVE_IF_WANTED,
        "does not tell",
        "login",
    );
}
