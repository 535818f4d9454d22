//! The kernel's program: sends and hears at once, then closes, and waits until nothing is left of
//! the connection.

use crate::case::{Case, Far};
use crate::octets::Stream;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// How long a whole case may take: where a fifth is lost, the kernel's time-outs reach two minutes.
pub const PATIENCE: Duration = Duration::from_secs(450);

/// A socket that was made before our end begins.
pub enum Socket {
    Listens(TcpListener),
    Connects,
}

impl Socket {
    pub fn new(case: &Case, own: SocketAddr) -> Socket {
        if !case.we_open {
            return Socket::Connects;
        }
        Socket::Listens(TcpListener::bind(own).unwrap())
    }

    /// Moves both streams; tells what went wrong.
    pub fn talk(self, case: &Case, peer: SocketAddr) -> Result<(), String> {
        let socket = match self {
            Socket::Listens(listener) => listener.accept().map_err(|e| format!("accept: {e}"))?.0,
            Socket::Connects => TcpStream::connect(peer).map_err(|e| format!("connect: {e}"))?,
        };
        let own = socket.local_addr().map_err(|e| e.to_string())?;
        if case.far != Far::Both {
            echo(socket, case)?;
            return nothing_left(own);
        }
        let writer = socket.try_clone().map_err(|e| e.to_string())?;
        thread::scope(|scope| {
            let wrote = scope.spawn(|| write(writer, Stream::new(1, case.sizes[1])));
            read(socket, Stream::new(0, case.sizes[0]))?;
            wrote.join().unwrap()
        })?;
        nothing_left(own)
    }
}

fn write(mut socket: TcpStream, mut stream: Stream) -> Result<(), String> {
    while !stream.over() {
        let octets = stream.next(1 << 16);
        socket
            .write_all(&octets)
            .map_err(|e| format!("write at {}: {e}", stream.at()))?;
    }
    socket
        .shutdown(Shutdown::Write)
        .map_err(|e| format!("shutdown: {e}"))
}

/// Returns what comes, until the peer ends.
fn echo(mut socket: TcpStream, case: &Case) -> Result<(), String> {
    let (mut stream, mut buffer) = (Stream::new(0, case.sizes[0]), vec![0; 4096]);
    socket
        .set_read_timeout(Some(PATIENCE))
        .map_err(|e| e.to_string())?;
    loop {
        let len = socket
            .read(&mut buffer)
            .map_err(|e| format!("read at {}: {e}", stream.at()))?;
        if len == 0 {
            break;
        }
        stream.check(&buffer[..len])?;
        socket
            .write_all(&buffer[..len])
            .map_err(|e| format!("write at {}: {e}", stream.at()))?;
        if case.far == Far::SlowEcho {
            thread::sleep(Duration::from_millis(5));
        }
    }
    socket
        .shutdown(Shutdown::Write)
        .map_err(|e| format!("shutdown: {e}"))
}

fn read(mut socket: TcpStream, mut stream: Stream) -> Result<(), String> {
    let mut buffer = vec![0; 1 << 16];
    socket
        .set_read_timeout(Some(PATIENCE))
        .map_err(|e| e.to_string())?;
    loop {
        match socket
            .read(&mut buffer)
            .map_err(|e| format!("read at {}: {e}", stream.at()))?
        {
            0 if stream.over() => return Ok(()),
            0 => return Err(format!("the end after {} bytes", stream.at())),
            len => stream.check(&buffer[..len])?,
        }
    }
}

/// Waits until the kernel knows no connection from here but one in TIME-WAIT.
fn nothing_left(own: SocketAddr) -> Result<(), String> {
    const TIME_WAIT: &str = "06";
    const LISTEN: &str = "0A";
    let end = Instant::now() + PATIENCE;
    let name = name(own);
    loop {
        let table = ["tcp", "tcp6"].map(|file| {
            std::fs::read_to_string(format!("/proc/thread-self/net/{file}")).unwrap_or_default()
        });
        let left = table
            .iter()
            .flat_map(|t| t.lines())
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        let states: Vec<String> = left
            .filter(|w| w.get(1) == Some(&name.as_str()))
            .map(|w| w[3].to_string())
            .collect();
        if states
            .iter()
            .all(|state| state == TIME_WAIT || state == LISTEN)
        {
            return Ok(());
        }
        if Instant::now() > end {
            return Err(format!("the kernel still has {states:?}"));
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// An end as the kernel's tables write it.
fn name(end: SocketAddr) -> String {
    let words: Vec<u32> = match end.ip() {
        IpAddr::V4(ip) => vec![u32::from_ne_bytes(ip.octets())],
        IpAddr::V6(ip) => ip
            .octets()
            .chunks(4)
            .map(|w| u32::from_ne_bytes([w[0], w[1], w[2], w[3]]))
            .collect(),
    };
    let mut name = String::new();
    words
        .iter()
        .for_each(|word| write!(name, "{word:08X}").unwrap());
    format!("{name}:{:04X}", end.port())
}
