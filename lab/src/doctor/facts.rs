//! Facts about a machine, not judged.

use std::fmt;

/// All facts about a machine.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// The value of [`std::env::consts::OS`].
    pub(super) system: &'static str,
    pub(super) service: Port,
    pub(super) page: Port,
    /// The system's error for a connection within this machine.
    pub(super) loopback: Result<(), String>,
    /// Variables that name a proxy which would get requests to 127.0.0.1, too.
    pub(super) proxies: Vec<&'static str>,
    /// The languages of `lab starter`.
    pub(super) languages: Vec<Language>,
    pub(super) docker: Docker,
    pub(super) prometheus: Probe,
    pub(super) target: Target,
    pub(super) rules: Rules,
    pub(super) tempo: Probe,
    pub(super) otlp: Probe,
    pub(super) grafana: Probe,
    pub(super) dashboards: Dashboards,
    pub(super) terminal: Terminal,
}

impl Facts {
    /// The probes of Prometheus, Tempo and Grafana, which the dashboards need.
    pub(super) fn dashboard_probes(&self) -> [Probe; 3] {
        [self.prometheus, self.tempo, self.grafana]
    }
}

/// A port on 127.0.0.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Port {
    Free,
    /// The part of the lab that belongs on this port listens already.
    Lab,
    /// A process listens; the system may not say which.
    Taken(Option<Holder>),
    /// The system does not allow anybody to listen there, and says why.
    Barred(String),
}

/// The process that uses a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holder {
    pub(super) name: String,
    pub(super) id: u32,
}

/// The result of a request to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Probe {
    /// No process listens there.
    Refused,
    /// A process listens, but does not respond in time.
    TimedOut,
    /// The response is not HTTP.
    NotHttp,
    Status(u16),
}

impl Probe {
    pub(super) fn is_ready(self) -> bool {
        self == Self::Status(200)
    }
}

/// The state of the lab as a target of Prometheus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Prometheus does not say.
    Unknown,
    /// Prometheus has no such target.
    Absent,
    /// Prometheus has not scraped it yet.
    Awaited,
    Down,
    Up,
    /// Prometheus has no targets because laptops write to it, as in a class: how many
    /// have written so far.
    Written(u32),
}

/// The state of the lab's alert rules in Prometheus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// Prometheus does not say.
    Unknown,
    /// Prometheus has no such rules.
    Missing,
    /// This rule cannot be evaluated.
    Failing(String),
    /// All rules exist, and none fails.
    Sound,
}

/// The lab's dashboards in Grafana.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Dashboards {
    /// Grafana does not say, for example because it requires a login.
    Unknown,
    /// The dashboards that should exist and do not.
    Missing(Vec<&'static str>),
}

/// A language that a client can be written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Language {
    pub(super) name: &'static str,
    /// The program that runs a client in it.
    pub(super) program: &'static str,
    /// The argument with which the program prints its version.
    pub(super) asks: &'static str,
    /// None if it is not installed.
    pub(super) version: Option<Version>,
    /// The oldest version that runs the client of `lab starter`.
    pub(super) least: Version,
    /// The site that offers it.
    pub(super) site: &'static str,
}

impl Language {
    pub(super) fn runs_the_starter(&self) -> bool {
        self.version.is_some_and(|version| version >= self.least)
    }
}

/// Major and minor version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(pub(super) u32, pub(super) u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// The Docker of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Docker {
    /// The command does not exist.
    Absent,
    /// The command does not respond in time, or its output is invalid.
    Silent,
    /// The command exists, but no engine runs.
    NoEngine,
    /// This user may not connect to the engine.
    Denied,
    Engine {
        flavour: Flavour,
        /// Whether `docker compose` exists.
        compose: bool,
    },
}

/// How an engine's containers reach the machine that they run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    /// On the host's own network.
    Host,
    /// Not at all: the engine has a network of its own user.
    Rootless,
    /// Through a virtual machine, under a name.
    Desktop,
}

/// The capabilities of stdout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// Columns; none if stdout is not a terminal.
    pub(crate) width: Option<usize>,
    pub(crate) utf8: bool,
}
