//! Facts about a machine, without a judgement.

/// All that is known of a machine.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// As [`std::env::consts::OS`] has it.
    pub(super) system: &'static str,
    pub(super) service: Port,
    pub(super) page: Port,
    /// What the system says against a connection within this machine.
    pub(super) loopback: Result<(), String>,
    /// Variables that name a proxy which would be asked for 127.0.0.1 as well.
    pub(super) proxies: Vec<&'static str>,
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
    /// The three that show dashboards: Prometheus, Tempo and Grafana.
    pub(super) fn dashboard_probes(&self) -> [Probe; 3] {
        [self.prometheus, self.tempo, self.grafana]
    }
}

/// A port on 127.0.0.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Port {
    Free,
    /// What the lab would have there responds there already.
    Lab,
    /// Somebody listens there; the system may not say which process.
    Taken(Option<Holder>),
    /// The system lets nobody listen there, and says why.
    Barred(String),
}

/// The process that has a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holder {
    pub(super) name: String,
    pub(super) id: u32,
}

/// What a request to an address comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Probe {
    /// Nobody listens there.
    Refused,
    /// It listens, and does not respond in time.
    TimedOut,
    /// It responds with something else than HTTP.
    NotHttp,
    Status(u16),
}

impl Probe {
    pub(super) fn is_ready(self) -> bool {
        self == Self::Status(200)
    }
}

/// The lab as Prometheus sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Prometheus does not say.
    Unknown,
    /// It is no target.
    Absent,
    /// Nobody has tried yet.
    Awaited,
    Down,
    Up,
    /// It has no targets and takes what others write, as in a room: the numbers of so
    /// many laptops so far.
    Written(u32),
}

/// The lab's alert rules as Prometheus has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// Prometheus does not say.
    Unknown,
    /// There are none.
    Missing,
    /// This one cannot be evaluated.
    Failing(String),
    /// They are there, and none fails.
    Sound,
}

/// The lab's dashboards as Grafana has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Dashboards {
    /// Grafana does not say, as when it asks for a login.
    Unknown,
    /// Those that are not there, of all that should be.
    Missing(Vec<&'static str>),
}

/// The Docker of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Docker {
    /// There is no such command.
    Absent,
    /// It does not respond in time, or with nothing that can be understood.
    Silent,
    /// There is the command, and no engine.
    NoEngine,
    /// There may be an engine, and this user may not speak to it.
    Denied,
    Engine {
        flavour: Flavour,
        /// Whether `docker compose` is there.
        compose: bool,
    },
}

/// Where an engine's containers find the machine that they run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    /// On the host's own network.
    Host,
    /// Nowhere: its network is a user's own.
    Rootless,
    /// Beyond a virtual machine, under a name.
    Desktop,
}

/// What the lab is to be shown on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// Columns; none if stdout is no terminal.
    pub(crate) width: Option<usize>,
    pub(crate) utf8: bool,
}
