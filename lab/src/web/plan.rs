//! The plans of a class, as stops to present. `lab/docs/instructors.md` describes the same.

use scenario::catalogue::Chapter;

use super::modes::{Address, Modes, PlanStop};

/// A class of some minutes.
pub(crate) struct Plan {
    /// Its minutes, which are its name in an address.
    pub(crate) minutes: u64,
    pub(crate) blocks: &'static [Block],
}

/// A part of a class: a chapter of the course, or the summary.
pub(crate) struct Block {
    /// From which minute to which.
    pub(crate) minutes: &'static str,
    /// None for the summary.
    chapter: Option<Chapter>,
    /// What is shown, each as a stop.
    pub(crate) shows: &'static [Shows],
    /// The tasks that the participants build a client for.
    pub(crate) builds: &'static [&'static str],
}

/// Something to present in a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shows {
    /// A scenario with the reliable client.
    Scenario(&'static str),
    /// The same in virtual time.
    InVirtualTime(&'static str),
    /// A scenario with both clients.
    Comparison(&'static str),
    /// The client that the terminal named, graded in this task.
    Client(&'static str),
    /// A storm.
    Storm(&'static str),
}

use Shows::{Client, Comparison, InVirtualTime, Scenario, Storm};

const fn block(
    minutes: &'static str,
    chapter: Chapter,
    shows: &'static [Shows],
    builds: &'static [&'static str],
) -> Block {
    Block {
        minutes,
        chapter: Some(chapter),
        shows,
        builds,
    }
}

const fn summary(minutes: &'static str) -> Block {
    Block {
        minutes,
        chapter: None,
        shows: &[],
        builds: &[],
    }
}

/// All plans, the shorter first.
pub(crate) const PLANS: [Plan; 2] = [
    Plan {
        minutes: 45,
        blocks: &[
            block(
                "0–17",
                Chapter::Retrying,
                &[Scenario("flaky"), Client("flaky")],
                &["flaky"],
            ),
            block(
                "17–27",
                Chapter::RetryAfter,
                &[Scenario("retry-after-seconds")],
                &["retry-after"],
            ),
            block(
                "27–33",
                Chapter::Writes,
                &[Comparison("lost-response")],
                &[],
            ),
            block("33–41", Chapter::Limits, &[Storm("spike")], &[]),
            summary("41–45"),
        ],
    },
    Plan {
        minutes: 90,
        blocks: &[
            block(
                "0–18",
                Chapter::Retrying,
                &[
                    Scenario("flaky"),
                    Client("flaky"),
                    Scenario("flaky-gives-up"),
                ],
                &["read-all", "flaky", "down"],
            ),
            block(
                "18–33",
                Chapter::RetryAfter,
                &[Scenario("retry-after-seconds"), Scenario("retry-later")],
                &["retry-after", "maintenance"],
            ),
            block(
                "33–43",
                Chapter::Responses,
                &[Scenario("text-json"), Scenario("redirect")],
                &["invalid-body"],
            ),
            block(
                "43–54",
                Chapter::Listings,
                &[
                    Scenario("items"),
                    Scenario("looping-items"),
                    Scenario("resumed-crawl"),
                ],
                &["loop", "half-a-list"],
            ),
            block(
                "54–64",
                Chapter::Writes,
                &[
                    Scenario("post-without-permission"),
                    Comparison("lost-response"),
                ],
                &["create", "lost-response"],
            ),
            block(
                "64–70",
                Chapter::Network,
                &[Scenario("reset")],
                &["silence"],
            ),
            block(
                "70–86",
                Chapter::Limits,
                &[
                    Scenario("deadline"),
                    Scenario("retry-budget"),
                    InVirtualTime("too-many-requests"),
                    Storm("spike"),
                ],
                &["crowded"],
            ),
            summary("86–90"),
        ],
    },
];

impl Block {
    /// Its title.
    pub(crate) fn title(&self) -> &'static str {
        self.chapter.map_or("Summary", Chapter::title)
    }
}

impl Shows {
    /// What it is, in a few words.
    pub(crate) fn label(self) -> String {
        match self {
            Scenario(name) => name.to_owned(),
            InVirtualTime(name) => format!("{name} in virtual time"),
            Comparison(name) => format!("{name} with both clients"),
            Client(_) => "your client".to_owned(),
            Storm(story) => format!("storm {story}"),
        }
    }

    fn address(self) -> Address {
        let scenario = |name| Address::new(format!("/scenarios/{name}"));
        match self {
            Scenario(name) => scenario(name),
            InVirtualTime(name) => scenario(name).with("pace", "virtual"),
            Comparison(name) => scenario(name).with("client", "compare"),
            Client(task) => Address::new("/client").with("task", task),
            Storm(story) => Address::new(format!("/storm/{story}")),
        }
    }
}

impl Plan {
    /// Everything that it shows, in order.
    pub(crate) fn stops(&self) -> impl Iterator<Item = Shows> {
        self.blocks.iter().flat_map(|block| block.shows).copied()
    }

    /// The blocks, each with the number of its first stop, from 1.
    pub(crate) fn numbered_blocks(&self) -> impl Iterator<Item = (usize, &'static Block)> {
        self.blocks.iter().scan(1, |next, block| {
            let first = *next;
            *next += block.shows.len();
            Some((first, block))
        })
    }

    /// The link that presents a stop, which counts from 1; none after the last.
    pub(crate) fn link(&self, stop: usize, modes: Modes) -> Option<String> {
        let shows = self.stops().nth(stop.checked_sub(1)?)?;
        let modes = Modes {
            present: true,
            stop: Some(PlanStop {
                plan: self.minutes,
                stop,
            }),
            ..modes
        };
        Some(modes.link(shows.address()))
    }
}

fn plan_of(minutes: u64) -> Option<&'static Plan> {
    PLANS.iter().find(|plan| plan.minutes == minutes)
}

/// The stop of a plan, if there is such a stop.
pub(crate) fn stop(plan: u64, stop: usize) -> Option<PlanStop> {
    let is_one = (1..=plan_of(plan)?.stops().count()).contains(&stop);
    is_one.then_some(PlanStop { plan, stop })
}

/// The link to the next stop of the plan that is presented.
pub(crate) fn next_stop(modes: Modes) -> Option<String> {
    let PlanStop { plan, stop } = modes.stop?;
    plan_of(plan)?.link(stop + 1, modes)
}

/// The tasks that the class builds after the stop that is presented: those of a block after its
/// last stop.
pub(crate) fn built_now(modes: Modes) -> Option<&'static [&'static str]> {
    let PlanStop { plan, stop } = modes.stop?;
    let mut blocks = plan_of(plan)?.numbered_blocks();
    let (_, block) = blocks.find(|(first, block)| first + block.shows.len() == stop + 1)?;
    (!block.builds.is_empty()).then_some(block.builds)
}

