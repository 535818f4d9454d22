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
    Tcp(fn(&mut ServiceConnection)),
    /// Not at all.
    Closed,
}

impl Answer {
    /// The name of what it answers over.
    pub fn transport(self) -> &'static str {
        match self {
            Answer::Udp(_) => "udp",
            Answer::Tcp(_) => "tcp",
            Answer::Closed => "closed",
        }
    }
}

/// One connection, as a service sees it.
#[derive(Debug, Default)]
pub(crate) struct ServiceConnection {
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

/// Every service, in the words of a scenario file.
static SERVICES: &[&Service] = &[
    &dns::OVER_UDP,
    &dns::OVER_TCP,
    &http::SERVICE,
    #[cfg(feature = "tls")]
    &https::SERVICE,
    &tcp_discard::SERVICE,
    &tcp_echo::SERVICE,
    &udp_discard::SERVICE,
    &udp_echo::SERVICE,
];

/// Reads `udp/7 echo`. A service that this build was made without is not served: its port is
/// closed.
pub(crate) fn serving_named(text: &str) -> Option<Serving> {
    let (place, name) = text.split_once(' ')?;
    let (transport, port) = place.split_once('/')?;
    let port = port.parse().ok().filter(|port| *port > 0)?;
    let service = SERVICES
        .iter()
        .find(|it| it.name == name && it.answer.transport() == transport);
    match service {
        Some(service) => Some(Serving { port, service }),
        None if text == "tcp/443 https" => Some(Serving {
            port,
            service: &CLOSED,
        }),
        None => None,
    }
}

/// What stands for a service that is not in this build.
static CLOSED: Service = Service {
    name: "closed",
    answer: Answer::Closed,
};

/// Services as a scenario file names them.
pub(crate) fn services_known() -> String {
    let names: Vec<String> = SERVICES
        .iter()
        .map(|it| format!("`{}/PORT {}`", it.answer.transport(), it.name))
        .collect();
    names.join(", ")
}

/// A service at a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Serving {
    pub port: u16,
    pub service: &'static Service,
}

impl Serving {
    /// As the map shows it: `udp/7 echo`.
    pub fn shown(&self) -> String {
        let transport = self.service.answer.transport();
        format!("{transport}/{} {};", self.port, self.service.name)
    }
}
