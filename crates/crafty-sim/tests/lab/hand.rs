//! A host of ours that makes its frames by hand, and the hand that makes them.

use crafty_sim::{Attachment, Lab, LabOptions, parse_spec};
use crafty_value::{Duration, Mac, Time};
use smoltcp::wire::checksum::data as ones_sum;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host of ours at work: it knows nothing but how to ask for its gateway.
pub struct Here {
    pub lab: Lab,
    pub at: Attachment,
    pub router4: Mac,
    pub router6: Mac,
    pub now: Time,
    /// Addresses of others that we answer for.
    pub claims: Vec<Ipv4Addr>,
}

pub const MS: i64 = 1_000_000;

pub fn here(spec: &str, seed: u64) -> Here {
    here_at(spec, seed, None)
}

pub fn here_at(spec: &str, seed: u64, stand: Option<&str>) -> Here {
    let spec = parse_spec(spec).unwrap();
    let mut lab = Lab::named(
        &spec.network,
        &LabOptions {
            faults: spec.faults,
            seed,
        },
    )
    .unwrap();
    let at = lab.attach(stand).unwrap();
    let nobody = Mac([0; 6]);
    let mut here = Here {
        lab,
        at,
        router4: nobody,
        router6: nobody,
        now: Time(0),
        claims: vec![],
    };
    here.meet_the_routers();
    here
}

impl Here {
    pub fn v4(&self) -> IpAddr {
        self.at.addresses[0].0
    }

    pub fn v6(&self) -> IpAddr {
        self.at.addresses[1].0
    }

    pub fn meet_the_routers(&mut self) {
        let IpAddr::V4(own) = self.v4() else { panic!() };
        let arp = arp(
            1,
            self.at.mac,
            own,
            Mac([0; 6]),
            self.at.gateway_v4.unwrap(),
        );
        let answers = self.ask(arp, 10 * MS);
        let answer = answers
            .iter()
            .map(|it| &it.1)
            .find(|it| it[12..14] == [8, 6])
            .expect("an ARP answer");
        self.router4 = Mac(answer[22..28].try_into().unwrap());
        let gateway = self.at.gateway_v6.unwrap();
        let mut message = vec![135, 0, 0, 0, 0, 0, 0, 0];
        message.extend(gateway.octets());
        message.extend([1, 1]);
        message.extend(self.at.mac.0);
        let [.., a, b, c] = gateway.octets();
        let group = Ipv6Addr::new(
            0xff02,
            0,
            0,
            0,
            0,
            1,
            0xff00 | u16::from(a),
            u16::from_be_bytes([b, c]),
        );
        let own = self.v6();
        let solicitation = ip(
            own,
            group.into(),
            58,
            255,
            false,
            &icmp(own, group.into(), message),
        );
        let answers = self.ask(
            frame(Mac([0x33, 0x33, 0xff, a, b, c]), self.at.mac, &solicitation),
            10 * MS,
        );
        let answer = answers
            .iter()
            .map(|it| &it.1)
            .find(|it| it.get(54) == Some(&136))
            .expect("an advertisement");
        self.router6 = Mac(answer[80..86].try_into().unwrap());
    }

    /// Says a frame, lets time pass, and gives what was heard; answers ARP and solicitations on the
    /// way.
    pub fn ask(&mut self, frame: Vec<u8>, wait: i64) -> Vec<(Time, Vec<u8>)> {
        self.lab.send(self.at.port, self.now, &frame);
        self.listen(wait)
    }

    pub fn listen(&mut self, wait: i64) -> Vec<(Time, Vec<u8>)> {
        let until = self.now.after(Duration(wait));
        let mut heard = Vec::new();
        while let Some(at) = self.lab.next_event().filter(|at| *at <= until) {
            self.lab.advance(at);
            while let Some((at, frame)) = self.lab.receive(self.at.port) {
                if let Some(answer) = self.neighbourly(&frame) {
                    self.lab.send(self.at.port, at, &answer);
                }
                heard.push((at, frame));
            }
        }
        self.lab.advance(until);
        self.now = until;
        heard
    }