#[cfg(test)]
mod tests {
    use scenario::catalogue::CATALOGUE;

    use super::*;

    /// The first four cells of each row of the table under a heading of the document for
    /// instructors, without the marks of code.
    fn rows(heading: &str) -> Vec<[String; 4]> {
        let document = include_str!("../../docs/instructors.md");
        let (_, after) = document.split_once(heading).expect("the heading");
        let lines = after.lines().skip_while(|line| !line.starts_with("|---"));
        let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
        let rows = rows.map(|row| {
            let cells = row.trim_start_matches('|').split('|');
            let mut cells = cells.map(|cell| cell.trim().replace(['`', '*'], ""));
            std::array::from_fn(|_| cells.next().expect("four cells"))
        });
        rows.collect()
    }

    #[test]
    fn the_document_for_instructors_has_the_same_plans() {
        for (plan, heading) in PLANS.iter().zip(["## In 45 minutes", "## The plan"]) {
            let blocks = plan.blocks.iter().map(|block| {
                let shows = block.shows.iter().map(|shows| shows.label());
                [
                    block.minutes.to_owned(),
                    block.title().to_owned(),
                    shows.collect::<Vec<_>>().join(", "),
                    block.builds.join(", "),
                ]
            });

            assert_eq!(blocks.collect::<Vec<_>>(), rows(heading), "{heading}");
        }
    }

    /// The names of scenarios and tasks exist, and stand in the order of the course, so that
    /// no block needs what a later one teaches.
    #[test]
    fn a_plan_fills_its_minutes_in_the_order_of_the_course() {
        for plan in &PLANS {
            let end = plan.blocks.iter().fold(0, |start, block| {
                let (from, to) = block.minutes.split_once('–').expect("two minutes");
                assert_eq!(from.parse(), Ok(start), "{}", block.minutes);
                to.parse().expect("a minute")
            });
            assert_eq!(end, plan.minutes);

            let shown: Vec<_> = plan.stops().filter_map(scenario).collect();
            let course = CATALOGUE.iter().map(scenario::catalogue::Scenario::name);
            let in_order = course.filter(|name| shown.contains(name));
            assert_eq!(shown, in_order.collect::<Vec<_>>());
            for block in plan.blocks {
                for name in block.shows.iter().copied().filter_map(scenario) {
                    let scenario = scenario::catalogue::find(name).expect(name);
                    assert_eq!(Some(scenario.chapter), block.chapter, "{name}");
                }
                let graded = block.shows.iter().filter_map(|shows| match shows {
                    Client(task) => Some(task),
                    _ => None,
                });
                for task in block.builds.iter().chain(graded) {
                    assert!(grade::find(task).is_ok(), "{task}");
                }
            }
        }
    }

    fn scenario(shows: Shows) -> Option<&'static str> {
        match shows {
            Scenario(name) | InVirtualTime(name) | Comparison(name) => Some(name),
            Client(_) | Storm(_) => None,
        }
    }

    #[test]
    fn a_stop_leads_to_the_next_until_the_last() {
        for plan in &PLANS {
            for number in 1..=plan.stops().count() {
                let stop = stop(plan.minutes, number);
                let modes = Modes {
                    present: true,
                    predict: true,
                    stop,
                };

                let next = next_stop(modes);

                assert_eq!(next.is_some(), number < plan.stops().count());
                assert_eq!(
                    next,
                    plan.link(
                        number + 1,
                        Modes {
                            stop: None,
                            ..modes
                        }
                    )
                );
            }
        }
        for (plan, number) in [(7, 1), (45, 0), (45, 6), (90, usize::MAX)] {
            assert_eq!(stop(plan, number), None);
        }
    }

    #[test]
    fn the_last_stop_of_a_block_says_what_is_built() {
        for plan in &PLANS {
            let said = (1..=plan.stops().count()).filter_map(|number| {
                built_now(Modes {
                    stop: stop(plan.minutes, number),
                    ..Modes::default()
                })
            });

            let built = plan.blocks.iter().map(|block| block.builds);
            let built: Vec<_> = built.filter(|tasks| !tasks.is_empty()).collect();
            assert_eq!(said.collect::<Vec<_>>(), built);
        }
    }
}
