//! What expressions ask the machine.

use crate::api::Environment;
use crate::execution::memory::Variables;
use crate::execution::meter::Meter;
use crate::execution::packets::PacketTable;
use crate::execution::thread::ExecutionScope;
use crate::machine::Machine;
use crate::machine::declassify::Declassification;
use crate::stacks::blocks::OpenBlocks;
use crate::stacks::peer::BlockPeer;
use core::net::IpAddr;
use crafty_lang::builtins::MachineCall;
use crafty_lang::driven::LayerCounter;
use crafty_lang::eval::{Raise, Stop, World};
use crafty_lang::ir::{ErrorKind, ExprId, FieldRef, StackId, VarId};
use crafty_value::{Time, Value};
use crafty_wire::Layer;

/// The machine as an expression sees it.
pub(crate) struct EvaluationContext<'a> {
    memory: &'a Variables,
    packets: &'a PacketTable,
    stacks: &'a OpenBlocks,
    environment: &'a Environment,
    now: Time,
    peer: Option<BlockPeer>,
    declassification: &'a Declassification,
    meter: &'a Meter,
}

impl Machine {
    /// What an expression of the current line of execution can ask.
    pub(crate) fn world(&self) -> EvaluationContext<'_> {
        EvaluationContext {
            memory: &self.values.variables,
            packets: &self.values.packets,
            stacks: &self.stacks,
            environment: &self.uplink.environment,
            now: self.threads.running().time,
            peer: self.any_peer().cloned(),
            declassification: &self.script.declassification,
            meter: &self.meter,
        }
    }

    /// The peer of the innermost arm or handler.
    pub(crate) fn any_peer(&self) -> Option<&BlockPeer> {
        let line = self.threads.running();
        let of_scope = |scope: &'_ ExecutionScope| match scope {
            ExecutionScope::Block { peer, .. } => peer.is_some(),
            _ => false,
        };
        let scope = line.scopes.iter().rfind(|s| of_scope(s));
        match scope {
            Some(ExecutionScope::Block { peer, .. }) => peer.as_ref(),
            _ => line.peer.as_ref(),
        }
    }

    /// The peer of the innermost arm or handler, if it is one of this block's.
    pub(crate) fn peer_of(&self, stack: StackId) -> Option<BlockPeer> {
        self.any_peer().filter(|p| p.stack == stack).cloned()
    }
}

/// Where there is no route there is no source either; a start condition, no error.
fn unspecified(to: IpAddr) -> IpAddr {
    if to.is_ipv4() {
        IpAddr::from([0; 4])
    } else {
        IpAddr::from([0; 16])
    }
}

impl EvaluationContext<'_> {
    fn packet(&self, var: VarId) -> Option<u64> {
        match self.memory.get(var) {
            Value::Packet(id) => Some(*id),
            _ => None,
        }
    }
}

impl World for EvaluationContext<'_> {
    fn var(&self, var: VarId) -> &Value {
        self.memory.get(var)
    }

    fn has_layer(&mut self, packet: VarId, layer: &'static Layer) -> bool {
        self.packet(packet)
            .is_some_and(|id| self.packets.has_layer(id, layer))
    }

    fn field(
        &mut self,
        packet: VarId,
        layer: &'static Layer,
        nth: i64,
        field: &FieldRef,
    ) -> Result<Value, Stop> {
        let id = self
            .packet(packet)
            .ok_or_else(|| Raise::new(ErrorKind::Absent, "this variable holds no packet yet"))?;
        self.packets.field(id, layer, nth, field)
    }

    fn counter(&mut self, stack: StackId, counter: &'static LayerCounter) -> Result<Value, Stop> {
        let value = self.stacks.counter(stack, counter, self.peer.as_ref());
        value.ok_or_else(|| {
            Raise::new(
                ErrorKind::Absent,
                format!("`{}` is not known here", counter.name),
            )
            .into()
        })
    }

    fn chose(&self, call: ExprId) {
        self.declassification.chose(call);
    }

    fn charge(&self, cost: u64) -> Result<(), Stop> {
        self.meter.charge(cost)
    }

    fn call(&mut self, call: MachineCall, args: &[Value]) -> Result<Value, Stop> {
        match (call, args.first()) {
            (MachineCall::Now, _) => Ok(Value::Time(self.now)),
            (MachineCall::SourceFor, Some(Value::Ip(to))) => {
                let source = self
                    .environment
                    .route_to(*to, None)
                    .and_then(|way| way.source);
                Ok(Value::Ip(source.unwrap_or_else(|| unspecified(*to))))
            }
            (MachineCall::Frames, Some(Value::Packet(id))) => {
                Ok(Value::Int(self.packets.frames(*id)))
            }
            (MachineCall::PacketLength, Some(Value::Packet(id))) => {
                Ok(Value::Int(self.packets.length(*id)))
            }
            _ => Err(Raise::new(ErrorKind::Absent, "there is no packet to ask").into()),
        }
    }
}
