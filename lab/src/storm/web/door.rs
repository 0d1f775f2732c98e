//! The way to the storms from the overview: two rows of a storm as small pictures.

use std::{
    ops::ControlFlow,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use maud::{Markup, html};
use storm::{Plan, STORIES, StormPicture, simulate};

use crate::web::{live::Live, modes::Modes, shared::Shared};

/// The policies whose rows are shown, with their names on the overview: retries keep the service
/// down, and a budget does not.
const SHOWN: [(&str, &str); 2] = [
    ("3, jitter", "3 attempts, jitter"),
    ("3, budget", "with a retry budget"),
];

/// The small pictures. They are simulated once, on a thread of their own, when a page first shows
/// them: a page never waits for them.
#[derive(Default)]
pub(crate) struct SmallStorm {
    is_begun: AtomicBool,
    pictures: OnceLock<Markup>,
}

impl SmallStorm {
    /// The pictures, if they are drawn. The pages are told when they are.
    fn pictures(self: &Arc<Self>, live: &Arc<Live>) -> Option<&Markup> {
        if !self.is_begun.swap(true, Ordering::Relaxed) {
            let (of, live) = (Arc::downgrade(self), Arc::clone(live));
            // Without a thread, the page has no pictures.
            let _ = thread::Builder::new().spawn(move || draw(&of, &live));
        }
        self.pictures.get()
    }
}

/// Simulates the storm, unless nobody can see it any more.
fn draw(small: &Weak<SmallStorm>, live: &Live) {
    let Some(story) = STORIES.first() else {
        return;
    };
    let mut plan = Plan::of(story);
    plan.policies.retain_mut(|policy| {
        let shown = SHOWN.iter().find(|(name, _)| *name == policy.name);
        if let Some((_, name)) = shown {
            policy.name = (*name).into();
        }
        shown.is_some()
    });
    let storm = simulate(&plan, |_| {
        if small.strong_count() == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if let (Ok(storm), Some(small)) = (storm, small.upgrade()) {
        small
            .pictures
            .get_or_init(|| StormPicture::of(&storm).small());
        live.changed();
    }
}

/// The door. While endings are hidden it has no pictures.
pub(crate) fn door(shared: &Shared, modes: Modes) -> Markup {
    let pictures = if modes.predict {
        None
    } else {
        shared.small_storm.pictures(&shared.live)
    };
    html! {
        a.panel.door href=(modes.link("/storm")) {
            header { h2 { "Storm" } p.aside { "after a spike" } }
            @match pictures {
                Some(pictures) => (pictures),
                None => p { "Many clients, one service, a short incident: do retries keep it down?" },
            }
        }
    }
}
