//! The position of a line of execution: its step, the blocks around it, what it waits for. The main
//! program is one, the handler that runs another.

use crate::execution::steps::ProgramCounter;
use crate::receiving::pattern::EvaluatedPattern;
use crate::stacks::open_block::CloseBy;
use crate::stacks::peer::BlockPeer;
use crafty_lang::ir::{Span, StackId, VarId};
use crafty_value::{Duration, Time, Value};
use std::sync::Arc;

/// A line of execution.
#[derive(Debug)]
pub(crate) struct Thread {
    pub pc: ProgramCounter,
    /// The place of the step that was last made.
    pub span: Span,
    pub scopes: Vec<ExecutionScope>,
    /// Program time.
    pub time: Time,
    pub wait: Option<Wait>,
    pub unwind: Option<Unwind>,
    /// The peer of the next block that is entered.
    pub peer: Option<BlockPeer>,
    /// Whether the linger of the innermost block is over.
    pub lingered: bool,
    /// Rounds of loops that only time bounds, since program time moved last.
    pub rounds: (Time, u32),
}

impl Thread {
    /// A line of execution at a step.
    pub fn at(pc: ProgramCounter, time: Time) -> Thread {
        Thread {
            pc,
            span: Span::default(),
            scopes: Vec::new(),
            time,
            wait: None,
            unwind: None,
            peer: None,
            lingered: false,
            rounds: (time, 0),
        }
    }
}

/// What a line of execution is inside of.
#[derive(Debug)]
pub(crate) enum ExecutionScope {
    /// A block that ends at its value errors.
    Block {
        end: ProgramCounter,
        peer: Option<BlockPeer>,
    },
    /// A loop.
    Loop(RunningLoop),
    /// The body of a `try`.
    Try {
        error: Option<VarId>,
        handler: ProgramCounter,
    },
    /// The body of a driven block.
    Stack {
        id: StackId,
        otherwise: Option<(Option<VarId>, ProgramCounter)>,
        end: ProgramCounter,
    },
}

/// A running loop.
#[derive(Debug)]
pub(crate) struct RunningLoop {
    /// Its head.
    pub head: ProgramCounter,
    pub items: LoopItems,
    pub start: Time,
    pub every: Option<Duration>,
    /// No iteration starts from here on (`for=`).
    pub until: Option<Time>,
    /// Point of the grid at which the iteration started, counted from 0.
    pub point: i64,
}

/// What is left of a loop.
#[derive(Debug)]
pub(crate) enum LoopItems {
    Range { next: Option<i64>, last: i64 },
    Values(Elements),
    Count { done: i64, most: Option<i64> },
}

/// Elements of a container, as they were when the loop began.
#[derive(Debug)]
pub(crate) struct Elements {
    pub items: Arc<Vec<Value>>,
    pub firsts: Firsts,
    /// How many were taken.
    pub at: usize,
}

/// What the first of two loop variables holds.
#[derive(Debug)]
pub(crate) enum Firsts {
    /// There is one variable.
    None,
    /// Positions in an array, counted from 0.
    Positions,
    /// Keys of a map.
    Keys(Vec<Value>),
}

/// What a line of execution waits for.
#[derive(Debug)]
pub(crate) enum Wait {
    /// A moment.
    Until(Time),
    /// The handlers of the innermost block.
    Linger { since: Time },
    /// A packet.
    Expect(Box<WaitingExpect>),
    /// That a stack is up.
    Opening { stack: StackId, until: Time },
    /// That a stack is closed.
    Closing { stack: StackId, until: Time },
    /// That the first segment of a send into a stream was on the wire.
    StreamStamp { packet: u64, until: Time },
    /// That a frame of ours was on the wire. Nothing else happens meanwhile.
    Stamp { packet: u64 },
}

impl Wait {
    /// Whether handlers run meanwhile.
    pub fn is_waiting_statement(&self) -> bool {
        !matches!(self, Wait::Stamp { .. })
    }
}

/// Blocks are being left.
#[derive(Debug)]
pub(crate) struct Unwind {
    /// How many scopes stay.
    pub depth: usize,
    /// Where it continues.
    pub pc: ProgramCounter,
    /// How its stacks are closed.
    pub close: CloseBy,
    /// What the `else` gets.
    pub error: Option<(VarId, Value)>,
}

/// An `expect` that waits.
#[derive(Debug)]
pub(crate) struct WaitingExpect {
    /// Its step.
    pub pc: ProgramCounter,
    /// One for each arm.
    pub patterns: Vec<EvaluatedPattern>,
    pub deadline: Time,
}

/// The lines of execution of a program.
#[derive(Debug)]
pub(crate) struct Threads {
    pub main: Thread,
    /// The handler that runs, if one does: the main program then waits.
    pub handler: Option<Thread>,
}

impl Threads {
    /// The main program at the first step.
    pub fn new(start: Time) -> Threads {
        Threads {
            main: Thread::at(0, start),
            handler: None,
        }
    }

    /// The line of execution that runs.
    pub fn running(&self) -> &Thread {
        self.handler.as_ref().unwrap_or(&self.main)
    }

    /// The line of execution that runs.
    pub fn running_mut(&mut self) -> &mut Thread {
        self.handler.as_mut().unwrap_or(&mut self.main)
    }
}
