//! An endpoint from its interface's making to its end.

use crate::event::{interface_down, interface_up};
use crate::far_end::FarEnd;
use crate::medium::{EndpointMedium, EndpointObserver};
use crate::option::{EndpointMode, EndpointOptions};
use crate::prefix::PrefixedKind;
use crate::totals::EndpointTotals;
use crate::wire::TunWire;
use crafty_net::{InterfaceSetup, NetError, Tun, TunKind, set_up_interface};
use crafty_policy::Policy;
use crafty_run::admission::AdmittedRun;
use crafty_run::{LoadedProgram, MediumError, Observer, ProgramReport, Run, RunProgress};
use std::fmt;

/// A running endpoint. Its interface goes when it is dropped, or when the process ends, however it
/// ends.
pub struct Endpoint {
    run: Run<EndpointMedium>,
    has_program: bool,
}

/// How an endpoint ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointEnd {
    /// Why the interface went down.
    pub reason: String,
    /// How many packets came and what became of them.
    pub totals: EndpointTotals,
    /// What became of the program, if there was one.
    pub program: Option<ProgramReport>,
}

/// Why an endpoint cannot start.
#[derive(Debug)]
pub enum EndpointError {
    /// The host lacks something, or refuses the interface.
    Network(NetError),
    /// The program cannot run here.
    Program(MediumError),
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndpointError::Network(error) => error.fmt(f),
            EndpointError::Program(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EndpointError {}

impl From<NetError> for EndpointError {
    fn from(error: NetError) -> EndpointError {
        EndpointError::Network(error)
    }
}

impl From<MediumError> for EndpointError {
    fn from(error: MediumError) -> EndpointError {
        EndpointError::Program(error)
    }
}

impl Endpoint {
    /// Makes the interface, gives it its addresses, takes it up, and starts the program.
    ///
    /// # Errors
    /// When the host lacks a privilege or refuses, the program is not the one that was admitted, or
    /// the operator's policy demands an approval and there is no program that could have one.
    pub fn open(
        options: &EndpointOptions,
        operator: &Policy,
        program: Option<(LoadedProgram, AdmittedRun)>,
        observer: Box<dyn EndpointObserver>,
        seed: u64,
    ) -> Result<Endpoint, EndpointError> {
        if operator.require_approval.is_some() && program.is_none() {
            return Err(MediumError::NotAdmitted.into());
        }
        let (tun, far) = make_interface(options)?;
        let kind = match options.mode {
            EndpointMode::Tun => PrefixedKind::Packets,
            EndpointMode::Tap => PrefixedKind::Frames,
        };
        let up = interface_up(options, &far).to_string();
        let wire = TunWire::new(tun, options.packet_information, kind);
        let mut medium = EndpointMedium::new(options, far, Box::new(wire), observer, seed);
        medium.observer().event(&up);
        let has_program = program.is_some();
        let mut run = Run::new(medium);
        if let Some((program, admitted)) = program {
            run.medium_mut().admitted = Some(admitted);
            run.add(program)?;
        }
        Ok(Endpoint { run, has_program })
    }

    /// Runs until `stop` holds (asked at least every 50 ms), the interface goes away, or the program
    /// ends where nothing else could answer; `observer` is told what the program says.
    pub fn to_end(
        &mut self,
        observer: &mut impl Observer,
        mut stop: impl FnMut() -> bool,
    ) -> EndpointEnd {
        let mut program = None;
        let reason = loop {
            if stop() {
                break "stopped".into();
            }
            if let Some(reason) = self.run.medium_mut().closed.take() {
                break reason;
            }
            if !self.has_program || program.is_some() {
                self.run.medium_mut().step(None);
            } else if self.run.turn(observer) == RunProgress::Over {
                program = self.run.finish(observer).pop();
                self.run.medium_mut().without_program();
                if !self.run.medium().has_other_handlers() {
                    break "the program has ended".into();
                }
            }
        };
        if self.has_program && program.is_none() {
            self.run.cancel_token().cancel();
            while self.run.turn(observer) == RunProgress::Next {}
            program = self.run.finish(observer).pop();
        }
        let medium = self.run.medium_mut();
        let down = interface_down(&medium.far, &reason, &medium.totals);
        medium.observer().event(&down.to_string());
        EndpointEnd {
            reason,
            totals: self.run.medium().totals.clone(),
            program,
        }
    }
}

fn make_interface(options: &EndpointOptions) -> Result<(Tun, FarEnd), NetError> {
    let (kind, any_name) = match options.mode {
        EndpointMode::Tun => (TunKind::Packets, "tun%d"),
        EndpointMode::Tap => (TunKind::Frames, "tap%d"),
    };
    let name = options.interface_name.as_deref().unwrap_or(any_name);
    // Options of other platforms are refused with the other options.
    let prefix = options.packet_information.asked().unwrap_or_default();
    let tun = Tun::open_with(name, kind, prefix)?;
    let setup = InterfaceSetup {
        mtu: Some(options.mtu),
        addresses: options.near(),
        ..InterfaceSetup::default()
    };
    set_up_interface(tun.name(), &setup)?;
    let near_mac = crafty_net::interface(tun.name())?.mac;
    let far = FarEnd::new(options, tun.name(), near_mac);
    Ok((tun, far))
}
