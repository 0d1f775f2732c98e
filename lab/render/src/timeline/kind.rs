//! The kinds of bars and rows.

/// What a bar or a row is, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An attempt that succeeded.
    Good,
    /// An attempt that failed.
    Failed,
    /// An attempt whose response broke off.
    Cut,
    /// An attempt that goes on.
    InFlight,
    /// A wait before another attempt, of the length that was decided.
    Wait,
    /// A time between two requests; the wire does not say why.
    Pause,
    /// The time by which a wait took longer than decided: the machine was busy.
    Late,
    /// A wait for a turn.
    Queue,
    /// The service's side of a request.
    Service,
    /// The moment at which a client gave up, or was killed; a call that failed as it should.
    Stop,
}

impl Kind {
    /// All kinds.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 10] = [
        Self::Good,
        Self::Failed,
        Self::Cut,
        Self::InFlight,
        Self::Wait,
        Self::Pause,
        Self::Late,
        Self::Queue,
        Self::Service,
        Self::Stop,
    ];

    /// Whether the client only waits, so that the time may be cut, and an attempt is drawn over
    /// it.
    pub(crate) fn is_waiting(self) -> bool {
        matches!(self, Self::Wait | Self::Pause | Self::Late | Self::Queue)
    }

    /// Whether it is an attempt.
    pub(crate) fn is_attempt(self) -> bool {
        matches!(self, Self::Good | Self::Failed | Self::Cut | Self::InFlight)
    }
}
