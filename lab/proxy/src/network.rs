//! The network of an interface: the peers that a proxy on it serves.

use std::{fmt, net::IpAddr};

/// An address of an interface, and the length of the prefix that its network shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    /// The network of an interface. One without a prefix holds its own address alone: it would
    /// hold the whole internet otherwise.
    #[must_use]
    pub fn of(address: IpAddr, prefix: u8) -> Self {
        let address = address.to_canonical();
        let width = if address.is_ipv4() { 32 } else { 128 };
        let prefix = if (1..=width).contains(&prefix) {
            prefix
        } else {
            width
        };
        Self { address, prefix }
    }

    /// The address of the interface.
    pub(super) fn address(self) -> IpAddr {
        self.address
    }

    /// The number of first bits that all its addresses share.
    pub(super) fn prefix(self) -> u8 {
        self.prefix
    }

    /// Whether a peer is in this network.
    #[must_use]
    pub fn contains(self, peer: IpAddr) -> bool {
        let shared = match (self.address, peer.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(peer)) => (own.to_bits() ^ peer.to_bits()).leading_zeros(),
            (IpAddr::V6(own), IpAddr::V6(peer)) => (own.to_bits() ^ peer.to_bits()).leading_zeros(),
            _ => return false,
        };
        shared >= u32::from(self.prefix)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use proptest::prelude::*;

    use super::*;

    fn network(address: &str, prefix: u8) -> Network {
        Network::of(address.parse().expect("an address"), prefix)
    }

    #[test]
    fn a_peer_belongs_to_the_network_of_its_interface() {
        for (address, prefix, peer, expected) in [
            ("172.17.0.1", 16, "172.17.0.2", true),
            ("172.17.0.1", 16, "::ffff:172.17.0.2", true),
            ("::ffff:172.17.0.1", 16, "172.17.255.255", true),
            ("172.17.0.1", 16, "172.18.0.2", false),
            ("172.17.0.1", 16, "127.0.0.1", false),
            ("10.0.0.1", 32, "10.0.0.1", true),
            ("10.0.0.1", 32, "10.0.0.2", false),
            ("10.0.0.1", 0, "8.8.8.8", false),
            ("10.0.0.1", 0, "10.0.0.1", true),
            ("fd00::1", 64, "fd00::2", true),
            ("fd00::1", 64, "fd00:0:0:1::2", false),
            ("fd00::1", 0, "fd00::2", false),
            ("fd00::1", 64, "10.0.0.1", false),
        ] {
            let peer = peer.parse().expect("an address");

            let network = network(address, prefix);

            assert_eq!(network.contains(peer), expected, "{network} {peer}");
        }
    }

    proptest! {
        /// The addresses that share the prefix belong to a network, and no other.
        #[test]
        fn an_address_of_ipv4_belongs_if_it_shares_the_prefix(
            own in any::<u32>(),
            prefix in 1_u8..=32,
            host in any::<u32>(),
            changed in 0_u32..32,
        ) {
            let mask = u32::MAX << (32 - prefix);
            let network = Network::of(Ipv4Addr::from_bits(own).into(), prefix);
            let neighbour = Ipv4Addr::from_bits((own & mask) | (host & !mask));
            let other = Ipv4Addr::from_bits(neighbour.to_bits() ^ (1 << (31 - changed)));

            prop_assert!(network.contains(neighbour.into()));
            prop_assert!(network.contains(neighbour.to_ipv6_mapped().into()));
            prop_assert_eq!(network.contains(other.into()), changed >= u32::from(prefix));
        }

        #[test]
        fn an_address_of_ipv6_belongs_if_it_shares_the_prefix(
            own in any::<u128>(),
            prefix in 1_u8..=128,
            host in any::<u128>(),
            changed in 0_u32..128,
        ) {
            // One that stands for an address of IPv4 is of no network of IPv6.
            let own = own | (1 << 127);
            let mask = u128::MAX << (128 - prefix);
            let network = Network::of(Ipv6Addr::from_bits(own).into(), prefix);
            let neighbour = Ipv6Addr::from_bits((own & mask) | (host & !mask));
            let other = Ipv6Addr::from_bits(neighbour.to_bits() ^ (1 << (127 - changed)));

            prop_assert!(network.contains(neighbour.into()));
            prop_assert_eq!(network.contains(other.into()), changed >= u32::from(prefix));
        }
    }
}
