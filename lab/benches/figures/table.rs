//! The table: a row for each figure.

/// The bound of a figure.
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
    /// It is shown for comparison.
    None,
}

/// Prints a row: the median of several rounds, and the ends of their middle half.
pub(crate) fn show(label: &str, unit: &str, bound: Bound, mut rounds: Vec<f64>) {
    rounds.sort_by(f64::total_cmp);
    let at = |percent: usize| rounds[(rounds.len() - 1) * percent / 100];
    let (limit, is_held) = match bound {
        Bound::AtMost(most) => (format!("<= {}", short(most)), at(50) <= most),
        Bound::AtLeast(least) => (format!(">= {}", short(least)), at(50) >= least),
        Bound::None => (String::new(), true),
    };
    let spread = if rounds.len() > 1 {
        format!("{}-{}", short(at(25)), short(at(75)))
    } else {
        String::new()
    };
    let median = format!("{}{unit}", short(at(50)));
    let missed = if is_held { "" } else { "MISSED" };
    let row = format!("{label:<46} {median:>9} {spread:>13}  {limit:<8} {missed}");
    println!("{}", row.trim_end());
}

/// The ratios of two series that were measured in turns.
pub(crate) fn ratios(over: &[f64], under: &[f64]) -> Vec<f64> {
    over.iter()
        .zip(under)
        .map(|(over, under)| over / under)
        .collect()
}

/// Three digits, and no decimals from 100 on.
fn short(value: f64) -> String {
    match value.abs() {
        ..10.0 => format!("{value:.3}"),
        ..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}
