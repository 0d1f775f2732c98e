//! What `/metrics` says of the process and of its build, in Prometheus's text format.

use metrics_process::collector;

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

/// The resources of the process, as the operating system reports them, and its build.
pub(crate) fn of_process() -> String {
    let used = collector::collect();
    let text = |value: Option<u64>| value.map(|value| value.to_string());
    let values = [
        used.cpu_seconds_total.map(|seconds| seconds.to_string()),
        text(used.resident_memory_bytes),
        text(used.virtual_memory_bytes),
        text(used.open_fds),
        text(used.max_fds),
        text(used.start_time_seconds),
        text(used.threads),
    ];
    let families = OF_PROCESS.lines().zip(values);
    let families: String = families
        .filter_map(|(line, value)| family(line, &value?))
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
fn family(line: &str, value: &str) -> Option<String> {
    let (name, rest) = line.split_once(' ')?;
    let (kind, question) = rest.split_once(' ')?;
    Some(format!(
        "# HELP {name} {question}\n# TYPE {name} {kind}\n{name} {value}\n"
    ))
}
