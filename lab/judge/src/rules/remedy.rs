//! The run that may show what a record does not.

/// How to run a client again so that the record may show whether it keeps a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// While no other program is busy.
    QuietMachine,
    /// In more cases of the same kind.
    MoreCases,
    /// In more cases, while no other program is busy.
    MoreCasesOnQuietMachine,
}
