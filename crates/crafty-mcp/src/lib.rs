//! The MCP server: tools for AI agents over standard input and output. Sends nothing itself: a
//! program runs in the lab inside this process, on a real network only as a `crafty run` of its own.
//!
//! It knows the language and the engine. What belongs to the command line (the manual, the
//! reviewer's page) it is given as a [`CommandLine`].
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
