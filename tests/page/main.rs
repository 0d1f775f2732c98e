//! The web UI as a person uses it: a real browser and a real `lab serve`.
//!
//! Each test is a way that a person goes through the page, with one lab and as few browsers as
//! it needs. What the server writes is tested without a browser, in `lab/tests`.
//!
//! Tests that need a browser are ignored by default, because not every machine has one:
//!
//! ```sh
//! apt-get install chromium chromium-driver
//! AXE_CORE="$(mktemp -d)" && npm install --prefix "$AXE_CORE" axe-core
//! cargo build -p lab
//! AXE_CORE="$AXE_CORE" cargo test -p page -- --ignored
//! ```
//!
//! This is a package of its own, and none that a plain `cargo test` builds: what drives a browser
//! needs a dozen crates, and features of others that would make it build those a second time.
//!
//! Each test waits for the state that it expects, and for no time.

mod client;
mod forms;
mod keyboard;
mod live;
mod metrics_view;
mod modes;
mod pictures;
mod stage;
mod storm;
mod strangers;
