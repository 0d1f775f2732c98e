//! The findings of the doctor as text.

use super::{Options, paint::fit, sheet::Sheet};
use evidence::{Finding, Level};

/// Renders each finding in a line, with its advice below.
#[must_use]
pub fn findings(findings: &[Finding], options: &Options) -> String {
    let names = findings.iter().map(|finding| finding.check.len());
    let width = names.max().unwrap_or(0);
    let arrow = options.or_ascii("→", "->");
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
    let count = |level| findings.iter().filter(|it| it.level == level).count();
    let notes = match count(Level::Note) {
        0 => String::new(),
        1 => "; 1 note".to_owned(),
        notes => format!("; {notes} notes"),
    };
    match count(Level::Problem) {
        0 => format!("ready{notes}"),
        1 => format!("not ready: 1 problem{notes}"),
        problems => format!("not ready: {problems} problems{notes}"),
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
            finding("web UI port", Level::Ok, "8766 is free", None),
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
        ✓ web UI port   8766 is free
        ! proxy         http_proxy, HTTP_PROXY would send curl and other clients to a
                        proxy; the lab's own clients ignore it
                        → export NO_PROXY=127.0.0.1,localhost
        ✗ service port  8765 is taken by ba?[2Jd (process 7)
                        → stop it

        not ready: 1 problem; 1 note
        ");
    }

    #[test]
    fn the_last_line_says_whether_a_workshop_can_begin() {
        let of = |levels: &[Level]| {
            let all = levels.iter().map(|level| finding("x", *level, "", None));
            let all: Vec<_> = all.collect();
            summary(&all)
        };

        assert_eq!(of(&[Level::Ok]), "ready");
        assert_eq!(of(&[Level::Note]), "ready; 1 note");
        assert_eq!(of(&[Level::Problem]), "not ready: 1 problem");
        assert_eq!(
            of(&[Level::Problem, Level::Problem, Level::Note, Level::Note]),
            "not ready: 2 problems; 2 notes"
        );
    }
}
