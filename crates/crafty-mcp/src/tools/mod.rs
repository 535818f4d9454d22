//! Every tool, one file each. To add one: write the file, then add its name to the list below.

use crate::answer::ToolAnswer;
use crate::approval::ApprovalQuestion;
use crate::argument::{Argument, Arguments, input_schema};
use crate::runs::WaitingCall;
use crate::server::ServerContext;
use crate::tool_error::ToolError;
use serde_json::{Map, Value};

/// A tool.
pub struct Tool {
    /// As called.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// For the model: what it does, with an example.
    pub about: &'static str,
    /// What it takes.
    pub arguments: &'static [Argument],
    /// The schema of what it answers.
    pub output: fn() -> Map<String, Value>,
    /// What it does to the world.
    pub effect: ToolEffect,
    /// Answers a call.
    pub call: fn(&ServerContext, &Call) -> Result<ToolReply, ToolError>,
}

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEffect {
    /// It reads what is here.
    Reads,
    /// It stops what it is asked to stop; a second time changes nothing.
    Stops,
    /// It may send packets.
    Sends,
}

/// A call.
pub struct Call {
    /// Its arguments.
    pub arguments: Arguments,
    /// What the client said of an approval that this call was asked for.
    pub approval: crate::approval::Answered,
}

/// What a tool answers.
pub enum ToolReply {
    /// This.
    Now(ToolAnswer),
    /// This run, once it has ended or the time to wait is over.
    Later(WaitingCall),
    /// A question to the person at the client, first.
    Ask(ApprovalQuestion),
}

macro_rules! tools {
    ($($name:ident)*) => {
        $(mod $name;)*
        /// All tools, in a fixed order: clients keep the list in their caches.
        pub static TOOLS: &[&Tool] = &[$(&$name::TOOL),*];
    };
}

tools! { manual check explain run run_status run_cancel capture_read examples limits }

/// The names of all tools.
pub fn tool_names() -> Vec<&'static str> {
    TOOLS.iter().map(|tool| tool.name).collect()
}

impl Tool {
    /// The schema of its arguments.
    pub fn input(&self) -> Map<String, Value> {
        input_schema(self.arguments)
    }
}

/// Facts as an answer.
fn facts(value: Value) -> ToolReply {
    ToolReply::Now(ToolAnswer::of(match value {
        Value::Object(facts) => facts,
        _ => Map::new(),
    }))
}
