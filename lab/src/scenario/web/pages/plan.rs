//! The plans of a class, as `lab/docs/instructors.md` describes them, as stops to present.

use crate::web::modes::{Address, Modes, PlanStop};

/// A class of some minutes.
pub(super) struct Plan {
    /// Its minutes, which are its name in an address.
    pub(super) minutes: u64,
    pub(super) stops: &'static [Stop],
}

/// Something to present in a class.
pub(super) struct Stop {
    /// The minutes of its block.
    pub(super) minutes: &'static str,
    pub(super) block: &'static str,
    pub(super) shows: Shows,
}

/// What a stop shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shows {
    /// A scenario with the reliable client.
    Scenario(&'static str),
    /// The same in virtual time.
    InVirtualTime(&'static str),
    /// A scenario with both clients.
    Comparison(&'static str),
    /// A storm.
    Storm(&'static str),
}

const fn stop(minutes: &'static str, block: &'static str, shows: Shows) -> Stop {
    Stop {
        minutes,
        block,
        shows,
    }
}

use Shows::{Comparison, InVirtualTime, Scenario, Storm};

/// All plans, the shorter first.
pub(super) const PLANS: [Plan; 2] = [
    Plan {
        minutes: 45,
        stops: &[
            stop("0–6", "first requests", Scenario("items")),
            stop("6–17", "retries", Scenario("flaky")),
            stop("17–27", "Retry-After", Scenario("retry-after-seconds")),
            stop("27–35", "listings", Scenario("looping-items")),
            stop("35–43", "jobs", Comparison("lost-response")),
        ],
    },
    Plan {
        minutes: 90,
        stops: &[
            stop("0–10", "first requests", Scenario("items")),
            stop("10–22", "retries", Scenario("flaky")),
            stop("10–22", "retries", Scenario("flaky-gives-up")),
            stop("22–38", "Retry-After", Scenario("retry-after-seconds")),
            stop("22–38", "Retry-After", Scenario("retry-later")),
            stop("38–48", "responses", Scenario("text-json")),
            stop("38–48", "responses", Scenario("redirect")),
            stop("48–58", "listings", Scenario("looping-items")),
            stop("48–58", "listings", Scenario("resumed-crawl")),
            stop("58–68", "jobs", Scenario("post-without-permission")),
            stop("58–68", "jobs", Comparison("lost-response")),
            stop("68–74", "time", Scenario("reset")),
            stop("68–74", "time", Scenario("deadline")),
            stop("74–86", "many at once", Scenario("retry-budget")),
            stop("74–86", "many at once", InVirtualTime("too-many-requests")),
            stop("74–86", "many at once", Storm("spike")),
        ],
    },
];

impl Shows {
    /// Its name on the page.
    pub(super) fn name(self) -> &'static str {
        match self {
            Scenario(name) | InVirtualTime(name) | Comparison(name) => name,
            Storm(_) => "storm",
        }
    }

    fn address(self) -> Address {
        let scenario = |name| Address::new(format!("/scenarios/{name}"));
        match self {
            Scenario(name) => scenario(name),
            InVirtualTime(name) => scenario(name).with("pace", "virtual"),
            Comparison(name) => scenario(name).with("client", "compare"),
            Storm(_) => Address::new("/storm"),
        }
    }
}

impl Plan {
    /// The stops, each with whether it is the first of its block.
    pub(super) fn stops_of_blocks(&self) -> impl Iterator<Item = (&'static Stop, bool)> {
        let blocks = self.stops.chunk_by(|one, next| one.minutes == next.minutes);
        blocks.flat_map(|block| {
            let stops = block.iter().enumerate();
            stops.map(|(place, stop)| (stop, place == 0))
        })
    }

    /// The link that presents a stop, which counts from 1; none after the last.
    pub(super) fn link(&self, stop: usize, modes: Modes) -> Option<String> {
        let shows = self.stops.get(stop.checked_sub(1)?)?.shows;
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

/// The link to the next stop of the plan that is presented.
pub(super) fn next_stop(modes: Modes) -> Option<String> {
    let PlanStop { plan, stop } = modes.stop?;
    let plan = PLANS.iter().find(|known| known.minutes == plan)?;
    plan.link(stop.checked_add(1)?, modes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands under a heading of the document for instructors that show something.
    fn commands(heading: &str) -> Vec<(String, String)> {
        let document = include_str!("../../../../docs/instructors.md");
        let (_, after) = document.split_once(heading).expect("the heading");
        let (_, block) = after.split_once("```sh\n# 0–").expect("the commands");
        let (block, _) = block.split_once("```").expect("their end");
        let block = format!("# 0–{block}");
        let mut minutes = String::new();
        let mut commands = Vec::new();
        for line in block.lines() {
            if let Some(heading) = line.strip_prefix("# ") {
                minutes = heading.to_owned();
            } else if line.starts_with("lab scenario ") || line.starts_with("lab storm ") {
                commands.push((minutes.clone(), line.to_owned()));
            }
        }
        commands
    }

    #[test]
    fn the_stops_are_those_of_the_document_for_instructors() {
        for (plan, heading) in PLANS.iter().zip(["## In 45 minutes", "## The plan"]) {
            let stops = plan.stops.iter().map(|stop| {
                let command = match stop.shows {
                    Scenario(name) => format!("lab scenario {name} --ask"),
                    InVirtualTime(name) => format!("lab scenario {name} --ask --pace virtual"),
                    Comparison(name) => format!("lab scenario {name} --ask --compare"),
                    Storm(story) => format!("lab storm {story}"),
                };
                (format!("{} {}", stop.minutes, stop.block), command)
            });

            assert_eq!(stops.collect::<Vec<_>>(), commands(heading), "{heading}");
        }
    }

    #[test]
    fn a_stop_leads_to_the_next_until_the_last() {
        for plan in &PLANS {
            for number in 1..=plan.stops.len() {
                let stop = PlanStop {
                    plan: plan.minutes,
                    stop: number,
                };
                let modes = Modes {
                    present: true,
                    predict: true,
                    stop: Some(stop),
                };

                let next = next_stop(modes);

                assert_eq!(next.is_some(), number < plan.stops.len());
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
        let lost = PlanStop {
            plan: 7,
            stop: usize::MAX,
        };
        assert_eq!(
            next_stop(Modes {
                stop: Some(lost),
                ..Modes::default()
            }),
            None
        );
    }
}
