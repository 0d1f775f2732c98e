//! The web page, as a person meets it: a real browser in front of a real
//! `lab serve`, each test with a pair of its own.
//!
//! What needs a browser is ignored unless asked for, since not every machine has
//! one:
//!
//! ```sh
//! apt-get install chromium chromium-driver
//! AXE_CORE="$(mktemp -d)" && npm install --prefix "$AXE_CORE" axe-core
//! AXE_CORE="$AXE_CORE" cargo test -p lab --test page -- --ignored
//! ```
//!
//! Nothing sleeps: the tests wait for what they want to see.

mod page {
    mod access;
    mod assets;
    mod bounds;
    mod exchange;
    mod feed;
    mod grade;
    mod guard;
    mod keys;
    mod pictures;
    mod runs;
    mod stage;
    mod storm_page;
}
