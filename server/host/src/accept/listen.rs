//! The listening socket: on loopback by default, and with room for many clients that connect at
//! once.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpListener, TcpSocket};

/// How many connections may wait to be accepted. The system may allow fewer; Linux
/// allows 4096 (`net.core.somaxconn`).
///
/// The 128 that the standard library asks for are soon full: of 300 clients that
/// connect at once some would wait a second, until TCP repeats their SYN.
const BACKLOG: u32 = 1024;

/// Listens on 127.0.0.1; port 0 stands for a free one.
///
/// # Errors
///
/// The error of the operating system, [`io::ErrorKind::AddrInUse`] among it.
///
/// # Panics
///
/// Outside a tokio runtime with I/O.
pub fn listen(port: u16) -> io::Result<TcpListener> {
    listen_at(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
}

/// Listens on any address of this machine. The caller decides which peers are served.
///
/// # Errors
///
/// As [`listen`].
///
/// # Panics
///
/// As [`listen`].
pub fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // On Unix a port could otherwise not be bound again while old connections linger
    // in TIME_WAIT. On Windows the option would let two services share one port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

#[cfg(test)]
mod tests {
    /// Linux alone: elsewhere the system may allow fewer waiting connections, or a
    /// process fewer descriptors.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn three_hundred_clients_may_connect_at_once() {
        use std::net::TcpStream;
        use std::time::Duration;

        let allowed = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
        let clients = allowed.trim().parse::<usize>().unwrap().min(300);
        let listener = super::listen(0).unwrap();
        let address = listener.local_addr().unwrap();

        // Nobody accepts, so that one client too many would wait in vain.
        let connected: Result<Vec<_>, _> = (0..clients)
            .map(|_| TcpStream::connect_timeout(&address, Duration::from_secs(10)))
            .collect();

        assert_eq!(connected.expect("there is room").len(), clients);
    }
}
