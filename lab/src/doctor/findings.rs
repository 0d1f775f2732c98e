//! Turns facts into findings.

use evidence::{Finding, Level};
use render::Options;
use reqwest::Url;

use serde_json::Value;

use super::{
    Addresses,
    facts::{Api, Docker, Facts, Language, Port, Probe, Terminal},
};

/// The job under which Prometheus scrapes the lab.
const JOB: &str = "lab";

/// The group of the lab's alert rules in Prometheus.
const ALERTS: &str = "lab-alerts";

/// The uids of the lab's dashboards.
const DASHBOARDS: &[&str] = &["lab-client", "lab-service", "lab-workshop"];

/// The uid of the dashboard for a class.
const ROOM: &[&str] = &["lab-room"];

/// The result of a check: the good state, or the level of the problem, what was found, and
/// what to do.
type Verdict = Result<String, (Level, String, String)>;

fn problem(level: Level, found: impl Into<String>, advice: impl Into<String>) -> Verdict {
    Err((level, found.into(), advice.into()))
}

/// Judges the facts, in the order in which a person would fix them.
pub(crate) fn findings(facts: &Facts, addresses: &Addresses) -> Vec<Finding> {
    let mut verdicts = vec![
        ("service port", service_port(facts, addresses)),
        (
            "web UI port",
            port(addresses.page, Some("--page-port"), &facts.page),
        ),
        ("loopback", loopback(&facts.loopback)),
        ("proxy", proxy(&facts.proxies, facts.system)),
        ("terminal", terminal(facts.terminal)),
        ("locale", locale(facts.terminal, facts.system)),
        ("languages", languages(&facts.languages)),
        ("docker", docker(facts, addresses)),
    ];
    // Without interest in the dashboards, one finding about them is enough.
    if !addresses.wanted && facts.dashboard_probes() == [Probe::Refused; 3] {
        verdicts.push(("dashboards", no_dashboards(facts)));
    } else {
        verdicts.extend([
            ("prometheus", prometheus(facts, addresses)),
            ("tempo", tempo(facts, addresses)),
            ("grafana", grafana(facts, addresses)),
        ]);
    }
    let findings = verdicts.into_iter().map(|(check, verdict)| {
        let (level, found, advice) = match verdict {
            Ok(found) => (Level::Ok, found, None),
            Err((level, found, advice)) => (level, found, Some(advice)),
        };
        Finding {
            check,
            level,
            found,
            advice,
        }
    });
    findings.collect()
}

fn service_port(facts: &Facts, addresses: &Addresses) -> Verdict {
    // Prometheus scrapes the lab on one port only.
    let instead = (!addresses.wanted).then_some("--port");
    match &facts.service {
        // A service without the web UI is not `lab serve`.
        Port::Lab if facts.page != Port::Lab => taken(
            addresses.service,
            instead,
            "a teaching service without the web UI",
        ),
        state => port(addresses.service, instead, state),
    }
}

/// Judges a port. `instead` is the option for another port, if another would do.
fn port(number: u16, instead: Option<&str>, port: &Port) -> Verdict {
    match port {
        Port::Free => Ok(format!("{number} is free")),
        Port::Lab => Ok(format!("{number} is used by a running `lab serve`")),
        Port::Taken(by) => taken(number, instead, by),
        Port::Barred(why) => problem(
            Level::Problem,
            format!("{number} cannot be listened on: {why}"),
            match instead {
                Some(option) => format!("use another: lab serve {option} 0"),
                None => "find out what blocks it: Prometheus scrapes the lab only there".to_owned(),
            },
        ),
    }
}

fn taken(number: u16, instead: Option<&str>, by: &str) -> Verdict {
    let advice = match instead {
        Some(option) => format!("stop it, or use another port: lab serve {option} 0"),
        None => "stop it: Prometheus scrapes the lab only there".to_owned(),
    };
    problem(Level::Problem, format!("{number} is taken by {by}"), advice)
}

fn loopback(reached: &Result<(), String>) -> Verdict {
    match reached {
        Ok(()) => Ok("connections to 127.0.0.1 work".to_owned()),
        Err(why) => problem(
            Level::Problem,
            format!("connections to 127.0.0.1 fail: {why}"),
            "allow connections within this machine in its firewall or sandbox",
        ),
    }
}

