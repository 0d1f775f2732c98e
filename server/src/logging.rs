//! Logs: the span of each request on stderr, as `RUST_LOG` asks.
//!
//! `RUST_LOG` is a list of targets and levels, as in `info` or `server=info`;
//! unset, nothing is logged. It governs this crate and no others: a directive that
//! names `hyper` or `axum` beats any rule that stands beside it in one filter, and
//! what they have to say holds addresses, headers and bodies. So the cap is a second
//! filter, and what is to be logged has to pass both.

use std::{env, io};

use tracing::subscriber;
use tracing_subscriber::filter::{FilterExt, ParseError, Targets, filter_fn};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry};

/// The variable that says what is logged.
const VARIABLE: &str = "RUST_LOG";

/// A value of `RUST_LOG` that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{VARIABLE} is ignored, since {value:?} cannot be read: {why}")]
pub(crate) struct InvalidDirectives {
    value: String,
    // No source: its own source has the same text.
    why: ParseError,
}

/// Installs what `RUST_LOG` asks for; nothing if it is unset or empty.
///
/// # Panics
///
/// If called twice.
pub(crate) fn init() -> Result<(), InvalidDirectives> {
    let value = env::var_os(VARIABLE).unwrap_or_default();
    if value.is_empty() {
        return Ok(());
    }
    let asked = read(&value.to_string_lossy())?;
    let subscriber = Registry::default().with(capped(io::stderr, asked));
    subscriber::set_global_default(subscriber).expect("it is the first");
    Ok(())
}

fn read(directives: &str) -> Result<Targets, InvalidDirectives> {
    directives.parse().map_err(|why| InvalidDirectives {
        value: directives.to_owned(),
        why,
    })
}

/// A line for each event, and for each span that closes, if both filters let it
/// pass.
fn capped<W>(writer: W, asked: Targets) -> impl Layer<Registry>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let ours = filter_fn(|metadata| metadata.target().split("::").next() == Some("server"));
    fmt::layer()
        .with_writer(writer)
        .with_ansi(false)
        .with_span_events(FmtSpan::CLOSE)
        .with_filter(asked.and(ours))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};

    use tracing::{info_span, trace};

    use super::*;

    struct Writer(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Writer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            log.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What is logged of an event of this crate and of three of others.
    fn logged(directives: &str) -> String {
        let log = Arc::new(Mutex::new(Vec::new()));
        let writer = {
            let log = Arc::clone(&log);
            move || Writer(Arc::clone(&log))
        };
        let layer = capped(writer, read(directives).expect("valid directives"));

        subscriber::with_default(Registry::default().with(layer), || {
            info_span!(target: "hyper::proto", "read", secret = "SECRET").in_scope(|| {
                trace!(target: "server::serve", "ours");
                trace!(target: "axum::rejection", "SECRET");
                trace!(target: "servers", "SECRET");
            });
        });

        let log = log.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8(log.clone()).expect("UTF-8")
    }

    #[test]
    fn no_directive_lets_another_crate_through() {
        for directives in ["trace", "hyper=trace,axum=trace,servers=trace,server=trace"] {
            let log = logged(directives);

            assert!(log.contains("server::serve: ours"), "{directives}: {log}");
            assert!(!log.contains("SECRET"), "{directives}: {log}");
        }
    }
}
