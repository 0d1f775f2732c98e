//! Finds the process that listens on a port of this machine.

use std::net::IpAddr;

use listeners::{Listener, Protocol, SocketState};

/// The process that listens on a port of 127.0.0.1. The system does not name those of
/// other users.
pub(super) fn holder(port: u16) -> String {
    let all = listeners::get_all().unwrap_or_default();
    match all.into_iter().find(|listener| listens(listener, port)) {
        Some(Listener { process, .. }) => format!("{} (process {})", process.name, process.pid),
        None => "a process that the system does not name".to_owned(),
    }
}

/// Whether it accepts connections to a port of 127.0.0.1, by listening on this address or
/// on all. An IPv6 socket may do so, too.
fn listens(listener: &Listener, port: u16) -> bool {
    let address = listener.socket.ip().to_canonical();
    let here = address == IpAddr::from([127, 0, 0, 1]) || address.is_unspecified();
    let listening = listener.protocol == Protocol::TCP && listener.state == SocketState::Listen;
    here && listening && listener.socket.port() == port
}

#[cfg(test)]
mod tests {
    use std::net::{SocketAddr, TcpListener, TcpStream};

    use listeners::Process;

    use super::*;

    #[test]
    fn only_a_listening_socket_that_127_0_0_1_reaches_counts() {
        for (socket, state, expected) in [
            ("127.0.0.1:8766", SocketState::Listen, true),
            ("0.0.0.0:8766", SocketState::Listen, true),
            ("[::]:8766", SocketState::Listen, true),
            ("[::ffff:127.0.0.1]:8766", SocketState::Listen, true),
            ("127.0.0.1:8765", SocketState::Listen, false),
            ("127.0.0.1:8766", SocketState::Established, false),
            ("127.0.0.53:8766", SocketState::Listen, false),
            ("[::1]:8766", SocketState::Listen, false),
        ] {
            let listener = Listener {
                process: Process {
                    pid: 1,
                    name: String::new(),
                    path: String::new(),
                },
                socket: socket.parse().expect("an address"),
                protocol: Protocol::TCP,
                state,
            };

            assert_eq!(listens(&listener, 8766), expected, "{socket} {state}");
        }
    }

    #[test]
    fn the_users_own_process_is_named_while_it_listens() {
        let socket = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address: SocketAddr = socket.local_addr().expect("an address");
        let _connected = TcpStream::connect(address).expect("a connection");

        let held = holder(address.port());
        drop(socket);
        let free = holder(address.port());

        let own = format!("(process {})", std::process::id());
        assert!(held.ends_with(&own), "{held}");
        assert!(free.contains("does not name"), "{free}");
    }
}
