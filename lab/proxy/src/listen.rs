//! Where the proxies listen: on loopback, or on the address of one interface for containers.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
};

use if_addrs::{IfAddr, get_if_addrs};

use super::Network;

/// The address that the proxy of each run listens on, with a port of its own.
#[derive(Clone, Debug)]
pub struct ListenAddress {
    address: IpAddr,
    /// The peers that are served; none on loopback, which nobody else reaches.
    network: Option<Network>,
    base_host: Option<String>,
}

/// Why the proxy does not listen there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// It is not an address of one interface.
    #[error("'{0}' is not the address of one interface, and the proxy listens on no other")]
    NotOne(IpAddr),
    /// Others than this machine reach it, and nobody has allowed that.
    #[error("other machines or containers reach '{0}': to allow that, add --allow-network")]
    NotAllowed(IpAddr),
    /// No interface has it.
    #[error("no interface has the address '{address}'; there are {known}")]
    NoInterface {
        /// The address.
        address: IpAddr,
        /// Those that there are.
        known: String,
    },
    /// The system does not name its interfaces.
    #[error("the interfaces of this machine cannot be read")]
    Interfaces(#[source] io::Error),
}

impl Default for ListenAddress {
    /// 127.0.0.1.
    fn default() -> Self {
        Self {
            address: Ipv4Addr::LOCALHOST.into(),
            network: None,
            base_host: None,
        }
    }
}

impl ListenAddress {
    /// An address of an interface of this machine.
    ///
    /// # Errors
    ///
    /// [`ListenError`].
    pub fn new(address: IpAddr, allows_network: bool) -> Result<Self, ListenError> {
        let interfaces = || {
            let interfaces = get_if_addrs().map_err(ListenError::Interfaces)?;
            let networks = interfaces.iter().map(|interface| match &interface.addr {
                IfAddr::V4(v4) => Network::of(v4.ip.into(), v4.prefixlen),
                IfAddr::V6(v6) => Network::of(v6.ip.into(), v6.prefixlen),
            });
            Ok(networks.collect())
        };
        Self::among(address, allows_network, interfaces)
    }

    /// The address of an interface whose network is known.
    #[must_use]
    pub fn of(network: Network) -> Self {
        Self {
            address: network.address(),
            network: Some(network),
            base_host: None,
        }
    }

    fn among(
        address: IpAddr,
        allows_network: bool,
        interfaces: impl FnOnce() -> Result<Vec<Network>, ListenError>,
    ) -> Result<Self, ListenError> {
        let address = address.to_canonical();
        let is_broadcast = address == IpAddr::V4(Ipv4Addr::BROADCAST);
        if address.is_unspecified() || address.is_multicast() || is_broadcast {
            return Err(ListenError::NotOne(address));
        }
        if address.is_loopback() {
            return Ok(Self {
                address,
                ..Self::default()
            });
        }
        if !allows_network {
            return Err(ListenError::NotAllowed(address));
        }
        let interfaces = interfaces()?;
        let of_address = interfaces
            .iter()
            .filter(|network| network.address() == address);
        let narrowest = of_address.max_by_key(|network| network.prefix());
        let network = narrowest.ok_or_else(|| {
            let known = interfaces
                .iter()
                .map(|network| network.address().to_string());
            ListenError::NoInterface {
                address,
                known: known.collect::<Vec<_>>().join(", "),
            }
        })?;
        Ok(Self::of(*network))
    }

    /// The command reaches the proxy under this name.
    #[must_use]
    pub fn known_as(mut self, base_host: Option<String>) -> Self {
        self.base_host = base_host;
        self
    }

    /// Any free port of it.
    pub(super) fn any_port(&self) -> SocketAddr {
        SocketAddr::new(self.address, 0)
    }

    /// The network whose peers are served; none on loopback.
    pub(super) fn network(&self) -> Option<Network> {
        self.network
    }

    /// Whether a connection is that of the process that sends its requests. Between a container
    /// and loopback stands a process of the container engine.
    pub(super) fn shows_senders(&self) -> bool {
        self.network.is_some() || self.base_host.is_none()
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

    fn listen(address: &str, allows_network: bool) -> Result<ListenAddress, String> {
        let of = |(address, prefix): (&str, u8)| {
            Network::of(address.parse().expect("an address"), prefix)
        };
        let interfaces = [("127.0.0.1", 8), ("172.17.0.1", 16), ("172.17.0.1", 24)];
        let interfaces = || Ok(interfaces.map(of).to_vec());
        let address = address.parse().expect("an address");
        let listen = ListenAddress::among(address, allows_network, interfaces);
        listen.map_err(|error| error.to_string())
    }

    #[test]
    fn only_the_address_of_one_interface_is_listened_on() {
        for (address, words) in [
            ("0.0.0.0", "one interface"),
            ("::", "one interface"),
            ("::ffff:0.0.0.0", "one interface"),
            ("224.0.0.1", "one interface"),
            ("255.255.255.255", "one interface"),
            ("ff02::1", "one interface"),
            ("172.18.0.1", "there are 127.0.0.1, 172.17.0.1"),
        ] {
            let error = listen(address, true).expect_err(address);

            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn another_address_than_loopback_has_to_be_allowed() {
        let refused = listen("172.17.0.1", false).expect_err("refused");
        let allowed = listen("::ffff:172.17.0.1", true).expect("allowed");

        assert!(refused.contains("--allow-network"), "{refused}");
        // The narrowest of its networks.
        let network = allowed.network().expect("a network");
        assert_eq!(network.to_string(), "172.17.0.1/24");
        for loopback in ["127.0.0.1", "127.0.0.9", "::1"] {
            let listen = listen(loopback, false).expect("nobody else reaches it");
            assert_eq!(listen.network(), None, "{loopback}");
        }
    }

    #[test]
    fn the_host_of_the_url_is_the_address_or_the_name_that_is_given() {
        let named = |address, name: Option<&str>| {
            let listen = listen(address, true).expect("an interface");
            listen.known_as(name.map(str::to_owned)).host()
        };

        assert_eq!(named("::1", None), "[::1]");
        assert_eq!(named("172.17.0.1", None), "172.17.0.1");
        assert_eq!(named("172.17.0.1", Some("api.test")), "api.test");
    }
}
