//! The MCP server: tools for AI agents over standard input and output. Sends nothing itself:
//! programs run in the lab inside this process, and on a real network only in a separate `crafty
//! run` process.
//!
//! It knows the language and the engine. What belongs to the command line (the manual, the
//! reviewer's page) comes in as a [`CommandLine`].
#![forbid(unsafe_code)]

mod answer;
mod approval;
mod argument;
mod command_line;
mod filter;
mod loading;
mod options;
mod runs;
mod schema;
mod server;
mod signed;
mod tool_error;
mod tools;

pub use command_line::{CommandLine, NamedText};
pub use options::ServerOptions;
pub use server::{McpServer, serve_stdio};
pub use tool_error::CODES;
pub use tools::tool_names;
