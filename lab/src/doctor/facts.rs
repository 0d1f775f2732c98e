//! Facts about a machine, not judged.

use std::fmt;

use serde_json::Value;

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
    /// The responses of Prometheus.
    pub(super) api: Api,
    pub(super) tempo: Probe,
    pub(super) otlp: Probe,
    pub(super) grafana: Probe,
    /// Grafana's list of its dashboards. Null if it does not say, for example because it
    /// requires a login.
    pub(super) dashboards: Value,
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
    /// This process listens, as far as the system names it.
    Taken(String),
    /// The system does not allow anybody to listen there, and says why.
    Barred(String),
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

/// The JSON of Prometheus's API. What it does not say is null.
#[derive(Clone, Debug, Default)]
pub(super) struct Api {
    pub(super) targets: Value,
    pub(super) rules: Value,
    pub(super) flags: Value,
    /// The result of the query for the number of laptops that have written something.
    pub(super) laptops: Value,
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
pub(super) struct Docker {
    /// Whether its containers run in a virtual machine and reach the lab under a name.
    pub(super) is_desktop: bool,
    /// Why the dashboards cannot run in it, and what to do about that.
    pub(super) trouble: Option<(&'static str, &'static str)>,
}

/// The capabilities of stdout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// Columns; none if stdout is not a terminal.
    pub(crate) width: Option<usize>,
    pub(crate) utf8: bool,
}
