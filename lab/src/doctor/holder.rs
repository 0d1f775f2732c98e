//! Who listens on a port, as Linux tells it in `/proc` (proc(5)).

use std::{fs, net::Ipv4Addr};

use super::facts::Holder;

/// The sockets of this machine. Other systems do not have them as files.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// Who listens on a port of this machine.
pub(super) fn holder(port: u16) -> Holder {
    let tables = TABLES.map(fs::read_to_string);
    if tables.iter().all(Result::is_err) {
        return Holder::Untold;
    }
    let sockets: Vec<_> = tables
        .iter()
        .flatten()
        .flat_map(|table| listening(table, port))
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    // It is bound and does not listen, or is held beyond what these tables show.
    if sockets.is_empty() {
        return Holder::Untold;
    }
    let holds = |id: u32| {
        let open = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten();
        open.flatten()
            .filter_map(|file| fs::read_link(file.path()).ok())
            .any(|link| sockets.iter().any(|socket| link.as_os_str() == &**socket))
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let id = processes
        .filter_map(|process| process.file_name().to_str()?.parse().ok())
        .find(|id| holds(*id));
    id.map_or(Holder::Foreign, |id| Holder::Process {
        name: fs::read(format!("/proc/{id}/comm")).map_or_else(
            |_| String::new(),
            |name| String::from_utf8_lossy(&name).trim().to_owned(),
        ),
        id,
    })
}

/// The inodes of the sockets that listen on a port of 127.0.0.1, as a table of
/// `/proc/net` has them. An IPv6 socket may listen there as well: one on every
/// address, or on 127.0.0.1 mapped into IPv6.
fn listening(table: &str, port: u16) -> Vec<u64> {
    /// The state of a socket that listens: `TCP_LISTEN` of the kernel.
    const LISTEN: &str = "0A";

    // The kernel writes an address as words in the byte order of the machine.
    let loopback = format!("{:08X}", u32::from_ne_bytes(Ipv4Addr::LOCALHOST.octets()));
    let here =
        |address: &str| address.bytes().all(|digit| digit == b'0') || address.ends_with(&loopback);
    let sockets = table.lines().skip(1).filter_map(|line| {
        let mut columns = line.split_whitespace();
        let (address, local) = columns.nth(1)?.split_once(':')?;
        let state = columns.nth(1)?;
        let listens =
            u16::from_str_radix(local, 16) == Ok(port) && here(address) && state == LISTEN;
        columns.nth(5)?.parse().ok().filter(|_| listens)
    });
    sockets.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_listens_among_all_that_is_open() {
        let loopback = format!("{:08X}", u32::from_ne_bytes([127, 0, 0, 1]));
        let table = format!("\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: {loopback}:223E 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 221296 1 0000000073bdd5c7 100 0 0 10 0
   1: {loopback}:223D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 221297 1 0000000073bdd5c7 100 0 0 10 0
   2: {loopback}:223E {loopback}:D431 01 00000000:00000000 00:00000000 00000000  1000        0 221298 1 0000000073bdd5c7 20 4 30 10 -1
   3: 00000000000000000000000000000000:223E 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 221299 1 x
   4: 0000000000000000FFFF0000{loopback}:223E 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 221300 1 x
   5: 00000000000000000000000001000000:223E 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 221301 1 x
   6: 3500007F:223E 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 221302 1 0000000073bdd5c7 100 0 0 10 0
   7: nonsense
");

        assert_eq!(listening(&table, 8766), [221_296, 221_299, 221_300]);
        assert_eq!(listening(&table, 8765), [221_297]);
        assert_eq!(listening(&table, 1), [0; 0]);
        assert_eq!(listening("", 8766), [0; 0]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_a_process_of_ones_own() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = socket.local_addr().expect("an address").port();

        let held = holder(port);
        drop(socket);
        let free = holder(port);

        let own = std::process::id();
        assert!(
            matches!(&held, Holder::Process { name, id } if *id == own && !name.is_empty()),
            "{held:?}"
        );
        assert_eq!(free, Holder::Untold);
    }
}
