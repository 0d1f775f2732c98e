//! The storm's figures as text: the lab's beside the published ones, model by model.

use evidence::storm::check::{Compared, Count, Figure, Figures, Model};

use super::{Options, sheet::Sheet};

/// The width of the settings, and of each of the other columns.
const SETTING: usize = 38;
const OURS: usize = 11;
const THEIRS: usize = 10;

/// Renders figures: the setting, the lab's value, the published value, the tolerance, and
/// whether they agree.
#[must_use]
pub fn figures(figures: &Figures, options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    sheet.title("The storm and published figures");
    let Figures { requests, seed, .. } = figures;
    let about =
        format!("{requests} requests of the client that ships, in virtual time; seed {seed}.");
    sheet.beside("", &about);
    for one in &figures.models {
        model(&mut sheet, one);
    }
    sheet.gap();
    let all = figures.all().count();
    let held = figures.all().filter(|figure| figure.held).count();
    let cancelled = match figures.cancelled {
        true => "; it was cancelled early",
        false => "",
    };
    sheet.line(&format!("{held} of {all} figures hold{cancelled}"));
    sheet.into_text()
}

fn model(sheet: &mut Sheet<'_>, model: &Model) {
    sheet.gap();
    sheet.title(model.name);
    sheet.beside("", model.about);
    sheet.beside("Source: ", model.source);
    let mut quantities = Vec::new();
    for figure in &model.figures {
        if !quantities.contains(&figure.quantity) {
            quantities.push(figure.quantity);
        }
    }
    for quantity in quantities {
        sheet.line(&format!(
            "  {quantity:<SETTING$}{:>OURS$}{:>THEIRS$}   tolerance",
            "ours", "theirs"
        ));
        let figures = model.figures.iter();
        for figure in figures.filter(|figure| figure.quantity == quantity) {
            line(sheet, figure);
        }
    }
}

fn line(sheet: &mut Sheet<'_>, figure: &Figure) {
    let [ours, theirs, tolerance] = columns(&figure.compared, sheet.options);
    let setting = &figure.setting;
    let columns = format!("{setting:<SETTING$}{ours:>OURS$}{theirs:>THEIRS$}   {tolerance}");
    sheet.check(figure.held, &columns, "");
}

fn columns(compared: &Compared, options: &Options) -> [String; 3] {
    match *compared {
        Compared::Numbers {
            ours,
            theirs,
            tolerance,
        } => {
            let decimals = decimals(tolerance);
            let sign = options.or_ascii("±", "+/-");
            [
                format!("{ours:.decimals$}"),
                format!("{theirs:.decimals$}"),
                format!("{sign}{tolerance:.decimals$}"),
            ]
        }
        Compared::Counts {
            ours,
            theirs,
            from,
            to,
        } => {
            let of = |Count { count, runs }: Count| format!("{count} of {runs}");
            [of(ours), of(theirs), format!("{from} to {to}")]
        }
    }
}

/// The number of decimals that shows two digits of the tolerance.
fn decimals(tolerance: f64) -> usize {
    let powers = std::iter::successors(Some(10.0), |power| Some(power / 10.0));
    powers
        .take(7)
        .take_while(|power| *power > tolerance && tolerance > 0.0)
        .count()
}

#[cfg(test)]
mod tests {
    use evidence::storm::check::FIGURES_VERSION;

    use super::*;

    fn checked() -> Figures {
        let writes = |setting: &str, ours| {
            Figure::of_numbers(setting.to_owned(), "writes", ours, 796.0, 3.0)
        };
        let seconds = |setting: &str, ours| {
            Figure::of_numbers(setting.to_owned(), "seconds", ours, 4.91, 0.22)
        };
        let [ours, theirs] = [(156, 200), (14, 20)].map(|(count, runs)| Count { count, runs });
        let model = |name, figures| Model {
            name,
            about: "How it is modelled.",
            source: "somebody",
            figures,
        };
        let contention = vec![
            writes("full jitter", 794.7),
            seconds("full jitter", 4.96),
            writes("no jitter", 1_858.0),
        ];
        let stuck = Figure::of_counts("40/s".to_owned(), "stuck", ours, theirs);
        Figures {
            schema_version: FIGURES_VERSION,
            seed: 1,
            generator: "chacha12",
            requests: 12_345,
            cancelled: false,
            models: vec![
                model("Contention", contention),
                model("Collapse", vec![stuck]),
            ],
        }
    }

    #[test]
    fn each_quantity_shows_the_lab_beside_the_published_value() {
        insta::assert_snapshot!(figures(&checked(), &Options::default()), @"
        The storm and published figures
        12345 requests of the client that ships, in virtual time; seed 1.

        Contention
        How it is modelled.
        Source: somebody
          writes                                       ours    theirs   tolerance
        ✓ full jitter                                 794.7     796.0   ±3.0
        ✗ no jitter                                  1858.0     796.0   ±3.0
          seconds                                      ours    theirs   tolerance
        ✓ full jitter                                  4.96      4.91   ±0.22

        Collapse
        How it is modelled.
        Source: somebody
          stuck                                        ours    theirs   tolerance
        ✓ 40/s                                   156 of 200  14 of 20   10 to 20

        3 of 4 figures hold
        ");
    }

    #[test]
    fn a_cancelled_check_says_so_in_ascii() {
        let cancelled = Figures {
            cancelled: true,
            ..checked()
        };
        let ascii = Options {
            ascii: true,
            ..Options::default()
        };

        let text = figures(&cancelled, &ascii);

        assert!(text.is_ascii(), "{text}");
        assert!(text.ends_with("3 of 4 figures hold; it was cancelled early\n"));
    }
}
