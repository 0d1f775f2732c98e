//! Prometheus's text format: the series of `/metrics` in an order that stays, and what
//! there is to say of the process.
//!
//! The exporter keeps its series in hash tables and lists them as they come. In order, a
//! scrape can be read and compared, and packs to a fifth less.

use std::collections::BTreeMap;

use metrics_process::collector;

use crate::telemetry::BUILD_INFO;

/// One metric: what is said about it, and its samples.
#[derive(Default)]
struct Family<'a> {
    comments: Vec<&'a str>,
    samples: Vec<&'a str>,
}

/// Lists the metrics by name, and the series of each by their labels. The samples of a
/// histogram stay together, its buckets from the smallest to the largest.
pub(crate) fn in_order(text: &str) -> String {
    let mut families = BTreeMap::<&str, Family<'_>>::new();
    let mut family = "";
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("# ") {
            Some(comment) => {
                // HELP or TYPE, the name, and the rest.
                family = comment.split(' ').nth(1).unwrap_or_default();
                families.entry(family).or_default().comments.push(line);
            }
            None => families.entry(family).or_default().samples.push(line),
        }
    }

    let mut ordered = String::with_capacity(text.len());
    for Family { comments, samples } in families.values_mut() {
        samples.sort_by_cached_key(|sample| labels(sample));
        for line in comments.iter().chain(samples.iter()) {
            ordered.push_str(line);
            ordered.push('\n');
        }
    }
    ordered
}

/// The labels of a sample, but for the bound of a bucket, which is the last of them.
fn labels(sample: &str) -> &str {
    let labels = sample.split_once('{').map_or("", |(_, rest)| rest);
    if labels.starts_with("le=\"") {
        return "";
    }
    let ends = [",le=\"", "} "].map(|end| labels.find(end));
    let end = ends.into_iter().flatten().min();
    end.and_then(|end| labels.get(..end)).unwrap_or_default()
}

/// The metrics of the process: the name, the kind and the question of each.
const OF_PROCESS: &str = "\
process_cpu_seconds_total counter How many seconds of a processor has the process used, its own \
and the system's for it?
process_resident_memory_bytes gauge How much memory does the process hold?
process_virtual_memory_bytes gauge How large is the address space of the process?
process_virtual_memory_max_bytes gauge How large may the address space of the process become?
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
        text(used.virtual_memory_max_bytes),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::nearly;

    #[test]
    fn metrics_and_series_are_listed_in_order() {
        let shuffled = "\
# HELP b_total Second.
# TYPE b_total counter
b_total{x=\"2\"} 1
b_total{x=\"1\",y=\"1\"} 3
b_total{x=\"1\"} 2

# TYPE a gauge
a 0
";

        assert_eq!(
            in_order(shuffled),
            "\
# TYPE a gauge
a 0
# HELP b_total Second.
# TYPE b_total counter
b_total{x=\"1\"} 2
b_total{x=\"1\",y=\"1\"} 3
b_total{x=\"2\"} 1
"
        );
    }

    #[test]
    fn the_samples_of_a_histogram_stay_together_and_as_they_are() {
        let histogram = |labels: &str, comma: &str| {
            let buckets = ["0.5", "10", "5", "+Inf"]
                .map(|le| format!("h_bucket{{{labels}{comma}le=\"{le}\"}} 1\n"));
            format!(
                "{}h_sum{{{labels}}} 2\nh_count{{{labels}}} 1\n",
                buckets.concat()
            )
        };
        let (one, two) = (histogram("x=\"1\"", ","), histogram("x=\"2\"", ","));
        let bare = histogram("", "");
        let head = "# TYPE h histogram\n";

        assert_eq!(
            in_order(&[head, &two, &bare, &one].concat()),
            [head, &bare, &one, &two].concat()
        );
    }

    proptest! {
        /// No line is lost, made or changed, whatever an exporter may list.
        #[test]
        fn the_order_is_all_that_changes(
            text in nearly(
                "(# (TYPE|HELP) [ab]( counter)?\n|[ab](\\{[xy]=\"[12}]\"(,le=\"1\")?\\})? 1\n){0,8}",
                &["", "\n", "{", "} ", ",le=\"", "#", "# ", "\u{e9}"],
            ),
        ) {
            let lines = |text: &str| {
                let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
                lines.retain(|line| !line.is_empty());
                lines.sort();
                lines
            };

            let ordered = in_order(&text);

            prop_assert_eq!(lines(&ordered), lines(&text));
            prop_assert_eq!(in_order(&ordered), ordered);
        }
    }
}
