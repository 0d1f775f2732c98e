//! Where the proxies listen: on loopback, or on another address of this machine for containers.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use host::admission::{is_loopback, is_named};

/// The address that the proxy of each run listens on, with a port of its own.
#[derive(Clone, Debug)]
pub struct ListenAddress {
    address: IpAddr,
    base_host: Option<String>,
}

/// Why the proxy does not listen there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// Others than this machine reach it, and the user has not allowed that.
    #[error("other machines or containers reach '{0}': to allow that, add --allow-network")]
    NotAllowed(IpAddr),
    /// The one host that is served is not known.
    #[error(
        "on '{0}' the proxy serves one host: name it with --base-host, as your command uses it"
    )]
    NoHost(IpAddr),
}

impl Default for ListenAddress {
    /// 127.0.0.1.
    fn default() -> Self {
        Self {
            address: Ipv4Addr::LOCALHOST.into(),
            base_host: None,
        }
    }
}

impl ListenAddress {
    /// An address, and the host by which the command reaches it. An address that others than
    /// this machine reach has to be allowed, and needs that host.
    ///
    /// # Errors
    ///
    /// [`ListenError`].
    pub fn new(
        address: IpAddr,
        allows_network: bool,
        base_host: Option<String>,
    ) -> Result<Self, ListenError> {
        let address = address.to_canonical();
        let listen = Self { address, base_host };
        if listen.is_on_network() && !allows_network {
            Err(ListenError::NotAllowed(address))
        } else if listen.is_on_network() && listen.base_host.is_none() {
            Err(ListenError::NoHost(address))
        } else {
            Ok(listen)
        }
    }

    /// Whether others than this machine may reach it.
    pub(super) fn is_on_network(&self) -> bool {
        !self.address.is_loopback()
    }

    /// Any free port of it.
    pub(super) fn any_port(&self) -> SocketAddr {
        SocketAddr::new(self.address, 0)
    }

    /// Whether requests with this `Host` are served. A web site could reach a network by a name
    /// of its own.
    pub(super) fn serves(&self, authority: &str) -> bool {
        is_named(authority, &self.host()) || !self.is_on_network() && is_loopback(authority)
    }

    /// The host in the URL of the proxy.
    pub(super) fn host(&self) -> String {
        match (&self.base_host, self.address) {
            (Some(name), _) => name.clone(),
            (None, IpAddr::V4(address)) => address.to_string(),
            (None, IpAddr::V6(address)) => format!("[{address}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listen(address: &str, allows: bool, host: Option<&str>) -> Result<ListenAddress, String> {
        let address = address.parse().expect("an address");
        let listen = ListenAddress::new(address, allows, host.map(str::to_owned));
        listen.map_err(|error| error.to_string())
    }

    #[test]
    fn another_address_than_loopback_has_to_be_allowed_and_has_one_host() {
        for address in [
            "172.17.0.1",
            "::ffff:172.17.0.1",
            "0.0.0.0",
            "::",
            "fd00::1",
        ] {
            let refused = listen(address, false, Some("api.test")).expect_err(address);
            let nameless = listen(address, true, None).expect_err(address);
            let listen = listen(address, true, Some("api.test")).expect(address);

            assert!(refused.contains("--allow-network"), "{refused}");
            assert!(nameless.contains("--base-host"), "{nameless}");
            for (host, is_served) in [
                ("api.test:8000", true),
                ("API.test", true),
                ("localhost:8000", false),
                ("172.17.0.1:8000", false),
                ("other.test", false),
            ] {
                assert_eq!(listen.serves(host), is_served, "{address} {host}");
            }
        }
        for address in ["127.0.0.1", "127.0.0.9", "::1"] {
            let listen = listen(address, false, None).expect("nobody else reaches it");
            assert!(listen.serves("localhost:8000") && !listen.serves("other.test"));
        }
    }

    #[test]
    fn the_host_of_the_url_is_the_address_or_the_name_that_is_given() {
        let named = |address, name| listen(address, true, name).expect("allowed").host();

        assert_eq!(named("::1", None), "[::1]");
        assert_eq!(named("127.0.0.9", None), "127.0.0.9");
        assert_eq!(named("172.17.0.1", Some("api.test")), "api.test");
    }
}