fn proxy(variables: &[&str], system: &str) -> Verdict {
    if variables.is_empty() {
        return Ok("no proxy for 127.0.0.1".to_owned());
    }
    let variables = variables.join(", ");
    problem(
        Level::Note,
        format!(
            "{variables} would send curl and other clients to a proxy; the lab's own clients ignore it"
        ),
        // The new names go before those that are already exempt.
        match system {
            "windows" => "set NO_PROXY=127.0.0.1,localhost,%NO_PROXY%",
            _ => "export NO_PROXY=127.0.0.1,localhost,$NO_PROXY",
        },
    )
}

fn terminal(terminal: Terminal) -> Verdict {
    match terminal.width {
        None => Ok("not a terminal: the output has 80 columns".to_owned()),
        Some(width) if width < Options::NARROWEST => problem(
            Level::Note,
            format!(
                "{width} columns: pictures need at least {}",
                Options::NARROWEST
            ),
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

/// One language is enough: a client can be written in any.
fn languages(languages: &[Language]) -> Verdict {
    let (usable, others): (Vec<_>, Vec<_>) = languages
        .iter()
        .partition(|language| language.runs_the_starter());
    let usable = join(&usable, |it| match it.version {
        Some(version) => format!("{} {version}", it.name),
        None => it.name.to_owned(),
    });
    let missing = join(&others, |it| match it.version {
        Some(version) => format!("{} {version} is too old", it.name),
        None => format!("no {}", it.name),
    });
    let to_install = join(&others, |it| {
        format!("{} {} or later ({})", it.name, it.least, it.site)
    });
    match (usable.is_empty(), missing.is_empty()) {
        (true, _) => problem(
            Level::Note,
            format!("{missing}; `lab starter` needs one of them"),
            format!("to start from one, install {to_install}"),
        ),
        (false, true) => Ok(format!("{usable}, for `lab starter`")),
        (false, false) => Ok(format!(
            "{usable}, for `lab starter`; if you want others: {to_install}"
        )),
    }
}

fn join(languages: &[&Language], words: impl Fn(&Language) -> String) -> String {
    let all: Vec<_> = languages.iter().map(|language| words(language)).collect();
    all.join(", ")
}

/// How severe it is that a part of the dashboards is missing.
fn gravity(addresses: &Addresses) -> Level {
    match addresses.wanted {
        true => Level::Problem,
        false => Level::Note,
    }
}

/// The command that starts the dashboards on this machine.
fn compose(facts: &Facts) -> &'static str {
    match (facts.api.laptops(), facts.docker.is_desktop) {
        (Some(_), _) => "docker compose --profile room up -d",
        (None, true) => "docker compose --profile desktop up -d",
        (None, false) => "docker compose up -d",
    }
}

fn docker(facts: &Facts, addresses: &Addresses) -> Verdict {
    let Docker {
        is_desktop,
        trouble,
    } = facts.docker;
    let Some((found, advice)) = trouble else {
        let engine = match is_desktop {
            true => "an engine in a virtual machine",
            false => "Docker Engine on Linux",
        };
        return Ok(format!("{engine}: {}", compose(facts)));
    };
    // A machine that has all three without Docker does not need Docker.
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

/// The address of a part of the dashboards, or why it is not ready.
fn ready(probe: Probe, base: &Url, facts: &Facts, addresses: &Addresses) -> Verdict {
    // All of these addresses use the same scheme.
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
            "check its logs: docker compose logs",
        ),
        Probe::NotHttp => (format!("another program listens at {at}"), other),
        Probe::Status(status @ (404 | 401 | 403)) => (
            format!("another program responds at {at} ({status})"),
            other,
        ),
        Probe::Status(status) => (
            format!("{at} is not ready ({status})"),
            "wait half a minute, and ask again: lab doctor",
        ),
    };
    problem(gravity(addresses), found, advice)
}

fn prometheus(facts: &Facts, addresses: &Addresses) -> Verdict {
    let at = ready(facts.prometheus, &addresses.prometheus, facts, addresses)?;
    let health = facts.api.health();
    let is = |state| health.iter().flatten().any(|health| *health == state);
    let (found, advice) = match (facts.api.laptops(), &health) {
        (Some(0), _) => (
            "and waits for the laptops of a room",
            "on one, with this machine's address: lab serve --otlp http://ADDRESS:4318".to_owned(),
        ),
        (Some(laptops), _) => {
            let laptops = wire::counted(laptops.into(), "laptop");
            return Ok(format!("{at} is ready, and has data from {laptops}"));
        }
        (None, None) => (
            "but does not list its targets",
            "check that it is Prometheus: open its page in a browser".to_owned(),
        ),
        (None, Some(targets)) if targets.is_empty() => (
            "but has no job `lab`",
            "start it with dashboards/prometheus/prometheus.yml".to_owned(),
        ),
        _ if is("up") => match facts.api.rules_trouble() {
            Some(trouble) => trouble,
            None => {
                return Ok(format!(
                    "{at} is ready, scrapes the lab, and has its alerts"
                ));
            }
        },
        _ if is("unknown") => (
            "and has not scraped the lab yet",
            "wait ten seconds, and ask again: lab doctor".to_owned(),
        ),
        _ if facts.page != Port::Lab => {
            let otlp = addresses.otlp.as_str().trim_end_matches('/');
            ("and waits for the lab", format!("lab serve --otlp {otlp}"))
        }
        _ => (
            "but does not reach the lab",
            format!(
                "start it with the profile for this Docker: {}",
                compose(facts)
            ),
        ),
    };
    problem(
        gravity(addresses),
        format!("{at} is ready, {found}"),
        advice,
    )
}

/// The text at a pointer.
fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

impl Api {
    /// The health of each target that is the lab, if Prometheus lists its targets.
    fn health(&self) -> Option<Vec<&str>> {
        let active = self.targets.pointer("/data/activeTargets")?.as_array()?;
        let own = active
            .iter()
            .filter(|target| text(target, "/labels/job") == Some(JOB));
        Some(own.filter_map(|target| text(target, "/health")).collect())
    }

    /// In a class, where Prometheus has no target because laptops write to it: how many
    /// have written so far.
    fn laptops(&self) -> Option<u32> {
        let accepts = text(&self.flags, "/data/web.enable-remote-write-receiver");
        let is_room = accepts == Some("true") && self.health()?.is_empty();
        // An empty result means zero.
        let count = text(&self.laptops, "/data/result/0/value/1");
        is_room.then(|| count.and_then(|it| it.parse().ok()).unwrap_or(0))
    }

    /// What is wrong with the lab's alerts and the recording rules that they read, and what
    /// to do about it.
    fn rules_trouble(&self) -> Option<(&'static str, String)> {
        let Some(groups) = self.rules.pointer("/data/groups").and_then(Value::as_array) else {
            return Some((
                "scrapes the lab, but does not list its rules",
                "check that it is Prometheus: open its page in a browser".to_owned(),
            ));
        };
        let named = groups
            .iter()
            .filter_map(|it| Some((text(it, "/name")?, it.get("rules")?.as_array()?)));
        let own = named.filter(|(name, _)| name.starts_with("lab-"));
        if !own.clone().any(|(name, _)| name == ALERTS) {
            return Some((
                "scrapes the lab, but has no alerts for it",
                "make dashboards/ readable for everybody, and restart: docker compose up -d"
                    .to_owned(),
            ));
        }
        let failing = own
            .flat_map(|(_, rules)| rules)
            .find(|rule| text(rule, "/health") == Some("err"))?;
        Some((
            "scrapes the lab, but cannot evaluate all of its rules",
            format!("check {} on its page under /rules", text(failing, "/name")?),
        ))
    }
}

fn tempo(facts: &Facts, addresses: &Addresses) -> Verdict {
    let at = ready(facts.tempo, &addresses.tempo, facts, addresses)?;
    match ready(facts.otlp, &addresses.otlp, facts, addresses) {
        Ok(otlp) => Ok(format!("{at} is ready, and {otlp} takes traces")),
        Err((level, found, _)) => problem(
            level,
            format!("{at} is ready, but takes no traces: {found}"),
            "start it with dashboards/tempo/tempo.yml",
        ),
    }
}

fn grafana(facts: &Facts, addresses: &Addresses) -> Verdict {
    let at = ready(facts.grafana, &addresses.grafana, facts, addresses)?;
    let Some(found) = facts.dashboards.as_array() else {
        return problem(
            gravity(addresses),
            format!("{at} is ready, but does not list its dashboards"),
            "check whether it requires a login: the lab's own does not",
        );
    };
    let expected = facts.api.laptops().map_or(DASHBOARDS, |_| ROOM);
    let is_missing = |uid: &&str| found.iter().all(|it| text(it, "/uid") != Some(uid));
    let missing: Vec<_> = expected.iter().copied().filter(is_missing).collect();
    match missing.is_empty() {
        true => Ok(format!("{at} is ready, and has the lab's dashboards")),
        false => problem(
            gravity(addresses),
            format!("{at} is ready, but lacks {}", missing.join(", ")),
            "start it with dashboards/grafana/, as docker-compose.yml does",
        ),
    }
}

#[cfg(test)]
mod tests;
