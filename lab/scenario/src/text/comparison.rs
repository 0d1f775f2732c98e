//! Two runs side by side: the effects of each, and both waterfalls on one axis.

use anstyle::Style;
use render::{Options, Sheet};

use super::{exchange, heading, waterfall::waterfalls};
use crate::{
    Answer, Comparison, ScenarioWords,
    compare::{ComparedCheck, Effect},
};

/// The most rows of each chart, so that both are visible together.
const ROWS: usize = 24;

/// The longest value that fits in the table; a longer one gets its own line.
const VALUE: usize = 11;

/// Renders a comparison and its lesson as text. `prediction` is what the reader expected
/// of the first run, if anything.
#[must_use]
pub fn comparison(
    words: &ScenarioWords,
    comparison: &Comparison,
    prediction: Option<&Answer>,
    options: &Options,
) -> String {
    let Comparison {
        runs,
        compared,
        next,
    } = comparison;
    let options = Options {
        rows: options.rows.min(ROWS),
        ..*options
    };
    let charts = waterfalls([&runs[0].trace, &runs[1].trace], &options);

    let mut sheet = Sheet::new(&options);
    heading(&mut sheet, words, &runs[0]);
    for (place, (run, chart)) in runs.iter().zip(charts).enumerate() {
        sheet.gap();
        let title = run.client.heading();
        sheet.title(&match place {
            0 => title,
            _ => {
                let terms = run.terms.get(1..).unwrap_or_default().join(", ");
                format!("{title} {} {terms}", sheet.dash())
            }
        });
        sheet.block(&chart);
        if options.exchanges {
            exchange::exchanges(&mut sheet, &run.wire);
        }
    }
    sheet.gap();
    if let Some(predicted) = prediction {
        super::prediction(&mut sheet, predicted, &runs.each_ref());
        sheet.gap();
    }
    let names = runs.each_ref().map(|run| run.client.column());
    effects(&mut sheet, &compared.effects, names);
    sheet.gap();
    checks(&mut sheet, &compared.checks, names);
    sheet.gap();
    sheet.paragraph("Why it matters", &comparison.why().join(" "));
    if let Some(without) = runs.iter().find_map(|run| run.lesson.without.as_ref()) {
        sheet.paragraph("Removed defence", without);
    }
    sheet.paragraph("Does not solve", words.unsolved);
    sheet.command("Try next", &format!("{} {next}", options.lab));
    sheet.into_text()
}

/// All effects: numbers in a table, texts under their label, and a mark where the two
/// differ.
fn effects(sheet: &mut Sheet<'_>, effects: &[Effect], names: [&str; 2]) {
    let (numbers, words): (Vec<_>, Vec<_>) = effects
        .iter()
        .partition(|effect| effect.sides.iter().all(|side| side.len() <= VALUE));
    let differs = sheet.options.or_ascii("≠", "!=");
    let sign = |effect: &Effect| if effect.differs { differs } else { "" };

    let widest = numbers
        .iter()
        .map(|number| number.label.len())
        .max()
        .unwrap_or(0);
    let row = |label: &str, [one, other]: [&str; 2], sign: &str| {
        format!("{label:widest$}{one:>0$}{other:>0$}  {sign}", VALUE + 2)
    };
    sheet.line(row("", names, "").trim_end());
    for effect in numbers {
        let values = effect.sides.each_ref().map(String::as_str);
        sheet.line(row(effect.label, values, sign(effect)).trim_end());
    }
    let label = widest_name(names) + 4;
    for effect in words {
        sheet.line(format!("{}  {}", effect.label, sign(effect)).trim_end());
        for (name, side) in names.iter().zip(&effect.sides) {
            sheet.beside(&format!("  {name:<0$}", label - 2), side);
        }
    }
}

/// Each expectation with a mark for each client, and under it the findings.
fn checks(sheet: &mut Sheet<'_>, checks: &[ComparedCheck], names: [&str; 2]) {
    let [one, other] = names;
    let neither = sheet.options.or_ascii("·", "-");
    sheet.line(&format!(
        "expected of {one} and {other} ({neither} not exercised)"
    ));
    for check in checks {
        let [one, other] = check.held.map(|held| sheet.mark(held, Style::new()));
        let found = names.iter().zip(&check.found).filter_map(|(name, found)| {
            Some(format!(" {} {name}: {}", sheet.dash(), found.as_ref()?))
        });
        let text: String = [check.text.clone()].into_iter().chain(found).collect();
        sheet.beside(&format!("{one} {other}  {:<8}", check.source), &text);
    }
}

fn widest_name(names: [&str; 2]) -> usize {
    names.iter().map(|name| name.len()).max().unwrap_or(0)
}
