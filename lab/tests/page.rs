//! The web UI as a person uses it: a real browser and a real `lab serve`, a new pair for
//! each test.
//!
//! Tests that need a browser are ignored by default, because not every machine has one:
//!
//! ```sh
//! apt-get install chromium chromium-driver
//! AXE_CORE="$(mktemp -d)" && npm install --prefix "$AXE_CORE" axe-core
//! AXE_CORE="$AXE_CORE" cargo test -p lab --test page -- --ignored
//! ```
//!
//! No test sleeps: each waits for the state that it expects.

mod page {
    mod access;
    mod assets;
    mod bounds;
    mod colours;
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
