//! Facts in, findings out.

use evidence::{Finding, Level};
use render::Options;
use reqwest::Url;

use super::{
    Addresses,
    facts::{Dashboards, Docker, Facts, Flavour, Holder, Port, Probe, Rules, Target, Terminal},
};

/// What a check comes to: what was found to be right, or what is wrong.
type Verdict = Result<String, Trouble>;

struct Trouble {
    level: Level,
    found: String,
    advice: String,
}

fn problem(level: Level, found: impl Into<String>, advice: impl Into<String>) -> Verdict {
    Err(Trouble {
        level,
        found: found.into(),
        advice: advice.into(),
    })
}

/// Judges the facts, in the order in which one would put things right.
pub(crate) fn findings(facts: &Facts, addresses: &Addresses) -> Vec<Finding> {
    let mut verdicts = vec![
        ("service port", service_port(facts, addresses)),
        (
            "page port",
            port(addresses.page, Some("--page-port"), &facts.page),
        ),
        ("loopback", loopback(&facts.loopback)),
        ("proxy", proxy(&facts.proxies, facts.system)),
        ("terminal", terminal(facts.terminal)),
        ("locale", locale(facts.terminal, facts.system)),
        ("docker", docker(facts, addresses)),
    ];
    // Who does not want them need not be told three times.
    if !addresses.wanted && facts.dashboard_probes() == [Probe::Refused; 3] {
        verdicts.push(("dashboards", no_dashboards(facts)));
    } else {
        verdicts.extend([
            ("prometheus", prometheus(facts, addresses)),
            ("tempo", tempo(facts, addresses)),
            ("grafana", grafana(facts, addresses)),
        ]);
    }
    let findings = verdicts.into_iter().map(|(check, verdict)| match verdict {
        Ok(found) => Finding {
            check,
            level: Level::Ok,
            found,
            advice: None,
        },
        Err(problem) => Finding {
            check,
            level: problem.level,
            found: problem.found,
            advice: Some(problem.advice),
        },
    });
    findings.collect()
}

fn service_port(facts: &Facts, addresses: &Addresses) -> Verdict {
    // Prometheus looks for the lab on one port.
    let instead = (!addresses.wanted).then_some("--port");
    match &facts.service {
        // Without its page it is not the lab that has the port.
        Port::Lab if facts.page != Port::Lab => taken(
            addresses.service,
            instead,
            "a teaching service without the page",
        ),
        state => port(addresses.service, instead, state),
    }
}

/// A port, and the option that has the lab take another, if another would do.
fn port(number: u16, instead: Option<&str>, port: &Port) -> Verdict {
    match port {
        Port::Free => Ok(format!("{number} is free")),
        Port::Lab => Ok(format!("{number} is held by a running `lab serve`")),
        Port::Taken(Some(Holder { name, id })) => {
            taken(number, instead, &format!("{name} (process {id})"))
        }
        Port::Taken(None) => taken(number, instead, "a process that the system does not name"),
        Port::Barred(why) => problem(
            Level::Problem,
            format!("{number} cannot be listened on: {why}"),
            match instead {
                Some(option) => format!("use another: lab serve {option} 0"),
                None => {
                    "find out who bars it: Prometheus looks for the lab nowhere else".to_owned()
                }
            },
        ),
    }
}

fn taken(number: u16, instead: Option<&str>, by: &str) -> Verdict {
    let advice = match instead {
        Some(option) => format!("stop it, or use another port: lab serve {option} 0"),
        None => "stop it: Prometheus looks for the lab nowhere else".to_owned(),
    };
    problem(Level::Problem, format!("{number} is taken by {by}"), advice)
}

fn loopback(reached: &Result<(), String>) -> Verdict {
    match reached {
        Ok(()) => Ok("127.0.0.1 reaches itself".to_owned()),
        Err(why) => problem(
            Level::Problem,
            format!("127.0.0.1 does not reach itself: {why}"),
            "allow connections within this machine in its firewall or sandbox",
        ),
    }
}

