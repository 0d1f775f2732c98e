//! The figures of several rounds.

/// The median of several rounds, and the ends of their middle half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    /// The spread of these rounds.
    pub(crate) fn of(rounds: impl IntoIterator<Item = f64>) -> Self {
        let mut rounds: Vec<_> = rounds.into_iter().collect();
        rounds.sort_by(f64::total_cmp);
        let at = |percent: usize| rounds[(rounds.len() - 1) * percent / 100];
        Self {
            low: at(25),
            median: at(50),
            high: at(75),
        }
    }

    /// The ratios of two series that were measured in turns.
    pub(crate) fn of_ratios(over: &[f64], under: &[f64]) -> Self {
        Self::of(over.iter().zip(under).map(|(over, under)| over / under))
    }
}
