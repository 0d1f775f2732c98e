//! The clients that run now, so that a program can end them that ends without dropping what
//! it runs.

use std::{
    io, mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use process_wrap::tokio::{ChildWrapper, CommandWrap};

/// The numbers of their groups.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all clients that run now, with all that they have started, and lets no other start.
/// The program has to end after this. On Windows no client is killed.
pub fn kill_all() {
    let running = running();
    #[cfg(unix)]
    for group in &*running {
        kill(*group);
    }
    // To start a client takes this lock, which is never given back.
    mem::forget(running);
}

#[cfg(unix)]
fn kill(group: u32) {
    use nix::{
        sys::signal::{Signal, killpg},
        unistd::Pid,
    };

    if let Ok(group) = group.try_into() {
        // An error says that nothing of it is left.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

/// The place of one client in the list. It is given up when this is dropped.
#[derive(Debug)]
pub(crate) struct Registration(Option<u32>);

impl Registration {
    /// Starts a client that leads a group, and lists it. [`kill_all`] waits until it is listed.
    pub(crate) fn spawn(command: &mut CommandWrap) -> io::Result<(Box<dyn ChildWrapper>, Self)> {
        let mut running = running();
        let leader = command.spawn()?;
        let group = leader.id();
        running.extend(group);
        Ok((leader, Self(group)))
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        running().retain(|group| Some(*group) != self.0);
    }
}
