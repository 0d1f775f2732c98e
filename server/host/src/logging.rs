//! Logs of a program: the spans of the crates it names, on stderr, as `RUST_LOG`
//! asks.
//!
//! `RUST_LOG` is a list of targets and levels, as in `info` or
//! `client=info,server=debug`; unset, nothing is logged. It governs the named
//! crates and no others: what `hyper` and `axum` log contains addresses,
//! headers and bodies, and a directive that names them beats any rule that
//! stands beside it in one filter. So the cap is a second filter, and what is to
//! be logged has to pass both.

use std::{env, io};

use tracing_subscriber::{
    Layer, Registry,
    filter::{FilterExt, ParseError, Targets, filter_fn},
    fmt::{self, MakeWriter, format::FmtSpan},
};

/// The variable that says what is logged.
const VARIABLE: &str = "RUST_LOG";

/// A value of `RUST_LOG` that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{VARIABLE} is ignored, since {value:?} cannot be read: {why}")]
pub struct InvalidDirectives {
    value: String,
    // No source: its own source has the same text.
    why: ParseError,
}

/// The directives in `RUST_LOG`; none if it is unset or empty.
///
/// # Errors
///
/// [`InvalidDirectives`] if it cannot be read.
pub fn asked() -> Result<Option<Targets>, InvalidDirectives> {
    let value = env::var_os(VARIABLE).unwrap_or_default();
    if value.is_empty() {
        return Ok(None);
    }
    read(&value.to_string_lossy()).map(Some)
}

/// The layer that logs to stderr what is asked for, of these crates alone: each
/// is the first segment of its targets.
pub fn layer(asked: Targets, crates: &'static [&'static str]) -> impl Layer<Registry> {
    capped(io::stderr, asked, crates)
}

fn read(directives: &str) -> Result<Targets, InvalidDirectives> {
    directives.parse().map_err(|why| InvalidDirectives {
        value: directives.to_owned(),
        why,
    })
}

/// A line for each event, and for each span that closes, if both filters let it
/// pass.
fn capped<W>(writer: W, asked: Targets, crates: &'static [&'static str]) -> impl Layer<Registry>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let ours = filter_fn(move |metadata| {
        let name = metadata.target().split("::").next();
        name.is_some_and(|name| crates.contains(&name))
    });
    fmt::layer()
        .with_writer(writer)
        .with_ansi(false)
        .with_span_events(FmtSpan::CLOSE)
        .with_filter(asked.and(ours))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tracing::{info_span, subscriber::with_default, trace};
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    /// The log of one span of each kind of target, and of an event in it.
    fn logged(directives: &str) -> String {
        let (log, writer) = io::pipe().expect("a pipe");
        let asked = read(directives).expect("valid directives");
        let layer = capped(Arc::new(writer), asked, &["client", "server"]);

        with_default(Registry::default().with(layer), || {
            info_span!(target: "client::retry", "wait", endpoint = "flaky").in_scope(|| {
                trace!(target: "server", "ours");
            });
            for foreign in [
                info_span!(target: "hyper::proto", "read", secret = "SECRET"),
                info_span!(target: "clients", "read", secret = "SECRET"),
                info_span!(target: "h2::client", "read", secret = "SECRET"),
            ] {
                foreign.in_scope(|| trace!(target: "client", "in a foreign span"));
            }
            trace!(target: "axum::rejection", "SECRET");
        });

        // The end of the subscriber was that of the pipe.
        io::read_to_string(log).expect("UTF-8")
    }

    #[test]
    fn no_directive_lets_another_crate_through() {
        for directives in [
            "trace",
            "hyper=trace,h2=trace,axum=trace,clients=trace,client=trace,server=trace",
            "hyper::proto[{secret}]=trace,client=trace,server=trace",
        ] {
            let log = logged(directives);

            assert!(!log.contains("SECRET"), "{directives}: {log}");
            assert!(log.contains("server: ours"), "{directives}: {log}");
            assert!(log.contains("client: in a foreign span"), "{log}");
        }
    }

    #[test]
    fn a_span_is_logged_when_it_closes_if_its_level_is_asked_for() {
        let log = logged("client=info");

        assert_eq!(log.lines().count(), 1, "{log}");
        let line = r#"wait{endpoint="flaky"}: client::retry: close"#;
        assert!(log.contains(line), "{log}");
        assert_eq!(logged("off"), "");
    }
}
