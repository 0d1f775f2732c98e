//! `lab grade --solution LANGUAGE`: a client that does every task.

use clap::ValueEnum;

/// The language of a solution.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Solution {
    /// Python 3.8 or later, with only its standard library
    Python,
    /// Node 18 or later, without packages
    #[value(aliases = ["js", "javascript"])]
    Node,
}

impl Solution {
    /// The source code of the client.
    pub(super) fn source(self) -> &'static str {
        match self {
            Self::Python => include_str!("../../../clients/correct/client.py"),
            Self::Node => include_str!("../../../clients/correct/client.mjs"),
        }
    }
}

#[cfg(test)]
mod tests {
    use grade::TASKS;

    use super::*;

    #[test]
    fn a_solution_names_every_task() {
        for solution in Solution::value_variants() {
            let source = solution.source();
            for name in TASKS.iter().map(|task| task.words.name) {
                let keys = [
                    format!("\"{name}\""),
                    format!("  {name}: "),
                    format!("  {name},"),
                ];

                let is_named = keys.iter().any(|key| source.contains(key));
                assert!(is_named, "{solution:?}: {name}");
            }
        }
    }
}
