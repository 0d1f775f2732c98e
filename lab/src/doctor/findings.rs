//! Facts in, findings out.

use evidence::{Finding, Level};

use super::{
    Places,
    facts::{Answer, Dashboards, Docker, Facts, Flavour, Holder, Port, Target, Terminal},
};
use render::Options;

/// Judges the facts, in the order in which one would put things right.
pub(crate) fn findings(facts: &Facts, places: &Places) -> Vec<Finding> {
    let together = facts.page == Port::Lab;
    // Prometheus looks for the lab on one port.
    let instead = (!places.wanted).then_some("--port");
    let service = match &facts.service {
        // Without its page it is not the lab that has the port.
        Port::Lab if !together => taken("service port", places.service, instead, PLAIN_SERVICE),
        port => self::port("service port", places.service, instead, port),
    };
    let mut findings = vec![
        service,
        port("page port", places.page, Some("--page-port"), &facts.page),
        loopback(&facts.loopback),
        proxy(&facts.proxies, facts.system),
        terminal(facts.terminal),
        locale(facts.terminal, facts.system),
        docker(facts, places),
    ];
    match [facts.prometheus, facts.tempo, facts.grafana] {
        // Who does not want them need not be told three times.
        [Answer::Nobody, Answer::Nobody, Answer::Nobody] if !places.wanted => {
            findings.push(no_dashboards(facts));
        }
        _ => findings.extend([
            prometheus(facts, places),
            tempo(facts, places),
            grafana(facts, places),
        ]),
    }
    findings
}

const PLAIN_SERVICE: &str = "a teaching service without the page";

fn ok(check: &'static str, found: impl Into<String>) -> Finding {
    Finding {
        check,
        level: Level::Ok,
        found: found.into(),
        advice: None,
    }
}

fn bad(check: &'static str, level: Level, found: impl Into<String>, advice: &str) -> Finding {
    Finding {
        check,
        level,
        found: found.into(),
        advice: Some(advice.to_owned()),
    }
}

/// A port, and the option that has the lab take another, if another would do.
fn port(check: &'static str, number: u16, instead: Option<&str>, port: &Port) -> Finding {
    match port {
        Port::Free => ok(check, format!("{number} is free")),
        Port::Lab => ok(check, format!("{number} is held by a running `lab serve`")),
        Port::Taken(Holder::Process { name, id }) => {
            taken(check, number, instead, &format!("{name} (process {id})"))
        }
        Port::Taken(Holder::Foreign) => {
            taken(check, number, instead, "a process that is not yours")
        }
        Port::Taken(Holder::Untold) => taken(
            check,
            number,
            instead,
            "somebody; this system does not tell",
        ),
        Port::Barred(why) => bad(
            check,
            Level::Problem,
            format!("{number} cannot be listened on: {why}"),
            &match instead {
                Some(option) => format!("use another: lab serve {option} 0"),
                None => {
                    "find out who bars it: Prometheus looks for the lab nowhere else".to_owned()
                }
            },
        ),
    }
}

fn taken(check: &'static str, number: u16, instead: Option<&str>, by: &str) -> Finding {
    let advice = match instead {
        Some(option) => format!("stop it, or use another port: lab serve {option} 0"),
        None => "stop it: Prometheus looks for the lab nowhere else".to_owned(),
    };
    let found = format!("{number} is taken by {by}");
    bad(check, Level::Problem, found, &advice)
}

fn loopback(reached: &Result<(), String>) -> Finding {
    let check = "loopback";
    match reached {
        Ok(()) => ok(check, "127.0.0.1 reaches itself"),
        Err(why) => bad(
            check,
            Level::Problem,
            format!("127.0.0.1 does not reach itself: {why}"),
            "allow connections within this machine in its firewall or sandbox",
        ),
    }
}

