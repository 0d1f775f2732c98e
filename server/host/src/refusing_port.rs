//! A port that refuses connections.

use std::{io, net::Ipv4Addr};

use tokio::net::TcpSocket;

/// A port that refuses connections: it is bound, so that nobody else can listen on
/// it, and not listened on.
///
/// # Errors
///
/// If no port can be bound.
pub fn refusing_port() -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
    Ok(socket)
}
