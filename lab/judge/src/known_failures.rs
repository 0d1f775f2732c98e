//! The known failures of a client, so that only other failures count.

use std::fmt;

use crate::rules::Verdict;

/// A rule or a goal that a client is known to fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFailure {
    /// The task or the route where it fails; none for all.
    pub place: Option<String>,
    /// The id of the rule, or the word for a goal.
    pub id: String,
}

/// The list of known failures. An entry that the card shows kept is an error too: otherwise
/// the list would only grow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFailures(Vec<KnownFailure>);

/// A card, as far as known failures ask about it.
pub trait JudgedCard {
    /// Every verdict with its id and its task or route; those on all requests have none.
    fn all_verdicts(&self) -> impl Iterator<Item = (Option<&str>, &str, Verdict)>;
}

impl KnownFailure {
    fn covers(&self, place: Option<&str>, id: &str) -> bool {
        self.id == id && (self.place.is_none() || self.place.as_deref() == place)
    }

    /// Whether the card shows it kept in at least one place and broken in none.
    fn has_passed(&self, card: &impl JudgedCard) -> bool {
        let is_found = |expected| {
            let mut verdicts = card.all_verdicts();
            verdicts.any(|(place, id, verdict)| verdict == expected && self.covers(place, id))
        };
        is_found(Verdict::Kept) && !is_found(Verdict::Broken)
    }
}

impl fmt::Display for KnownFailure {
    /// As in a list: `id` or `place/id`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}/{}", self.id),
            None => f.write_str(&self.id),
        }
    }
}

impl KnownFailures {
    /// Reads a list with one entry on each line, as `id` or `place/id`; `#` begins a comment.
    /// `check` checks an entry.
    ///
    /// # Errors
    ///
    /// The number of the first line that fails its check, and the error of the check.
    pub fn read<E>(
        text: &str,
        check: impl Fn(&KnownFailure) -> Result<(), E>,
    ) -> Result<Self, (usize, E)> {
        let lines = text.lines().zip(1..).filter_map(|(line, number)| {
            let words = line.split('#').next().unwrap_or_default().trim();
            (!words.is_empty()).then_some((number, words))
        });
        let entries = lines.map(|(number, words)| {
            let (place, id) = match words.rsplit_once('/') {
                Some((place, id)) => (Some(place.to_owned()), id.to_owned()),
                None => (None, words.to_owned()),
            };
            let entry = KnownFailure { place, id };
            check(&entry)
                .map(|()| entry)
                .map_err(|error| (number, error))
        });
        entries.collect::<Result<_, _>>().map(Self)
    }

    /// The places that the list names.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|known| known.place.as_deref())
    }

    /// Whether this rule or goal is known to fail in this task or route.
    #[must_use]
    pub fn cover(&self, place: Option<&str>, id: &str) -> bool {
        self.0.iter().any(|known| known.covers(place, id))
    }

    /// The entries that the card shows to be wrong.
    pub fn passed(&self, card: &impl JudgedCard) -> impl Iterator<Item = &KnownFailure> {
        self.0.iter().filter(|known| known.has_passed(card))
    }

    /// How a verdict on this rule or goal of a task or route counts in CI: whether it passes,
    /// none if it is skipped, and the reason. A failure that is known is skipped, one that is
    /// wrongly listed fails, and so does, if `is_strict`, what could not be judged.
    #[must_use]
    pub fn report(
        &self,
        card: &impl JudgedCard,
        (place, id): (Option<&str>, &str),
        verdict: Verdict,
        found: &str,
        is_strict: bool,
    ) -> (Option<bool>, String) {
        match verdict {
            Verdict::Kept if self.wrongly_cover(card, place, id) => {
                let message = "on the list of known failures, but did not fail";
                (Some(false), message.to_owned())
            }
            Verdict::Kept => (Some(true), found.to_owned()),
            Verdict::Broken if self.cover(place, id) => (None, format!("known to fail: {found}")),
            Verdict::Broken => (Some(false), found.to_owned()),
            Verdict::CannotTell if is_strict => (Some(false), found.to_owned()),
            Verdict::CannotTell | Verdict::Skipped | Verdict::NotExercised => {
                (None, found.to_owned())
            }
        }
    }

    /// Whether an entry that the card shows to be wrong covers this rule or goal.
    fn wrongly_cover(&self, card: &impl JudgedCard, place: Option<&str>, id: &str) -> bool {
        self.passed(card).any(|known| known.covers(place, id))
    }
}

#[cfg(test)]
mod tests {
    use Verdict::{Broken, CannotTell, Kept, Skipped};

    use super::*;

    struct Card(&'static [(&'static str, &'static str, Verdict)]);

    impl JudgedCard for Card {
        fn all_verdicts(&self) -> impl Iterator<Item = (Option<&str>, &str, Verdict)> {
            self.0
                .iter()
                .map(|&(place, id, verdict)| (Some(place), id, verdict))
        }
    }

    fn read(list: &str) -> KnownFailures {
        let check = |known: &KnownFailure| match &*known.id {
            "twice" => Err(()),
            _ => Ok(()),
        };
        KnownFailures::read(list, check).expect("a list")
    }

    #[test]
    fn a_line_is_an_id_or_an_id_in_a_place() {
        let known = read("# none\nonce\n POST /v1/orders/once # two\n\nflaky/goal");

        let words = known.0.iter().map(ToString::to_string);
        let expected = ["once", "POST /v1/orders/once", "flaky/goal"];
        assert_eq!(words.collect::<Vec<_>>(), expected);
        let places: Vec<_> = known.places().collect();
        assert_eq!(places, ["POST /v1/orders", "flaky"]);
        let refused = KnownFailures::read("\nonce\nGET /a/twice", |known| match &*known.id {
            "twice" => Err(known.to_string()),
            _ => Ok(()),
        });
        assert_eq!(refused, Err((3, "GET /a/twice".to_owned())));
    }

    #[test]
    fn an_entry_is_wrong_only_if_it_is_kept_somewhere_and_broken_nowhere() {
        for (list, verdicts, wrong) in [
            ("a", &[("x", "a", Kept), ("y", "a", Broken)][..], &[][..]),
            ("x/a", &[("x", "a", Kept), ("y", "a", Broken)], &["x"]),
            ("a", &[("x", "a", Kept), ("y", "a", Skipped)], &["x", "y"]),
            ("a", &[("x", "a", Kept), ("y", "a", Kept)], &["x", "y"]),
            ("x/a", &[("x", "a", Skipped)], &[]),
            ("x/a", &[("x", "a", CannotTell)], &[]),
            ("x/a", &[("y", "a", Kept)], &[]),
            ("b", &[("x", "a", Kept)], &[]),
            ("", &[("x", "a", Kept)], &[]),
        ] {
            let (known, card) = (read(list), Card(verdicts));

            assert_eq!(known.passed(&card).count() > 0, !wrong.is_empty(), "{list}");
            for (place, id, _) in card.all_verdicts() {
                let is_wrong = known.wrongly_cover(&card, place, id);
                let expected = place.is_some_and(|place| wrong.contains(&place));
                assert_eq!(is_wrong, expected, "{list} {verdicts:?}");
            }
        }
    }

    #[test]
    fn an_entry_covers_its_id_in_its_place() {
        let known = read("once\nflaky/goal");

        assert!(known.cover(None, "once") && known.cover(Some("flaky"), "once"));
        assert!(known.cover(Some("flaky"), "goal"));
        assert!(!known.cover(Some("down"), "goal") && !known.cover(None, "goal"));
    }
}
