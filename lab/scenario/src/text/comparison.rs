//! Two runs side by side: the effects of each, and both waterfalls on one axis.

use render::{Options, Sheet};

use super::{exchange, heading, waterfall::waterfalls};
use crate::{
    Answer, Compared, Comparison, ScenarioWords,
    compare::{Aspect, Effect, Side},
    run_phrases,
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
    let charts = waterfalls([&runs[0].traces, &runs[1].traces], &options);

    let mut sheet = Sheet::new(&options);
    heading(&mut sheet, words, &runs[0]);
    let sides = runs.iter().zip(&compared.sides);
    for (place, ((run, side), chart)) in sides.zip(charts).enumerate() {
        sheet.gap();
        let title = side.client.heading();
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
        run_phrases::prediction(&mut sheet, predicted, &runs.each_ref());
        sheet.gap();
    }
    effects(&mut sheet, compared);
    let broken: Vec<_> = runs[0].verdict.iter().filter(|check| !check.held).collect();
    if !broken.is_empty() {
        sheet.gap();
    }
    for check in broken {
        super::check(&mut sheet, check);
    }
    for remark in &compared.remarks {
        sheet.gap();
        sheet.beside("", &remark.text);
        if let Some(command) = remark.command {
            sheet.line(&format!("  {} {command}", options.lab));
        }
    }
    sheet.gap();
    sheet.paragraph("Why it matters", &comparison.why().join(" "));
    sheet.paragraph("Does not solve", words.unsolved);
    sheet.command("Try next", &format!("{} {next}", options.lab));
    sheet.into_text()
}

/// All effects: numbers in a table, texts under their label, and a mark where the two
/// differ.
fn effects(sheet: &mut Sheet<'_>, compared: &Compared) {
    let (numbers, words): (Vec<_>, Vec<_>) = compared
        .effects
        .iter()
        .partition(|effect| effect.sides.iter().all(|side| side.text.len() <= VALUE));
    let differs = sheet.options.or_ascii("≠", "differs");
    let sign = |effect: &Effect| if effect.differs { differs } else { "" };

    let widest = numbers
        .iter()
        .map(|number| number.label.len())
        .max()
        .unwrap_or(0);
    let names = compared.sides.each_ref().map(|side| side.client.column());
    let row = |label: &str, [one, other]: [&str; 2], sign: &str| {
        format!("{label:widest$}{one:>0$}{other:>0$}  {sign}", VALUE + 2)
    };
    sheet.line(&row("", names, ""));
    for effect in numbers {
        let values = effect.sides.each_ref().map(|side| side.text.as_str());
        sheet.line(&row(&effect.label, values, sign(effect)));
    }
    let label = names.iter().map(|name| name.len()).max().unwrap_or(0) + 4;
    for effect in words {
        sheet.line(format!("{}  {}", effect.label, sign(effect)).trim_end());
        for (side, value) in compared.sides.iter().zip(&effect.sides) {
            let name = format!("  {:<1$}", side.client.column(), label - 2);
            let text = match effect.aspect {
                Aspect::RulesBroken => rules(side, &value.text),
                _ => value.text.clone(),
            };
            sheet.beside(&name, &text);
        }
    }
}

/// The rules that a client broke, each with its finding.
fn rules(side: &Side, none: &str) -> String {
    let broken = side.broken.iter().map(|rule| match &rule.found {
        Some(found) => format!("{} ({found})", rule.id),
        None => rule.id.to_owned(),
    });
    let broken: Vec<_> = broken.collect();
    if broken.is_empty() {
        none.to_owned()
    } else {
        broken.join(", ")
    }
}
