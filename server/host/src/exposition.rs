//! What `/metrics` says of the process and of its build, in Prometheus's text format.

use std::fs;

use crate::telemetry::BUILD_INFO;

/// The metrics of the process: the name, the kind and the question of each.
const OF_PROCESS: &str = "\
process_cpu_seconds_total counter How many seconds of a processor has the process used, its own \
and the system's for it?
process_resident_memory_bytes gauge How much memory does the process hold?
process_virtual_memory_bytes gauge How large is the address space of the process?
process_open_fds gauge How many files and sockets has the process open?
process_max_fds gauge How many files and sockets may the process have open?
process_start_time_seconds gauge When did the process start, in seconds since 1970?
process_threads gauge How many threads has the process?";

/// The resources of the process, as Linux reports them under `/proc`, and its build. Other
/// systems have only the build.
pub(crate) fn of_process() -> String {
    let families = OF_PROCESS.lines().zip(resources());
    let families: String = families
        .filter_map(|(line, value)| family(line, value?))
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    let profile = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
    format!(
        "{families}# HELP {BUILD_INFO} Which build responds, of which version and profile?\n\
         # TYPE {BUILD_INFO} gauge\n\
         {BUILD_INFO}{{profile=\"{profile}\",version=\"{version}\"}} 1\n"
    )
}

/// A metric of [`OF_PROCESS`] with its one series.
fn family(line: &str, value: f64) -> Option<String> {
    let (name, rest) = line.split_once(' ')?;
    let (kind, question) = rest.split_once(' ')?;
    Some(format!(
        "# HELP {name} {question}\n# TYPE {name} {kind}\n{name} {value}\n"
    ))
}

/// The value of each metric of [`OF_PROCESS`] that the system names: see proc(5).
fn resources() -> [Option<f64>; 7] {
    let read = |name: &str| fs::read_to_string(name).unwrap_or_default();
    let (stat, status) = (read("/proc/self/stat"), read("/proc/self/status"));
    // The second field is the program's name in parentheses, and can contain any character.
    let from_third: Vec<_> = stat
        .rsplit(") ")
        .next()
        .unwrap_or_default()
        .split(' ')
        .collect();
    let seconds = |field: usize| {
        let ticks: f64 = from_third.get(field - 3)?.parse().ok()?;
        Some(ticks / TICKS_A_SECOND)
    };
    let bytes = |name| Some(number_after(&status, name)? * 1024.0);
    let open_files = || Some(fs::read_dir("/proc/self/fd").ok()?.count() as f64);
    let start = || Some((number_after(&read("/proc/stat"), "btime")? + seconds(22)?).floor());
    [
        seconds(14)
            .zip(seconds(15))
            .map(|(own, of_system)| own + of_system),
        bytes("VmRSS:"),
        bytes("VmSize:"),
        open_files(),
        number_after(&read("/proc/self/limits"), "Max open files"),
        start(),
        number_after(&status, "Threads:"),
    ]
}

/// The unit of the times in `/proc`: the kernel's USER_HZ.
const TICKS_A_SECOND: f64 = 100.0;

/// The number that follows this name at the beginning of a line.
fn number_after(text: &str, name: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn the_resources_are_those_of_a_process_that_started_after_the_boot() {
        let values = resources().map(|value| value.expect("proc(5) names it"));
        let [
            cpu,
            resident,
            virtual_memory,
            open,
            most_open,
            start,
            threads,
        ] = values;

        let now = SystemTime::UNIX_EPOCH.elapsed().expect("after 1970");
        let now = now.as_secs_f64();
        let stat = fs::read_to_string("/proc/stat").expect("a file");
        let boot = number_after(&stat, "btime").expect("a time");
        // The kernel rounds the time of its boot.
        assert!(boot < start && start <= now + 1.0, "{boot} {start} {now}");
        let cores = std::thread::available_parallelism().expect("a number");
        let most_cpu = (now - start + 1.0) * cores.get() as f64;
        assert!((0.0..=most_cpu).contains(&cpu), "{cpu} of {most_cpu}");
        assert!(resident > 1e6 && resident <= virtual_memory, "{values:?}");
        assert!((3.0..=most_open).contains(&open), "{values:?}");
        assert!(threads >= 1.0, "{values:?}");
    }
}
