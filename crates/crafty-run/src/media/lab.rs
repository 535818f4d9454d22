//! The simulated network as a medium, in virtual time: no privilege, no waiting, the same bytes each
//! time.

use crate::load::LoadedProgram;
use crate::medium::{Arrival, Attached, Departure, Medium, MediumError, ProgramId};
use crafty_sim::{Attachment, Lab, LabOptions, PortId, is_scenario_file, parse_spec};
use crafty_value::{Mac, Net, Time};
use crafty_vm::{
    Environment, InterfaceInfo, LinkLayer, Packet, Route, Stamp, StampSource, Transmit,
};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A simulated network that programs run in.
pub struct LabMedium {
    lab: Lab,
    seed: u64,
    /// Where each program is joined to it.
    ports: Vec<PortId>,
}

impl LabMedium {
    /// A network with its faults, as `NETWORK` or `NETWORK:FAULT,FAULT=VALUE`, where a network is
    /// one that is built in or a scenario file (`FILE.toml`); the same seed gives the same run.
    ///
    /// # Errors
    /// When there is no such network or fault.
    pub fn new(spec: &str, seed: u64) -> Result<LabMedium, MediumError> {
        let spec = parse_spec(spec).map_err(|error| MediumError::Lab(error.to_string()))?;
        let options = LabOptions {
            faults: spec.faults,
            seed,
        };
        let lab = match is_scenario_file(&spec.network) {
            true => {
                let file = &spec.network;
                let text = std::fs::read_to_string(file).map_err(|error| {
                    MediumError::Lab(format!("cannot read the scenario file `{file}`: {error}"))
                })?;
                Lab::from_scenario(file, &text, &options)
            }
            false => Lab::named(&spec.network, &options),
        };
        let lab = lab.map_err(|error| MediumError::Lab(error.to_string()))?;
        Ok(LabMedium::of(lab, seed))
    }

    /// The TCP of a program that leaves it to the stack is to keep to the rules. One that sends
    /// segments by itself may break any: that is what it is for.
    #[cfg(feature = "referee")]
    fn judge(&mut self, at: &Attachment, program: &LoadedProgram) {
        if crafty_referee::harness::crafts(&program.source.text).is_none() {
            self.lab.judge(at, false);
        }
    }

    #[cfg(not(feature = "referee"))]
    fn judge(&mut self, _: &Attachment, _: &LoadedProgram) {}

    /// A network that is built already.
    pub fn of(lab: Lab, seed: u64) -> LabMedium {
        LabMedium {
            lab,
            seed,
            ports: Vec::new(),
        }
    }
}

impl Medium for LabMedium {
    fn attach(
        &mut self,
        program: &LoadedProgram,
        place: Option<&str>,
    ) -> Result<Attached, MediumError> {
        let at = self
            .lab
            .attach(place)
            .map_err(|error| MediumError::Place(error.to_string()))?;
        self.judge(&at, program);
        self.ports.push(at.port);
        Ok(Attached {
            environment: environment(&at, self.seed),
            start: Time(0),
        })
    }

    fn send(&mut self, program: ProgramId, frame: Transmit) -> Departure {
        let time = frame.at.max(self.lab.now());
        self.lab.send(self.ports[program.0], time, &frame.octets);
        Departure::At(Stamp {
            time,
            source: StampSource::Recapture,
        })
    }

    fn wait(&mut self, until: Option<Time>) -> Option<Time> {
        let next = [until, self.lab.next_event()].into_iter().flatten().min()?;
        let next = next.max(self.lab.now());
        self.lab.advance(next);
        Some(next)
    }

    fn receive(&mut self, program: ProgramId) -> Option<Arrival> {
        let (time, octets) = self.lab.receive(self.ports[program.0])?;
        Some(Arrival::Packet(Packet {
            interface: 0,
            time,
            wire_len: octets.len(),
            octets,
            checksum_ready: true,
        }))
    }
}

/// What a program learns its place in the lab.
fn environment(at: &Attachment, seed: u64) -> Environment {
    let addresses: Vec<(IpAddr, u8)> = at.addresses.clone();
    let mut routes: Vec<Route> = addresses
        .iter()
        .filter_map(|(a, p)| Net::new(*a, *p).map(|net| (net, *a)))
        .map(|(net, a)| on_link(net, a))
        .collect();
    let source = |v6: bool| {
        addresses
            .iter()
            .map(|(a, _)| *a)
            .find(|a| a.is_ipv6() == v6 && !is_link_local(*a))
    };
    let default_v4 = at.gateway_v4.map(|g| {
        (
            Net::new(Ipv4Addr::UNSPECIFIED.into(), 0),
            IpAddr::from(g),
            source(false),
        )
    });
    let default_v6 = at.gateway_v6.map(|g| {
        (
            Net::new(Ipv6Addr::UNSPECIFIED.into(), 0),
            IpAddr::from(g),
            source(true),
        )
    });
    for (net, gateway, source) in [default_v4, default_v6].into_iter().flatten() {
        routes.extend(net.map(|net| Route {
            net,
            gateway: Some(gateway),
            interface: 0,
            source,
        }));
    }
    let interface = InterfaceInfo {
        name: at.portal.clone(),
        mac: at.mac,
        mtu: at.mtu as u32,
        addresses,
        link: LinkLayer::Ethernet,
    };
    Environment {
        other_addresses: Vec::new(),
        kernel_answers: false,
        interfaces: vec![interface],
        routes,
        neighbours: BTreeMap::<(usize, IpAddr), Mac>::new(),
        seed,
    }
}

fn on_link(net: Net, source: IpAddr) -> Route {
    Route {
        net,
        gateway: None,
        interface: 0,
        source: Some(source),
    }
}

fn is_link_local(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(a) if a.is_unicast_link_local())
}
