//! TCP services and their connections.

use crate::services::ServiceConnection;
use smoltcp::iface::{SocketHandle, SocketSet};
use smoltcp::socket::tcp;
use smoltcp::time::Duration;

/// Bytes of a socket's buffer, each way.
const BUFFER: usize = 64 << 10;
/// Connections that a service has at a time.
const LINES: usize = 64;
/// Time without an answer after which a connection is given up: at least 100 s (RFC 9293 §3.8.3),
/// and several of the longest time-outs, which on a path that loses a tenth are waited for in a row.
const PATIENCE: Duration = Duration::from_secs(300);

/// A TCP service at a port, with its connections: those that are over listen again.
pub(super) struct TcpService {
    port: u16,
    answer: fn(&mut ServiceConnection),
    lines: Vec<(SocketHandle, ServiceConnection)>,
}

impl TcpService {
    /// A service that listens.
    pub fn new(
        port: u16,
        answer: fn(&mut ServiceConnection),
        sockets: &mut SocketSet<'static>,
    ) -> TcpService {
        let mut counter = TcpService {
            port,
            answer,
            lines: Vec::new(),
        };
        counter.listen(sockets);
        counter
    }

    /// Has one more socket listen.
    fn listen(&mut self, sockets: &mut SocketSet<'static>) {
        let mut socket = tcp::Socket::new(
            tcp::SocketBuffer::new(vec![0u8; BUFFER]),
            tcp::SocketBuffer::new(vec![0u8; BUFFER]),
        );
        socket.set_congestion_control(tcp::CongestionControl::Reno);
        socket.set_timeout(Some(PATIENCE));
        // A port of the table is never 0, and the socket is new.
        let _ = socket.listen(self.port);
        self.lines
            .push((sockets.add(socket), ServiceConnection::default()));
    }

    /// Lets every connection go on; whether anything moved.
    pub fn answer(&mut self, sockets: &mut SocketSet<'static>) -> bool {
        let mut busy = false;
        let mut listens = false;
        for (handle, talk) in &mut self.lines {
            let socket: &mut tcp::Socket<'_> = sockets.get_mut(*handle);
            if socket.state() == tcp::State::Closed {
                *talk = ServiceConnection::default();
                let _ = socket.listen(self.port);
            }
            listens |= socket.state() == tcp::State::Listen;
            busy |= talk.go_on(socket, self.answer);
        }
        if !listens && self.lines.len() < LINES {
            self.listen(sockets);
        }
        busy
    }
}

impl ServiceConnection {
    /// Hears, answers and says what can be; whether anything moved.
    fn go_on(&mut self, socket: &mut tcp::Socket<'_>, answer: fn(&mut ServiceConnection)) -> bool {
        let mut busy = false;
        if socket.can_recv() && self.to_say.len() < BUFFER && self.heard.len() < BUFFER {
            busy = socket
                .recv(|octets| (octets.len(), self.heard.extend_from_slice(octets)))
                .is_ok();
            answer(self);
        }
        if socket.can_send() && self.said < self.to_say.len() {
            let sent = socket.send_slice(&self.to_say[self.said..]).unwrap_or(0);
            busy |= sent > 0;
            self.said += sent;
        }
        if self.said == self.to_say.len() {
            self.to_say.clear();
            self.said = 0;
            let peer_is_done = socket.state() == tcp::State::CloseWait && !socket.can_recv();
            if (self.done || peer_is_done) && socket.may_send() {
                socket.close();
                busy = true;
            }
        }
        busy
    }
}
