//! One run of the command, as a process with limits.

use std::{ffi::OsString, future::pending, io, time::Duration};

use process::{ClientCommand, Context, ProcessLimits, RunError};
use tokio::time::{Instant, sleep};
use wire::{ProcessRecord, Stopped};

use super::{NextRun, Plan, PlanError, PlanOptions};
use crate::{Aim, CommandEnd, Listening, ProxyFault, ProxyRun, address_text::parts_of};

/// How long the processes of a run may take to end once they were asked to: a container ends
/// with its client only if that hears of it.
const FAREWELL: Duration = Duration::from_secs(2);

impl Plan {
    /// The request of a run that meets a fault.
    pub(super) fn aim(&self, next: NextRun) -> Aim {
        Aim {
            templates: self.templates.clone(),
            route: next.route,
            fault: next.fault,
            lasts: next.lasts,
        }
    }

    /// Waits until no more may be run.
    async fn cancelled(&self) {
        let mut cancelled = self.options.cancelled.clone();
        if cancelled
            .wait_for(|is_cancelled| *is_cancelled)
            .await
            .is_err()
        {
            // The sender is gone, so the plan can no longer be cancelled.
            pending::<()>().await;
        }
    }

    /// Whether no more may be run: what the process did until its end says nothing then.
    fn check_cancelled(&self) -> Result<(), PlanError> {
        if *self.options.cancelled.borrow() {
            Err(PlanError::Cancelled)
        } else {
            Ok(())
        }
    }

    /// One run of the command, with a proxy of its own.
    pub(super) async fn run(&self, aim: Option<Aim>) -> Result<ProxyRun, PlanError> {
        let PlanOptions {
            setup,
            command,
            set,
            patience,
            time,
            before,
            ..
        } = &self.options;
        if let Some(before) = before {
            self.prepare(before).await?;
        }
        let is_silent = aim
            .as_ref()
            .is_some_and(|aim| aim.fault == ProxyFault::Silence);
        let failures = host::FailureWatch::start();
        let proxy = Listening::start(setup, aim).map_err(|source| PlanError::Listen {
            address: setup.listen.any_port().ip(),
            source,
        })?;
        let base_url = proxy.base_url().to_owned();
        let asks_no_proxy = ["NO_PROXY", "no_proxy"].map(|name| {
            let hosts = format!("127.0.0.1,localhost,{}", setup.listen.host());
            (name.to_owned(), hosts)
        });
        let asked = set
            .iter()
            .map(|(name, text)| (name.clone(), text.filled(&base_url)));
        let set = asks_no_proxy.into_iter().chain(asked);
        let context = Context {
            task: None,
            url: base_url.clone(),
            token: None,
            set: set.collect(),
            marks: parts_of(&base_url)
                .map(|(mark, value)| (mark, value.to_owned()))
                .into(),
            base_url,
        };
        let limits = ProcessLimits {
            time: *time,
            flood: async {
                let silence_ends = async {
                    proxy.hit().await;
                    if !is_silent {
                        return pending().await;
                    }
                    sleep(*patience).await;
                };
                tokio::select! {
                    () = silence_ends => {}
                    () = self.cancelled() => {}
                }
            },
            farewell: FAREWELL,
        };
        let ran = process::run(command, &context, limits, proxy.begun()).await;
        let ended = ran.map_err(|source| PlanError::Program {
            program: command.program().to_string_lossy().into_owned(),
            source,
        });
        let end = ended.map(command_end);
        let run = proxy
            .stop(end.as_ref().ok().cloned())
            .await
            .without_farewell();
        failures.check()?;
        self.check_cancelled()?;
        end.map(|_| run)
    }

    /// Runs the command before a run, with the limits of the run. It finds the API itself where the
    /// command of the run finds the proxy.
    async fn prepare(&self, before: &str) -> Result<(), PlanError> {
        let (shell, flag) = if cfg!(windows) {
            ("cmd", "/C")
        } else {
            ("sh", "-c")
        };
        let not_started = |source| PlanError::Program {
            program: shell.to_owned(),
            source,
        };
        let command = ClientCommand::new([shell, flag, before].map(OsString::from))
            .map_err(|error| not_started(RunError::Start(io::Error::other(error))))?;
        let context = Context {
            base_url: self.options.setup.upstream.to_string(),
            ..Context::default()
        };
        let limits = ProcessLimits {
            time: self.options.time,
            flood: self.cancelled(),
            farewell: FAREWELL,
        };
        let ran = process::run(&command, &context, limits, Instant::now()).await;
        let ended = ran.map_err(not_started)?;
        self.check_cancelled()?;
        if ended.exit == Some(0) {
            Ok(())
        } else {
            Err(PlanError::Before {
                command: before.to_owned(),
                end: command_end(ended),
            })
        }
    }
}

/// How a command ended. All its limits but its own are the time that it may take.
fn command_end(record: ProcessRecord) -> CommandEnd {
    CommandEnd {
        exit: record.exit,
        signal: record.signal,
        stopped: record.stopped.map(|_| Stopped::TimeUp),
        took: record.ended,
        stderr: record.stderr,
    }
}