    /// The answer to a question for one of our addresses.
    pub fn neighbourly(&self, frame: &[u8]) -> Option<Vec<u8>> {
        let IpAddr::V4(own) = self.v4() else {
            return None;
        };
        let asked = Some(own)
            .into_iter()
            .chain(self.claims.iter().copied())
            .find(|it| frame[38..42] == it.octets());
        if let Some(own) = asked.filter(|_| frame[12..14] == [8, 6] && frame[21] == 1) {
            let asker = Ipv4Addr::new(frame[28], frame[29], frame[30], frame[31]);
            return Some(arp(
                2,
                self.at.mac,
                own,
                Mac(frame[22..28].try_into().unwrap()),
                asker,
            ));
        }
        let asks_v6 = frame[12..14] == [0x86, 0xdd] && frame[20] == 58 && frame[54] == 135;
        let target = Ipv6Addr::from(<[u8; 16]>::try_from(frame.get(62..78)?).unwrap());
        let own = self.at.addresses[1..]
            .iter()
            .any(|it| it.0 == IpAddr::V6(target));
        (asks_v6 && own).then(|| {
            let asker = IpAddr::V6(Ipv6Addr::from(
                <[u8; 16]>::try_from(&frame[22..38]).unwrap(),
            ));
            let mut message = vec![136, 0, 0, 0, 0x60, 0, 0, 0];
            message.extend(target.octets());
            message.extend([2, 1]);
            message.extend(self.at.mac.0);
            let answer = ip(
                target.into(),
                asker,
                58,
                255,
                false,
                &icmp(target.into(), asker, message),
            );
            self::frame(Mac(frame[6..12].try_into().unwrap()), self.at.mac, &answer)
        })
    }

    /// Sends a datagram through the gateway; gives the datagrams for `src` that come back within
    /// `wait`.
    pub fn exchange(&mut self, datagram: Vec<u8>, wait: i64) -> Vec<(Time, Vec<u8>)> {
        let router = if datagram[0] >> 4 == 4 {
            self.router4
        } else {
            self.router6
        };
        let out = frame(router, self.at.mac, &datagram);
        let src = source(&datagram);
        let heard = self.ask(out, wait);
        heard
            .into_iter()
            .map(|(at, frame)| (at, frame[14..].to_vec()))
            .filter(|(_, it)| it[0] >> 4 != 0 && destination(it) == src)
            .collect()
    }

    pub fn ping(&mut self, to: &str, size: usize, wait: i64) -> Vec<(Time, Vec<u8>)> {
        let to: IpAddr = to.parse().unwrap();
        let src = if to.is_ipv4() { self.v4() } else { self.v6() };
        self.exchange(
            ip(
                src,
                to,
                if to.is_ipv4() { 1 } else { 58 },
                64,
                true,
                &echo(src, to, size),
            ),
            wait,
        )
    }

    pub fn udp(
        &mut self,
        to: &str,
        ports: (u16, u16),
        ttl: u8,
        payload: &[u8],
        wait: i64,
    ) -> Vec<Vec<u8>> {
        let to: IpAddr = to.parse().unwrap();
        let src = if to.is_ipv4() { self.v4() } else { self.v6() };
        self.exchange(
            ip(src, to, 17, ttl, true, &udp(src, to, ports, payload)),
            wait,
        )
        .into_iter()
        .map(|it| it.1)
        .collect()
    }
}

pub fn frame(dst: Mac, src: Mac, datagram: &[u8]) -> Vec<u8> {
    let kind: [u8; 2] = if datagram[0] >> 4 == 4 {
        [8, 0]
    } else {
        [0x86, 0xdd]
    };
    [&dst.0[..], &src.0, &kind, datagram].concat()
}

pub fn arp(operation: u8, mac: Mac, ip: Ipv4Addr, to_mac: Mac, to: Ipv4Addr) -> Vec<u8> {
    let dst = if operation == 1 {
        Mac::BROADCAST
    } else {
        to_mac
    };
    [
        &dst.0[..],
        &mac.0,
        &[8, 6, 0, 1, 8, 0, 6, 4, 0, operation],
        &mac.0,
        &ip.octets(),
        &to_mac.0,
        &to.octets(),
    ]
    .concat()
}

