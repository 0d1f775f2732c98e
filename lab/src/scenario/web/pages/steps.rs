//! The steps of the presentation of a scenario.

use scenario::Revealed;

/// A step of the presentation of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The question with its premises.
    Question,
    /// What happened, of so many clients.
    Happened(usize),
    /// The answer; in a comparison also what differs.
    Answer(usize),
    /// The lesson.
    Lesson(usize),
}

impl Step {
    /// The steps in their order.
    pub(super) fn all(is_compared: bool) -> Vec<Self> {
        if is_compared {
            vec![
                Self::Question,
                Self::Happened(1),
                Self::Happened(2),
                Self::Answer(2),
                Self::Lesson(2),
            ]
        } else {
            vec![
                Self::Question,
                Self::Happened(1),
                Self::Answer(1),
                Self::Lesson(1),
            ]
        }
    }

    /// What it shows of a run.
    pub(super) fn revealed(self) -> Option<Revealed> {
        let revealed = |sides, answer, lesson| {
            Some(Revealed {
                sides,
                answer,
                lesson,
            })
        };
        match self {
            Self::Question => None,
            Self::Happened(sides) => revealed(sides, false, false),
            Self::Answer(sides) => revealed(sides, true, false),
            Self::Lesson(sides) => revealed(sides, true, true),
        }
    }
}
