//! Processes that a client has started and that have left its process group since: a
//! daemon, for example, which begins a session of its own.
//!
//! It is known by its environment, which it has from the client: each run of a command has
//! its own value of `LAB_RUN`. One that has cleared its environment as well belongs to no run
//! that could be told. So the lab is the one to whom orphans fall (`PR_SET_CHILD_SUBREAPER`) while
//! a client runs, and ends all of them when the last client has ended: by then the clients
//! that started them have ended, too.
//!
//! An orphan is a child of the lab that appeared later, is not a running client, and is in
//! another session than the lab. Every client is started in a session of its own, and no
//! process can return to the lab's session, or to a process group in it (`setpgid(2)`).
//! Whatever else the lab starts stays in the lab's session. All this is Linux's; elsewhere
//! none of it is found.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
    thread::sleep,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    sys::{
        prctl::set_child_subreaper,
        signal::{Signal, kill},
        wait::{WaitPidFlag, waitpid},
    },
    unistd::{Pid, getpid, getsid},
};
use process_wrap::tokio::ChildWrapper;
use procfs::{
    ProcError, ProcResult,
    process::{Process, Stat, all_processes},
};

/// For how long orphans may take to end that were killed, all of them together.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often it is looked whether they have.
const LOOK: Duration = Duration::from_millis(1);

/// The clients that run, of all cases.
static CLIENTS: Mutex<Clients> = Mutex::new(Clients {
    running: BTreeSet::new(),
    before: BTreeSet::new(),
});

struct Clients {
    running: BTreeSet<Pid>,
    /// The children that the lab had before the first of them was started.
    before: BTreeSet<Pid>,
}

/// The stragglers of one client, ended when this is dropped.
pub(super) struct Stragglers {
    client: Option<Pid>,
    run: String,
}

/// The variable that tells the processes of a run.
pub(super) const RUN: &str = "LAB_RUN";

impl Stragglers {
    /// Starts the client of this run.
    pub(super) fn of(
        run: &str,
        start: impl FnOnce() -> io::Result<Box<dyn ChildWrapper>>,
    ) -> io::Result<(Box<dyn ChildWrapper>, Self)> {
        // Held until the client is known: it is no orphan.
        let mut clients = clients();
        if clients.running.is_empty() {
            clients.before = children().map(|child| Pid::from_raw(child.pid)).collect();
            // Linux has had this since 3.4; without it they are not found.
            let _ = set_child_subreaper(true);
        }
        let leader = start().inspect_err(|_| clients.end_orphans_if_last())?;
        let client = leader.id().and_then(|id| id.try_into().ok());
        let client = client.map(Pid::from_raw);
        clients.running.extend(client);
        let run = run.to_owned();
        Ok((leader, Self { client, run }))
    }

    /// Whether a process of its group, or one that has its run in its environment, is
    /// running.
    ///
    /// # Errors
    ///
    /// If the processes cannot be listed or read. The client may be running all the same, so
    /// that nothing may be said about what it no longer does.
    pub(super) fn are_running(&self) -> io::Result<bool> {
        for process in all_processes().map_err(io::Error::other)? {
            match process.and_then(|process| self.is_running(&process)) {
                Ok(true) => return Ok(true),
                Err(ProcError::Io(error, _)) if !has_ended_meanwhile(&error) => return Err(error),
                // Another user's process, or one that has ended, is not one of ours.
                Ok(false) | Err(_) => {}
            }
        }
        Ok(false)
    }

    /// Whether a process is running and is of its group, or of its run.
    fn is_running(&self, process: &Process) -> ProcResult<bool> {
        let stat = process.stat()?;
        let runs = !matches!(stat.state, 'Z' | 'X');
        Ok(runs && (self.has_in_group(&stat) || is_of_run(process, &self.run)?))
    }

    fn has_in_group(&self, stat: &Stat) -> bool {
        let client = self.client.map(Pid::as_raw);
        client == Some(stat.pgrp)
    }

    /// Asks the processes of its run that have left its group to end. Those of the group are
    /// asked as a group, and one that is asked twice may not wait for what it has to end.
    pub(super) fn asks_to_end(&self) {
        for process in of_run(&self.run) {
            if process.stat().is_ok_and(|stat| !self.has_in_group(&stat)) {
                // One that is gone already has ended.
                let _ = kill(Pid::from_raw(process.pid()), Signal::SIGTERM);
            }
        }
    }

    /// Ends all processes that have its run in their environment, and what they start
    /// meanwhile.
    pub(super) fn end(&self) {
        let mut ended = BTreeSet::new();
        loop {
            let is_new = |process: &Pid| !ended.contains(process);
            let found = of_run(&self.run).map(|process| Pid::from_raw(process.pid()));
            let found: Vec<_> = found.filter(is_new).collect();
            if found.is_empty() {
                return;
            }
            for process in found {
                // One that is gone already has ended.
                let _ = kill(process, Signal::SIGKILL);
                ended.insert(process);
            }
        }
    }
}

impl Drop for Stragglers {
    fn drop(&mut self) {
        self.end();
        let mut clients = clients();
        if let Some(client) = self.client {
            clients.running.remove(&client);
        }
        clients.end_orphans_if_last();
    }
}

fn clients() -> MutexGuard<'static, Clients> {
    CLIENTS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Clients {
    /// Ends the orphans if no client runs any more; else none but those that have ended
    /// by themselves is taken away.
    fn end_orphans_if_last(&self) {
        if !self.running.is_empty() {
            for orphan in self.orphans() {
                has_ended(orphan);
            }
            return;
        }
        let begun = Instant::now();
        // With each that ends its children become orphans.
        while begun.elapsed() < PATIENCE {
            let orphans: Vec<_> = self.orphans().collect();
            if orphans.is_empty() {
                break;
            }
            for orphan in &orphans {
                // One that is gone already has ended.
                let _ = kill(*orphan, Signal::SIGKILL);
            }
            if !orphans.into_iter().any(has_ended) {
                sleep(LOOK);
            }
        }
        let _ = set_child_subreaper(false);
    }

    fn orphans(&self) -> impl Iterator<Item = Pid> {
        let session = getsid(None).map(Pid::as_raw);
        let strange = children().filter(move |child| session != Ok(child.session));
        let strange = strange.map(|child| Pid::from_raw(child.pid));
        strange.filter(|child| !self.running.contains(child) && !self.before.contains(child))
    }
}

/// Whether a child has ended. If so, it is nobody's zombie then.
fn has_ended(child: Pid) -> bool {
    match waitpid(child, Some(WaitPidFlag::WNOHANG)) {
        Ok(status) => status.pid().is_some(),
        Err(error) => error == Errno::ECHILD,
    }
}

/// The children of this process.
fn children() -> impl Iterator<Item = Stat> {
    let lab = getpid().as_raw();
    let stats = processes().filter_map(|process| process.stat().ok());
    stats.filter(move |stat| stat.ppid == lab)
}

/// The processes of this run. Nobody may read the environment of another user's process; it
/// is not one of ours.
fn of_run(run: &str) -> impl Iterator<Item = Process> {
    processes().filter(move |process| is_of_run(process, run).unwrap_or(false))
}

fn is_of_run(process: &Process, run: &str) -> ProcResult<bool> {
    let environment = process.environ()?;
    Ok(environment.get(OsStr::new(RUN)) == Some(&run.into()))
}

/// Whether a process could not be read because it has ended.
fn has_ended_meanwhile(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::ESRCH as i32)
}

/// All processes but those that end while one looks.
fn processes() -> impl Iterator<Item = Process> {
    all_processes().into_iter().flatten().flatten()
}