fn proxy(variables: &[&str], system: &str) -> Finding {
    let check = "proxy";
    if variables.is_empty() {
        return ok(check, "none stands before 127.0.0.1");
    }
    // In front of what is exempt already.
    let exempt = match system {
        "windows" => "set NO_PROXY=127.0.0.1,localhost,%NO_PROXY%",
        _ => "export NO_PROXY=127.0.0.1,localhost,$NO_PROXY",
    };
    bad(
        check,
        Level::Note,
        format!(
            "{} would send curl and other clients to a proxy; the lab's own never ask it",
            variables.join(", ")
        ),
        exempt,
    )
}

fn terminal(terminal: Terminal) -> Finding {
    let check = "terminal";
    match terminal.width {
        None => ok(check, "no terminal: 80 columns are written"),
        Some(width) if width < Options::WIDTH => bad(
            check,
            Level::Note,
            format!("{width} columns: pictures need {}", Options::WIDTH),
            "widen the window, or choose a smaller font",
        ),
        Some(width) => ok(check, format!("{width} columns")),
    }
}

fn locale(terminal: Terminal, system: &str) -> Finding {
    let check = "locale";
    if terminal.utf8 {
        return ok(check, "UTF-8");
    }
    let name = if system == "macos" { "en_US" } else { "C" };
    bad(
        check,
        Level::Note,
        "not UTF-8: pictures are drawn in ASCII",
        &format!("export LC_ALL={name}.UTF-8"),
    )
}

/// How grave it is that a part of the dashboards is missing.
fn gravity(places: &Places) -> Level {
    match places.wanted {
        true => Level::Problem,
        false => Level::Note,
    }
}

/// How the dashboards are started on this machine.
fn compose(facts: &Facts) -> &'static str {
    let desktop = match facts.docker {
        Docker::Engine { flavour, .. } => flavour == Flavour::Desktop,
        Docker::Absent | Docker::Silent | Docker::NoEngine | Docker::Denied => {
            facts.system != "linux"
        }
    };
    match desktop {
        true => "docker compose --profile desktop up -d",
        false => "docker compose up -d",
    }
}

fn docker(facts: &Facts, places: &Places) -> Finding {
    let check = "docker";
    // Who has them all without it does not need it.
    let all = [facts.prometheus, facts.tempo, facts.grafana];
    let level = match all.into_iter().all(Answer::is_ready) {
        true => Level::Note,
        false => gravity(places),
    };
    let bad = |found: &str, advice: &str| bad(check, level, found, advice);
    match facts.docker {
        Docker::Absent => bad(
            "not installed; only the Grafana part needs it",
            "install Docker Engine (Linux) or Docker Desktop",
        ),
        Docker::Silent => bad(
            "`docker info` says nothing in time",
            "give it a minute, and see what it says: docker info",
        ),
        Docker::NoEngine if facts.system == "linux" => bad(
            "installed, but no engine answers",
            "start it: sudo systemctl start docker (or Docker Desktop)",
        ),
        Docker::NoEngine => bad("installed, but no engine answers", "start Docker Desktop"),
        Docker::Denied => bad(
            "installed, but you may not speak to its engine",
            "log in again after: sudo usermod -aG docker $USER",
        ),
        Docker::Engine { compose: false, .. } => bad(
            "an engine answers, but there is no `docker compose`",
            "install the Compose plugin of Docker",
        ),
        Docker::Engine {
            flavour: Flavour::Rootless,
            ..
        } => bad(
            "it runs rootless, so its containers do not find the lab on 127.0.0.1",
            "use an engine that runs as root: docker context use default",
        ),
        Docker::Engine { flavour, .. } => {
            let name = match flavour {
                Flavour::Desktop => "an engine in a virtual machine",
                Flavour::Host | Flavour::Rootless => "Docker Engine on Linux",
            };
            ok(check, format!("{name}: {}", compose(facts)))
        }
    }
}

fn no_dashboards(facts: &Facts) -> Finding {
    bad(
        "dashboards",
        Level::Note,
        "Prometheus, Tempo and Grafana are not running",
        &format!("if you want them: {}", compose(facts)),
    )
}