fn proxy(variables: &[&str], system: &str) -> Verdict {
    if variables.is_empty() {
        return Ok("none stands before 127.0.0.1".to_owned());
    }
    let variables = variables.join(", ");
    problem(
        Level::Note,
        format!(
            "{variables} would send curl and other clients to a proxy; the lab's own never ask it"
        ),
        // In front of what is exempt already.
        match system {
            "windows" => "set NO_PROXY=127.0.0.1,localhost,%NO_PROXY%",
            _ => "export NO_PROXY=127.0.0.1,localhost,$NO_PROXY",
        },
    )
}

fn terminal(terminal: Terminal) -> Verdict {
    match terminal.width {
        None => Ok("no terminal: 80 columns are written".to_owned()),
        Some(width) if width < Options::NARROWEST => problem(
            Level::Note,
            format!("{width} columns: pictures need {}", Options::NARROWEST),
            "widen the window, or choose a smaller font",
        ),
        Some(width) => Ok(format!("{width} columns")),
    }
}

fn locale(terminal: Terminal, system: &str) -> Verdict {
    if terminal.utf8 {
        return Ok("UTF-8".to_owned());
    }
    let name = if system == "macos" { "en_US" } else { "C" };
    problem(
        Level::Note,
        "not UTF-8: pictures are drawn in ASCII",
        format!("export LC_ALL={name}.UTF-8"),
    )
}

/// How grave it is that a part of the dashboards is missing.
fn gravity(addresses: &Addresses) -> Level {
    match addresses.wanted {
        true => Level::Problem,
        false => Level::Note,
    }
}

/// How the dashboards are started on this machine.
fn compose(facts: &Facts) -> &'static str {
    if let Target::Written(_) = facts.target {
        return "docker compose --profile room up -d";
    }
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

fn docker(facts: &Facts, addresses: &Addresses) -> Verdict {
    let (found, advice) = match facts.docker {
        Docker::Absent => (
            "not installed; only the Grafana part needs it",
            "install Docker Engine (Linux) or Docker Desktop",
        ),
        Docker::Silent => (
            "`docker info` says nothing in time",
            "give it a minute, and see what it says: docker info",
        ),
        Docker::NoEngine => (
            "installed, but no engine runs",
            match facts.system {
                "linux" => "start it: sudo systemctl start docker (or Docker Desktop)",
                _ => "start Docker Desktop",
            },
        ),
        Docker::Denied => (
            "installed, but you may not speak to its engine",
            "log in again after: sudo usermod -aG docker $USER",
        ),
        Docker::Engine { compose: false, .. } => (
            "an engine runs, but there is no `docker compose`",
            "install the Compose plugin of Docker",
        ),
        Docker::Engine { flavour, .. } => match flavour {
            Flavour::Rootless => (
                "it runs rootless, so its containers do not find the lab on 127.0.0.1",
                "use an engine that runs as root: docker context use default",
            ),
            Flavour::Desktop => {
                return Ok(format!(
                    "an engine in a virtual machine: {}",
                    compose(facts)
                ));
            }
            Flavour::Host => return Ok(format!("Docker Engine on Linux: {}", compose(facts))),
        },
    };
    // Who has them all without it does not need it.
    let level = match facts.dashboard_probes().into_iter().all(Probe::is_ready) {
        true => Level::Note,
        false => gravity(addresses),
    };
    problem(level, found, advice)
}

fn no_dashboards(facts: &Facts) -> Verdict {
    problem(
        Level::Note,
        "Prometheus, Tempo and Grafana are not running",
        format!("if you want them: {}", compose(facts)),
    )
}

