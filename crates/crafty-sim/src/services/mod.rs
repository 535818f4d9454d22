//! What the lab's hosts serve, one file each. To add one: write its file and put its name into the
//! list below.

pub(crate) mod dns;
pub(crate) mod http;
#[cfg(feature = "tls")]
pub(crate) mod https;
pub(crate) mod tcp_discard;
pub(crate) mod tcp_echo;
pub(crate) mod udp_discard;
pub(crate) mod udp_echo;

/// A service, wherever it is.
#[derive(Debug)]
pub(crate) struct Service {
    /// What the map calls it.
    pub name: &'static str,
    pub answer: Answer,
}

/// From a datagram to the datagram that answers it, if any.
pub(crate) type Reply = fn(&[u8]) -> Option<Vec<u8>>;

/// How a service answers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// Datagram by datagram.
    Udp(Reply),
    /// Over a connection.
    Tcp(fn(&mut Talk)),
}

/// One connection, as a service sees it.
#[derive(Debug, Default)]
pub(crate) struct Talk {
    /// Bytes received and not yet used up.
    pub heard: Vec<u8>,
    /// Bytes that are to be sent.
    pub to_say: Vec<u8>,
    /// How many of them are.
    pub(crate) said: usize,
    /// Nothing more will be said.
    pub done: bool,
    #[cfg(feature = "tls")]
    pub(crate) sealed: Option<Box<https::Sealed>>,
}

/// A service at a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Serving {
    pub port: u16,
    pub service: &'static Service,
}

impl Service {
    pub const fn at(&'static self, port: u16) -> Serving {
        Serving {
            port,
            service: self,
        }
    }
}

impl Serving {
    /// As the map shows it: `udp/7 echo`.
    pub fn shown(&self) -> String {
        let transport = match self.service.answer {
            Answer::Udp(_) => "udp",
            Answer::Tcp(_) => "tcp",
        };
        format!("{transport}/{} {};", self.port, self.service.name)
    }
}