/// What is wrong with a part that does not answer as it should.
fn unready(
    check: &'static str,
    answer: Answer,
    at: &str,
    facts: &Facts,
    places: &Places,
) -> Option<Finding> {
    let (found, advice) = match answer {
        Answer::Status(200) => return None,
        Answer::Nobody => (format!("nobody listens at {at}"), compose(facts).to_owned()),
        Answer::Silent => (
            format!("{at} does not answer"),
            "see what it is at: docker compose logs".to_owned(),
        ),
        Answer::Strange => (
            format!("something else listens at {at}"),
            "stop it, or name the right address (lab doctor --help)".to_owned(),
        ),
        Answer::Status(status @ (404 | 401 | 403)) => (
            format!("something else answers at {at} ({status})"),
            "stop it, or name the right address (lab doctor --help)".to_owned(),
        ),
        Answer::Status(status) => (
            format!("{at} is not ready ({status})"),
            "wait half a minute, and ask again: lab doctor".to_owned(),
        ),
    };
    Some(bad(check, gravity(places), found, &advice))
}

/// An address without the scheme, which every one here has.
fn short(url: &reqwest::Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port_or_known_default() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn prometheus(facts: &Facts, places: &Places) -> Finding {
    let check = "prometheus";
    let at = short(&places.prometheus);
    if let Some(finding) = unready(check, facts.prometheus, &at, facts, places) {
        return finding;
    }
    let bad = |found: &str, advice: &str| {
        let found = format!("{at} is ready, {found}");
        bad(check, gravity(places), found, advice)
    };
    match facts.target {
        Target::Up => ok(check, format!("{at} is ready, and scrapes the lab")),
        Target::Down if facts.page != Port::Lab => {
            let otlp = places.otlp.as_str().trim_end_matches('/');
            bad("and waits for the lab", &format!("lab serve --otlp {otlp}"))
        }
        Target::Down => bad(
            "but does not reach the lab",
            &format!("start it as this Docker needs it: {}", compose(facts)),
        ),
        Target::Awaited => bad(
            "and has not scraped the lab yet",
            "wait ten seconds, and ask again: lab doctor",
        ),
        Target::Absent => bad(
            "but has no job `lab`",
            "start it with dashboards/prometheus/prometheus.yml",
        ),
        Target::Unknown => bad(
            "but does not tell its targets",
            "see whether it is Prometheus: open its page in a browser",
        ),
    }
}

fn tempo(facts: &Facts, places: &Places) -> Finding {
    let check = "tempo";
    let at = short(&places.tempo);
    if let Some(finding) = unready(check, facts.tempo, &at, facts, places) {
        return finding;
    }
    let otlp = short(&places.otlp);
    match facts.otlp {
        Answer::Status(200) => ok(check, format!("{at} is ready, and {otlp} takes traces")),
        _ => bad(
            check,
            gravity(places),
            format!("{at} is ready, but {otlp} takes no traces"),
            "start it with dashboards/tempo/tempo.yml",
        ),
    }
}

fn grafana(facts: &Facts, places: &Places) -> Finding {
    let check = "grafana";
    let at = short(&places.grafana);
    if let Some(finding) = unready(check, facts.grafana, &at, facts, places) {
        return finding;
    }
    match &facts.dashboards {
        Dashboards::Missing(missing) if missing.is_empty() => ok(
            check,
            format!("{at} is ready, and has the lab's dashboards"),
        ),
        Dashboards::Missing(missing) => bad(
            check,
            gravity(places),
            format!("{at} is ready, but lacks {}", missing.join(", ")),
            "start it with dashboards/grafana/, as docker-compose.yml does",
        ),
        Dashboards::Unknown => bad(
            check,
            gravity(places),
            format!("{at} is ready, but does not tell its dashboards"),
            "see whether it asks for a login: the lab's own does not",
        ),
    }
}

#[cfg(test)]
mod tests;