/// Where a part of the dashboards is, or what is wrong if it is not ready.
fn ready(probe: Probe, base: &Url, facts: &Facts, addresses: &Addresses) -> Verdict {
    // Every address here has the same scheme.
    let host = base.host_str().unwrap_or_default();
    let at = match base.port_or_known_default() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    let other = "stop it, or name the right address (lab doctor --help)";
    let (found, advice) = match probe {
        Probe::Status(200) => return Ok(at),
        Probe::Refused => (format!("nobody listens at {at}"), compose(facts)),
        Probe::TimedOut => (
            format!("{at} does not respond"),
            "see what it is at: docker compose logs",
        ),
        Probe::NotHttp => (format!("something else listens at {at}"), other),
        Probe::Status(status @ (404 | 401 | 403)) => {
            (format!("something else responds at {at} ({status})"), other)
        }
        Probe::Status(status) => (
            format!("{at} is not ready ({status})"),
            "wait half a minute, and ask again: lab doctor",
        ),
    };
    problem(gravity(addresses), found, advice)
}

fn prometheus(facts: &Facts, addresses: &Addresses) -> Verdict {
    let at = ready(facts.prometheus, &addresses.prometheus, facts, addresses)?;
    let (found, advice) = match facts.target {
        Target::Up => match &facts.rules {
            Rules::Sound => {
                return Ok(format!(
                    "{at} is ready, scrapes the lab, and has its alerts"
                ));
            }
            Rules::Missing => (
                "scrapes the lab, but has no alerts for it",
                "let everybody read dashboards/, and start it anew: docker compose up -d"
                    .to_owned(),
            ),
            Rules::Failing(name) => (
                "scrapes the lab, but cannot evaluate all of its rules",
                format!("see what is wrong with {name}: open its page under /rules"),
            ),
            Rules::Unknown => (
                "scrapes the lab, but does not tell its rules",
                "see whether it is Prometheus: open its page in a browser".to_owned(),
            ),
        },
        Target::Down if facts.page != Port::Lab => {
            let otlp = addresses.otlp.as_str().trim_end_matches('/');
            ("and waits for the lab", format!("lab serve --otlp {otlp}"))
        }
        Target::Down => (
            "but does not reach the lab",
            format!("start it as this Docker needs it: {}", compose(facts)),
        ),
        Target::Awaited => (
            "and has not scraped the lab yet",
            "wait ten seconds, and ask again: lab doctor".to_owned(),
        ),
        Target::Written(0) => (
            "and waits for the laptops of a room",
            "on one, with this machine's address: lab serve --otlp http://ADDRESS:4318".to_owned(),
        ),
        Target::Written(laptops) => {
            let s = if laptops == 1 { "" } else { "s" };
            return Ok(format!(
                "{at} is ready, and has heard of {laptops} laptop{s}"
            ));
        }
        Target::Absent => (
            "but has no job `lab`",
            "start it with dashboards/prometheus/prometheus.yml".to_owned(),
        ),
        Target::Unknown => (
            "but does not tell its targets",
            "see whether it is Prometheus: open its page in a browser".to_owned(),
        ),
    };
    problem(
        gravity(addresses),
        format!("{at} is ready, {found}"),
        advice,
    )
}

fn tempo(facts: &Facts, addresses: &Addresses) -> Verdict {
    let at = ready(facts.tempo, &addresses.tempo, facts, addresses)?;
    match ready(facts.otlp, &addresses.otlp, facts, addresses) {
        Ok(otlp) => Ok(format!("{at} is ready, and {otlp} takes traces")),
        Err(otlp) => problem(
            otlp.level,
            format!("{at} is ready, but takes no traces: {}", otlp.found),
            "start it with dashboards/tempo/tempo.yml",
        ),
    }
}

fn grafana(facts: &Facts, addresses: &Addresses) -> Verdict {
    let at = ready(facts.grafana, &addresses.grafana, facts, addresses)?;
    let (found, advice) = match &facts.dashboards {
        Dashboards::Missing(missing) if missing.is_empty() => {
            return Ok(format!("{at} is ready, and has the lab's dashboards"));
        }
        Dashboards::Missing(missing) => (
            format!("{at} is ready, but lacks {}", missing.join(", ")),
            "start it with dashboards/grafana/, as docker-compose.yml does",
        ),
        Dashboards::Unknown => (
            format!("{at} is ready, but does not tell its dashboards"),
            "see whether it asks for a login: the lab's own does not",
        ),
    };
    problem(gravity(addresses), found, advice)
}

#[cfg(test)]
mod tests;
