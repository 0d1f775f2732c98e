//! Processes: signals, and what a process holds.

/// Sends a signal, such as `INT`, to a process.
///
/// # Panics
///
/// If the process has ended, and on Windows, which has no signals.
#[cfg(unix)]
pub fn signal(process: u32, name: &str) {
    use nix::{sys::signal, unistd::Pid};

    let signal: signal::Signal = format!("SIG{name}").parse().expect("a signal");
    let process = process.try_into().expect("the number of a process");
    signal::kill(Pid::from_raw(process), signal).expect("it runs");
}

#[cfg(not(unix))]
#[expect(missing_docs, reason = "they stand above")]
pub fn signal(process: u32, name: &str) {
    panic!("SIG{name} cannot be sent to {process} here");
}

/// Whether a process runs.
///
/// # Panics
///
/// On Windows.
#[cfg(unix)]
#[must_use]
pub fn runs(process: u32) -> bool {
    use nix::{sys::signal, unistd::Pid};

    let process = process.try_into().expect("the number of a process");
    signal::kill(Pid::from_raw(process), None).is_ok()
}

#[cfg(not(unix))]
#[expect(missing_docs, reason = "they stand above")]
pub fn runs(process: u32) -> bool {
    panic!("{process} cannot be looked for here");
}

/// The resources of a process, according to Linux.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// How many descriptors it has open.
    pub descriptors: usize,
    /// How many threads it has.
    pub threads: usize,
    /// How much memory is resident, in KiB.
    pub memory_kib: usize,
}

#[cfg(target_os = "linux")]
impl Resources {
    /// Those that a process holds now.
    #[must_use]
    pub fn by(process: u32) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{process}/status"));
        let status = status.expect("it runs");
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.split_whitespace().next());
            number.expect(name).parse().expect("a number")
        };
        let descriptors = std::fs::read_dir(format!("/proc/{process}/fd")).expect("it runs");
        Self {
            descriptors: descriptors.count(),
            threads: number("Threads:"),
            memory_kib: number("VmRSS:"),
        }
    }
}
