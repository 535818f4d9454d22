//! Before program time 0: which interface, which neighbours.

use crate::api::{Environment, LinkLayer};
use crate::building::frame::FrameBuilder;
use crate::execution::memory::Variables;
use crate::execution::meter::{Meter, Watch};
use crate::execution::packets::PacketTable;
use crate::execution::steps::{Code, Instruction};
use crate::execution::thread::Threads;
use crate::execution::values::Values;
use crate::machine::Machine;
use crate::machine::clocks::Clocks;
use crate::machine::conclusion::Conclusion;
use crate::machine::declassify::Declassification;
use crate::machine::journal::Journal;
use crate::machine::script::CompiledProgram;
use crate::receiving::reception::Reception;
use crate::sending::outbox::FrameOutbox;
use crate::sending::routing::ResolvedRoute;
use crate::sending::rules::OutRules;
use crate::sending::uplink::StartPhase;
use crate::sending::uplink::Uplink;
use crate::stacks::blocks::OpenBlocks;
use crafty_lang::check::Bindings;
use crafty_lang::eval;
use crafty_lang::ir::{DrivenKind, Expr, FieldSetting, Label, Literal, Program, StackLayer};
use crafty_lang::{labels, worst};
use crafty_policy::{Author, ExfiltrationMode, Gate, Policy, Reserved};
use crafty_stack::{NeighbourResolution, Neighbours};
use crafty_value::{Duration, Time, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A program as steps, with what its labels say of its sites.
fn script(mut program: Program, bound: &Bindings, worst: &worst::Worst) -> CompiledProgram {
    let policy = &bound.policy;
    let labels = labels::infer(&program, policy.exfiltration, worst.certainty(policy));
    let costs = labels::price::costs(&program, bound, &labels);
    program.labels = labels.expressions;
    program.from_network = labels::origin::infer(&program);
    let code = Arc::new(Code::of(&mut program));
    CompiledProgram {
        program: Arc::new(program),
        code,
        mode: bound.policy.exfiltration,
        sites: labels.sites,
        received: labels
            .variables
            .iter()
            .map(|label| *label > Label::Clean)
            .collect(),
        declassification: Declassification::new(&costs),
    }
}

/// The main program's worst case.
fn reserved(worst: &worst::Worst) -> Reserved {
    let [packets, bytes, syns] = worst.main.sends;
    Reserved {
        packets,
        bytes,
        syns,
    }
}

impl Machine {
    /// A machine that resolves the neighbours it will need, and then runs `program` from program
    /// time 0 on.
    pub fn new(
        program: Program,
        bound: Bindings,
        environment: Environment,
        start: Time,
    ) -> Machine {
        Machine::with_meter(program, bound, environment, start, Meter::default())
    }

    /// The same; while it computes it asks `watch`, about every millisecond, whether to end.
    pub fn watched(
        program: Program,
        bound: Bindings,
        environment: Environment,
        start: Time,
        watch: impl Watch + 'static,
    ) -> Machine {
        let meter = Meter::watched_by(Box::new(watch));
        Machine::with_meter(program, bound, environment, start, meter)
    }

    fn with_meter(
        program: Program,
        bound: Bindings,
        environment: Environment,
        start: Time,
        meter: Meter,
    ) -> Machine {
        let (worst, _) = worst::worst(&program, &bound);
        let reserved = reserved(&worst);
        let script = script(program, &bound, &worst);
        let Bindings { values, policy } = bound;
        let variables = Variables::new(values, &script.received);
        let mut machine = Machine {
            script,
            threads: Threads::new(start),
            values: Values {
                variables,
                packets: PacketTable::default(),
            },
            stacks: OpenBlocks::with_fixed_mtu(policy.exfiltration == ExfiltrationMode::None),
            uplink: Uplink::new(environment, policy.clone(), start),
            out_rules: OutRules::default(),
            prepared: Vec::new(),
            reception: Reception::default(),
            clocks: Clocks::new(start),
            meter,
            start: None,
            conclusion: Conclusion::default(),
            journal: Journal::default(),
        };
        machine.settle_on_interface(policy, start, reserved);
        machine
    }

    /// One interface carries the run: the one towards the first destination that is known.
    fn choose_interface(&self, policy: &Policy, first_known: Option<usize>) -> usize {
        let first_of_policy = || {
            policy
                .destinations
                .ranges()
                .first()
                .and_then(|(low, _)| self.uplink.environment.route_to(*low, None))
                .map(|route| route.interface)
        };
        let named = || {
            policy.interfaces.as_ref().and_then(|names| {
                names
                    .iter()
                    .find_map(|n| self.uplink.environment.interface_named(n))
            })
        };
        let other = || {
            self.uplink
                .environment
                .interfaces
                .iter()
                .position(|i| i.link != LinkLayer::Loopback)
                .unwrap_or(0)
        };
        first_known
            .or_else(first_of_policy)
            .or_else(named)
            .unwrap_or_else(other)
    }

    /// Opens the gate on the interface that carries the run, and asks for the neighbours there.
    fn settle_on_interface(&mut self, policy: Policy, start: Time, reserved: Reserved) {
        let ways = self.known_routes(&policy);
        let interface = self.choose_interface(&policy, ways.first().map(|way| way.interface));
        let link = self
            .uplink
            .environment
            .interfaces
            .get(interface)
            .map_or(crafty_policy::LinkKind::Ethernet, |i| i.link_kind());
        let tags = self.tags();
        self.uplink.neighbours = self.neighbours_on(interface, &policy).with_tags(&tags);
        self.stacks.connections.seed(self.uplink.environment.seed);
        let on_link = self.uplink.link() == LinkLayer::Ethernet;
        let wanted = ways
            .iter()
            .filter(|w| on_link && w.interface == interface)
            .map(|w| w.next_hop)
            .collect::<BTreeSet<_>>();
        let sites = self
            .script
            .sites
            .iter()
            .filter(|site| site.reacts())
            .count() as u32;
        let gate = Gate::new(
            policy,
            self.uplink.environment.host(interface),
            start,
            reserved,
        )
        .with_reactive_sites(sites);
        self.start = Some(StartPhase {
            wanted: wanted.into_iter().collect(),
            gives_up: gate.deadline(),
        });
        self.uplink.outbox = FrameOutbox::new(gate, interface, link);
        self.run();
    }

    fn neighbours_on(&self, interface: usize, policy: &Policy) -> Neighbours {
        let Some(info) = self.uplink.environment.interfaces.get(interface) else {
            return Neighbours::new(Default::default(), Vec::new());
        };
        let declared = policy
            .sources
            .ranges()
            .into_iter()
            .filter(|(low, high)| low == high)
            .map(|(low, _)| low)
            .take(256);
        let declared: Vec<_> = declared.collect();
        let addresses = info.addresses.iter().map(|(a, _)| *a);
        let own = addresses.chain(declared.iter().copied()).collect();
        let spacing = Duration::seconds(1)
            .0
            .checked_div(i64::try_from(policy.budget.max_packets_per_secs).unwrap_or(i64::MAX));
        let mut neighbours = Neighbours::new(info.mac, own);
        neighbours.pace(Duration(spacing.unwrap_or(i64::MAX)));
        if self.uplink.environment.kernel_answers {
            neighbours = neighbours.answering_for(declared);
        }
        for ((_, address), mac) in self
            .uplink
            .environment
            .neighbours
            .iter()
            .filter(|((i, _), _)| *i == interface)
        {
            neighbours.insert(*address, *mac);
        }
        // What answers leave room for in a second is what the main program may send in it.
        if policy.exfiltration == ExfiltrationMode::None {
            neighbours.silent()
        } else {
            neighbours
        }
    }

    /// The VLAN tags below every block, if all have the same: neighbours are asked behind them.
    fn tags(&mut self) -> Vec<u8> {
        let program = Arc::clone(&self.script.program);
        let mut all = BTreeSet::new();
        for info in program.stacks.iter().filter(|s| s.parent.is_none()) {
            let mut below = Vec::new();
            for layer in &info.layers {
                let StackLayer::Literal(literal) = layer else {
                    break;
                };
                below.extend(
                    self.fixed_fields(literal)
                        .ok()
                        .map(|fields| (literal.layer, fields)),
                );
            }
            all.insert(FrameBuilder::tags(&below));
        }
        if all.len() == 1 {
            all.pop_first().unwrap_or_default()
        } else {
            Vec::new()
        }
    }

    /// Ways to the destinations that are in the program as constants or params, in its order.
    fn known_routes(&self, policy: &Policy) -> Vec<ResolvedRoute> {
        let stacks = self
            .script
            .program
            .stacks
            .iter()
            .filter(|s| s.parent.is_none())
            .filter_map(|s| s.layers.iter().find_map(stack_dst));
        let sends = self.script.code.ops.iter().filter_map(|op| {
            if let Instruction::Send { send, .. } = op {
                literal_dst(&send.layers)
            } else {
                None
            }
        });
        let addresses =
            stacks
                .chain(sends)
                .filter_map(|expr| match eval::evaluate(expr, &mut self.world()) {
                    Ok(Value::Ip(address)) => Some(address),
                    _ => None,
                });
        addresses
            .filter(|a| policy.destinations.contains(*a))
            .filter_map(|a| self.uplink.environment.route_to(a, None))
            .collect()
    }

    /// Asks for neighbours; once each is known or has failed, program time 0 begins. False if it
    /// has to wait.
    pub(crate) fn continue_start(&mut self) -> bool {
        let now = self.clocks.now;
        while let Some(packet) = self.reception.incoming.pop_front() {
            if packet.interface == self.uplink.outbox.interface {
                self.uplink
                    .neighbours
                    .handle_frame(packet.time, &packet.octets);
            }
        }
        self.uplink.neighbours.handle_timeout(now);
        let Some(start) = self.start.as_ref() else {
            return true;
        };
        let (wanted, gives_up) = (start.wanted.clone(), start.gives_up);
        let pending = wanted
            .iter()
            .filter(|hop| self.uplink.neighbours.lookup(now, **hop) == NeighbourResolution::Pending)
            .count();
        if pending > 0 && now < gives_up {
            self.flush_neighbours(Author::Start);
            return false;
        }
        self.start = None;
        // From here on the gate's windows keep the pace.
        self.uplink.neighbours.pace(Duration::ZERO);
        self.threads.main.time = now;
        self.journal.report.started = now;
        self.uplink.outbox.gate.begin(now);
        let max_duration = self.uplink.outbox.gate.policy().budget.max_duration;
        let deadline = now.after(max_duration);
        self.clocks.begin(deadline);
        self.meter.begin(max_duration, deadline);
        true
    }
}

fn stack_dst(layer: &StackLayer) -> Option<&Expr> {
    match layer {
        StackLayer::Literal(literal) => literal_dst(core::slice::from_ref(literal)),
        StackLayer::Driven(driven) if driven.kind == DrivenKind::Ip => driven
            .options
            .iter()
            .find(|(o, _)| o.name == "dst")
            .and_then(|(_, v)| plain(v)),
        StackLayer::Driven(_) => None,
    }
}

fn literal_dst(layers: &[Literal]) -> Option<&Expr> {
    let outermost = layers
        .iter()
        .find(|l| crate::receiving::layers::is_ip(l.layer))?;
    let (dst, _) = outermost.layer.field("dst")?;
    outermost
        .fields
        .iter()
        .find(|(i, _)| *i == dst)
        .and_then(|(_, v)| plain(v))
}

fn plain(value: &FieldSetting) -> Option<&Expr> {
    if let FieldSetting::Value(expr) = value {
        Some(expr)
    } else {
        None
    }
}