pub fn ip(src: IpAddr, dst: IpAddr, proto: u8, ttl: u8, df: bool, payload: &[u8]) -> Vec<u8> {
    match (src, dst) {
        (IpAddr::V4(src), IpAddr::V4(dst)) => {
            let total = (20 + payload.len()) as u16;
            let df = if df { 0x40 } else { 0 };
            let mut header = [
                &[0x45, 0][..],
                &total.to_be_bytes(),
                &[0, 7, df, 0, ttl, proto, 0, 0],
                &src.octets(),
                &dst.octets(),
            ]
            .concat();
            let sum = !ones_sum(&header);
            header[10..12].copy_from_slice(&sum.to_be_bytes());
            [&header[..], payload].concat()
        }
        (IpAddr::V6(src), IpAddr::V6(dst)) => {
            let length = (payload.len() as u16).to_be_bytes();
            [
                &[0x60, 0, 0, 0][..],
                &length,
                &[proto, ttl],
                &src.octets(),
                &dst.octets(),
                payload,
            ]
            .concat()
        }
        _ => panic!("addresses of one version"),
    }
}

/// An IPv4 datagram with another word of flags and offset.
pub fn mended(mut datagram: Vec<u8>, cut: u16) -> Vec<u8> {
    datagram[6..8].copy_from_slice(&cut.to_be_bytes());
    datagram[10..12].fill(0);
    let sum = !ones_sum(&datagram[..20]);
    datagram[10..12].copy_from_slice(&sum.to_be_bytes());
    datagram
}

pub fn pseudo(src: IpAddr, dst: IpAddr, proto: u8, length: usize) -> Vec<u8> {
    let bits = |address: IpAddr| match address {
        IpAddr::V4(it) => it.octets().to_vec(),
        IpAddr::V6(it) => it.octets().to_vec(),
    };
    [
        &bits(src)[..],
        &bits(dst),
        &(length as u32).to_be_bytes(),
        &[0, 0, 0, proto],
    ]
    .concat()
}

pub fn icmp(src: IpAddr, dst: IpAddr, mut message: Vec<u8>) -> Vec<u8> {
    let front = if src.is_ipv6() {
        pseudo(src, dst, 58, message.len())
    } else {
        vec![]
    };
    let sum = !ones_sum(&[&front[..], &message].concat());
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    message
}

pub fn echo(src: IpAddr, dst: IpAddr, size: usize) -> Vec<u8> {
    let mut message = vec![if src.is_ipv4() { 8 } else { 128 }, 0, 0, 0, 0, 77, 0, 1];
    message.extend((0..size).map(|n| n as u8));
    icmp(src, dst, message)
}

pub fn udp(src: IpAddr, dst: IpAddr, ports: (u16, u16), payload: &[u8]) -> Vec<u8> {
    let length = (8 + payload.len()) as u16;
    let mut segment = [
        &ports.0.to_be_bytes()[..],
        &ports.1.to_be_bytes(),
        &length.to_be_bytes(),
        &[0, 0],
        payload,
    ]
    .concat();
    let sum = !ones_sum(&[&pseudo(src, dst, 17, segment.len())[..], &segment].concat());
    segment[6..8].copy_from_slice(&sum.to_be_bytes());
    segment
}

pub fn source(datagram: &[u8]) -> IpAddr {
    match datagram[0] >> 4 {
        4 => Ipv4Addr::new(datagram[12], datagram[13], datagram[14], datagram[15]).into(),
        _ => Ipv6Addr::from(<[u8; 16]>::try_from(&datagram[8..24]).unwrap()).into(),
    }
}

pub fn destination(datagram: &[u8]) -> IpAddr {
    match datagram[0] >> 4 {
        4 => Ipv4Addr::new(datagram[16], datagram[17], datagram[18], datagram[19]).into(),
        6 => Ipv6Addr::from(<[u8; 16]>::try_from(&datagram[24..40]).unwrap()).into(),
        _ => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
    }
}

/// Protocol and upper layer.
pub fn upper(datagram: &[u8]) -> (u8, &[u8]) {
    match datagram[0] >> 4 {
        4 => (
            datagram[9],
            &datagram[20..usize::from(u16::from_be_bytes([datagram[2], datagram[3]]))],
        ),
        _ => (
            datagram[6],
            &datagram[40..40 + usize::from(u16::from_be_bytes([datagram[4], datagram[5]]))],
        ),
    }
}

/// Checks every checksum that a datagram and its ICMP or UDP have.
pub fn is_sound(datagram: &[u8]) -> bool {
    let (proto, message) = upper(datagram);
    let front = if proto == 1 {
        vec![]
    } else {
        pseudo(
            source(datagram),
            destination(datagram),
            proto,
            message.len(),
        )
    };
    let header = datagram[0] >> 4 == 6 || ones_sum(&datagram[..20]) == 0xffff;
    header && ones_sum(&[&front[..], message].concat()) == 0xffff
}
