//! Warns if the environment sends requests to 127.0.0.1 to a proxy: a client that reads
//! these variables would never reach the lab.

use std::env;

use super::terminal;

/// Warns if a proxy would get the requests of a client that this process starts.
pub(crate) fn warn() {
    let variables = variables(|name| env::var(name).ok());
    if !variables.is_empty() {
        let variables = variables.join(", ");
        terminal::warn(format!(
            "a proxy gets the requests to 127.0.0.1 of clients that read {variables}; set \
             NO_PROXY=127.0.0.1,localhost"
        ));
    }
}

/// The variables that send a request for `http://127.0.0.1` to a proxy. Only their names
/// are kept, because a value may hold a password.
fn variables(value: impl Fn(&'static str) -> Option<String>) -> Vec<&'static str> {
    let exempts = |list: String| {
        let mut hosts = list.split(',').map(str::trim);
        hosts.any(|host| ["*", "127.0.0.1", "127.0.0.0/8"].contains(&host))
    };
    if ["no_proxy", "NO_PROXY"]
        .into_iter()
        .filter_map(&value)
        .any(exempts)
    {
        return Vec::new();
    }
    let names = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"].into_iter();
    names
        .filter(|name| value(name).is_some_and(|value| !value.is_empty()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_counts_unless_127_0_0_1_is_exempt() {
        for (environment, expected) in [
            ("", &[][..]),
            ("http_proxy=http://p:1", &["http_proxy"]),
            ("http_proxy=", &[]),
            (
                "HTTP_PROXY=http://p:1;ALL_PROXY=http://p:1",
                &["HTTP_PROXY", "ALL_PROXY"],
            ),
            ("https_proxy=http://p:1", &[]),
            ("http_proxy=http://p:1;NO_PROXY=x, 127.0.0.1", &[]),
            ("http_proxy=http://p:1;no_proxy=*", &[]),
            ("http_proxy=http://p:1;no_proxy=127.0.0.2", &["http_proxy"]),
            ("http_proxy=http://p:1;no_proxy=localhost", &["http_proxy"]),
        ] {
            let found = variables(|name| {
                let mut set = environment.split(';').filter_map(|set| set.split_once('='));
                let (_, value) = set.find(|(known, _)| *known == name)?;
                Some(value.to_owned())
            });

            assert_eq!(found, expected, "{environment}");
        }
    }
}
