//! An endpoint from its interface's making to its end.

use crate::action::AnswerLink;
use crate::door::Door;
use crate::event::{interface_down, interface_up};
use crate::far_end::FarEnd;
use crate::handlers::fixed::FixedHandler;
use crate::handlers::process::ProcessDesk;
use crate::handlers::waker;
use crate::medium::{EndpointMedium, EndpointObserver, Handlers};
use crate::model::{HttpServer, ModelDesk};
use crate::option::{EndpointMode, EndpointOptions};
use crate::prefix::PrefixedKind;
use crate::totals::EndpointTotals;
use crate::wire::TunWire;
use crafty_net::{InterfaceSetup, NetError, Tun, TunKind, set_up_interface};
use crafty_policy::{HostQuotas, Policy};
use crafty_run::admission::AdmittedRun;
use crafty_run::{LoadedProgram, MediumError, Observer, ProgramReport, Run, RunProgress};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

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
    /// A handler cannot be set up: what, and the fix.
    Handler(String, &'static str),
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndpointError::Network(error) => error.fmt(f),
            EndpointError::Program(error) => error.fmt(f),
            EndpointError::Handler(what, _) => f.write_str(what),
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
    /// the operator's policy approves or counts what is sent and there is more than a program, or none.
    pub fn open(
        options: &EndpointOptions,
        operator: &Policy,
        program: Option<(LoadedProgram, AdmittedRun)>,
        observer: Box<dyn EndpointObserver>,
        seed: u64,
    ) -> Result<Endpoint, EndpointError> {
        let handlers = handlers(options)?;
        let is_counted = operator.host_quotas != HostQuotas::UNLIMITED;
        let is_strict = is_counted || operator.require_approval.is_some();
        if is_strict && (handlers.any() || program.is_none()) {
            return Err(EndpointError::Handler(
                "the operator's policy approves or counts what is sent, and only of a program it is known beforehand".into(),
                "let a program alone answer (`crafty approve` approves one), or ask the operator",
            ));
        }
        let (tun, far) = make_interface(options)?;
        let kind = match options.mode {
            EndpointMode::Tun => PrefixedKind::Packets,
            EndpointMode::Tap => PrefixedKind::Frames,
        };
        let up = interface_up(options, &far);
        let door = Door::new(&far, operator, options.powers, crafty_net::now());
        let wire = Box::new(TunWire::new(tun, options.packet_information, kind));
        let mut medium = EndpointMedium::new(options, far, door, wire, handlers, observer, seed);
        medium.announce(up);
        let has_program = program.is_some();
        let mut run = Run::new(medium);
        if let Some((program, admitted)) = program {
            run.medium_mut().admitted = Some(admitted);
            run.add(program)?;
        }
        Ok(Endpoint { run, has_program })
    }

    /// Runs until `stop` holds (asked at least every 50 ms), the interface goes away, or the program
    /// ends where nothing else could answer; `observer` is informed what the program says.
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
        medium.give_up();
        let down = interface_down(&medium.far, &reason, &medium.totals);
        medium.farewell(&down.to_string());
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

/// The handlers beside a program.
fn handlers(options: &EndpointOptions) -> Result<Handlers, EndpointError> {
    let (waker, wakeups) = waker().map_err(|error| NetError::System {
        doing: "making a pipe",
        errno: error.raw_os_error().unwrap_or(0),
    })?;
    let fixed = options.static_handler.as_deref().map(fixed_handler);
    let process = match options.process_handler.as_slice() {
        [] => None,
        words => Some(
            ProcessDesk::start(words, options.process_timeout, waker.clone()).map_err(|error| {
                let what = format!("the process `{}` does not start: {error}", words.join(" "));
                EndpointError::Handler(what, "name a program that this user may run")
            })?,
        ),
    };
    let link = match options.mode {
        EndpointMode::Tun => AnswerLink::Packets,
        EndpointMode::Tap => AnswerLink::Frames,
    };
    let server = options.model_url.as_deref().map(|url| {
        let key = options
            .model_key_file
            .as_deref()
            .map(model_key)
            .transpose()?;
        Ok::<_, EndpointError>(Arc::new(HttpServer::new(url, key)))
    });
    Ok(Handlers {
        fixed: fixed.transpose()?,
        process,
        model: server
            .transpose()?
            .and_then(|server| ModelDesk::new(options, server, link, waker)),
        wakeups: Some(wakeups),
    })
}

fn fixed_handler(path: &Path) -> Result<FixedHandler, EndpointError> {
    let wrong = |why: String| {
        EndpointError::Handler(
            format!("`{}`: {why}", path.display()),
            "write a JSON list of actions, as `[{\"type\": \"drop_packet\"}]`",
        )
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    FixedHandler::read(&text).map_err(|error| wrong(error.to_string()))
}

/// The key, without the end of its line.
fn model_key(path: &Path) -> Result<String, EndpointError> {
    let wrong = |why: String| {
        EndpointError::Handler(
            format!("the key in `{}`: {why}", path.display()),
            "write the key alone into a file that this user may read",
        )
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let key = text.trim();
    match !key.is_empty() && key.chars().all(|c| c.is_ascii_graphic()) {
        true => Ok(key.into()),
        false => Err(wrong("it is not one word of printable ASCII".into())),
    }
}
