//! The findings of the doctor as text.

use super::{Options, paint::fit, sheet::Sheet};
use evidence::{Finding, Level};

/// Renders each finding in a line, with its advice below.
#[must_use]
pub fn findings(findings: &[Finding], options: &Options) -> String {
    let names = findings.iter().map(|finding| finding.check.len());
    let width = names.max().unwrap_or(0);
    let arrow = if options.ascii { "->" } else { "→" };
    let mut sheet = Sheet::new(options);
    for finding in findings {
        // Names of processes and errors of the system are untrusted text.
        let found = fit(&finding.found, usize::MAX, options.ascii);
        sheet.finding(
            finding.level,
            &format!("{:width$}  ", finding.check),
            &found,
        );
        if let Some(advice) = &finding.advice {
            sheet.advice(&format!("{:width$}  {arrow} ", ""), advice);
        }
    }
    sheet.gap();
    sheet.line(&summary(findings));
    sheet.into_text()
}

fn summary(findings: &[Finding]) -> String {
    let count = |level| {
        findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    };
    let notes = match count(Level::Note) {
        0 => String::new(),
        1 => "; 1 thing to know".to_owned(),
        notes => format!("; {notes} things to know"),
    };
    match count(Level::Problem) {
        0 => format!("nothing stands in the way{notes}"),
        1 => format!("1 thing to do first{notes}"),
        problems => format!("{problems} things to do first{notes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(check: &'static str, level: Level, found: &str, advice: Option<&str>) -> Finding {
        Finding {
            check,
            level,
            found: found.to_owned(),
            advice: advice.map(str::to_owned),
        }
    }

    #[test]
    fn a_finding_has_its_advice_on_the_next_line() {
        let all = [
            finding("page port", Level::Ok, "8766 is free", None),
            finding(
                "proxy",
                Level::Note,
                "http_proxy, HTTP_PROXY would send curl and other clients to a proxy; the lab's \
                 own clients ignore it",
                Some("export NO_PROXY=127.0.0.1,localhost"),
            ),
            finding(
                "service port",
                Level::Problem,
                "8765 is taken by ba\u{1b}[2Jd (process 7)",
                Some("stop it"),
            ),
        ];

        insta::assert_snapshot!(findings(&all, &Options::default()), @"
        ✓ page port     8766 is free
        ! proxy         http_proxy, HTTP_PROXY would send curl and other clients to a
                        proxy; the lab's own clients ignore it
                        → export NO_PROXY=127.0.0.1,localhost
        ✗ service port  8765 is taken by ba?[2Jd (process 7)
                        → stop it

        1 thing to do first; 1 thing to know
        ");
        let ascii = Options {
            ascii: true,
            ..Options::default()
        };
        insta::assert_snapshot!(findings(&all, &ascii), @"
        ok   page port     8766 is free
        note proxy         http_proxy, HTTP_PROXY would send curl and other clients to a
                           proxy; the lab's own clients ignore it
                           -> export NO_PROXY=127.0.0.1,localhost
        FAIL service port  8765 is taken by ba?[2Jd (process 7)
                           -> stop it

        1 thing to do first; 1 thing to know
        ");
    }

    #[test]
    fn the_last_line_says_whether_a_workshop_can_begin() {
        let of = |levels: &[Level]| {
            let all: Vec<_> = levels
                .iter()
                .map(|level| finding("x", *level, "", None))
                .collect();
            summary(&all)
        };

        assert_eq!(of(&[Level::Ok]), "nothing stands in the way");
        assert_eq!(
            of(&[Level::Note]),
            "nothing stands in the way; 1 thing to know"
        );
        assert_eq!(of(&[Level::Problem]), "1 thing to do first");
        assert_eq!(
            of(&[Level::Problem, Level::Problem, Level::Note, Level::Note]),
            "2 things to do first; 2 things to know"
        );
    }
}
