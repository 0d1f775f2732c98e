//! Which requests are admitted to the router. The others are refused at their
//! connection: they stand in no ledger, count nowhere and touch no lesson.

use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, Version};

use crate::problem::Problem;

/// Holds a request to the rules of its protocol that hyper leaves to its caller.
///
/// RFC 9112 §3.2: an HTTP/1.1 request has exactly one `Host`, and no request has two,
/// or one that names no host.
pub(crate) fn admit(version: Version, headers: &HeaderMap) -> Result<(), Problem> {
    let mut hosts = headers.get_all(HOST).iter();
    let is_valid = match (hosts.next(), hosts.next()) {
        (Some(host), None) => is_host(host.as_bytes()),
        (None, _) => version < Version::HTTP_11,
        (Some(_), Some(_)) => false,
    };
    if is_valid {
        Ok(())
    } else {
        Err(Problem::INVALID_HOST)
    }
}

/// Whether this is a host with or without a port. An authority could have a user, too.
fn is_host(value: &[u8]) -> bool {
    !value.contains(&b'@') && Authority::try_from(value).is_ok()
}

#[cfg(test)]
mod tests {
    use http::header::HOST;
    use http::{HeaderMap, HeaderValue, Version};

    use super::admit;
    use crate::problem::Problem;

    fn refusal(version: Version, hosts: &[&str]) -> Option<Problem> {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(HOST, HeaderValue::from_str(host).unwrap());
        }
        admit(version, &headers).err()
    }

    #[test]
    fn http_1_1_asks_for_exactly_one_host() {
        for host in ["localhost", "127.0.0.1:8765", "[::1]:80"] {
            assert_eq!(refusal(Version::HTTP_11, &[host]), None, "{host}");
        }
        for hosts in [
            &[][..],
            &["localhost", "localhost"],
            &[""],
            &["user@localhost"],
            &["local host"],
            &["localhost/items"],
            &["localhost, localhost"],
        ] {
            let refusal = refusal(Version::HTTP_11, hosts);

            assert_eq!(refusal, Some(Problem::INVALID_HOST), "{hosts:?}");
        }
    }

    #[test]
    fn http_1_0_may_have_no_host_and_not_two() {
        assert_eq!(refusal(Version::HTTP_10, &[]), None);
        assert_eq!(refusal(Version::HTTP_10, &["localhost"]), None);
        assert_eq!(
            refusal(Version::HTTP_10, &["localhost", "localhost"]),
            Some(Problem::INVALID_HOST)
        );
    }
}
