//! A client that speaks line by line, for what real clients never say.

use crate::tool::CRAFTY;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server with its client.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// What it said on standard error, once that is closed.
    complaints: Option<JoinHandle<String>>,
    id: u64,
    meta: Option<Value>,
}

/// What a tool answered.
#[derive(Debug)]
pub struct Answered {
    /// The text.
    pub text: String,
    /// The facts.
    pub facts: Value,
    /// Whether it is an error.
    pub is_error: bool,
}

/// What every request of the life cycle without a handshake carries.
pub fn stateless_meta(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

impl Client {
    /// Starts `crafty mcp` with these words; nothing is said yet.
    pub fn start(words: &[&str]) -> Client {
        Client::start_in(&[], words)
    }

    /// The same, behind a command that runs commands.
    pub fn start_in(before: &[&str], words: &[&str]) -> Client {
        let all = [before, &[CRAFTY, "mcp"], words].concat();
        Client::of(&all)
    }

    /// The server that a command line starts.
    pub fn of(all: &[&str]) -> Client {
        let mut command = Command::new(all[0]);
        command.args(&all[1..]).env_remove("CRAFTY_POLICY");
        let piped = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = piped.spawn().expect("the server starts");
        let out = child.stdout.take().expect("its output");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let errors = child.stderr.take().expect("its complaints");
        let complaints = thread::spawn(move || {
            let lines = BufReader::new(errors).lines().map_while(Result::ok);
            lines
                .inspect(|line| eprintln!("{line}"))
                .fold(String::new(), |all, line| all + &line + "\n")
        });
        let input = child.stdin.take();
        Client {
            child,
            input,
            lines,
            complaints: Some(complaints),
            id: 0,
            meta: None,
        }
    }

    /// A client of the life cycle without a handshake.
    pub fn stateless(words: &[&str]) -> Client {
        Client::start(words).with_meta(stateless_meta(json!({})))
    }

    /// Every request carries this.
    pub fn with_meta(mut self, meta: Value) -> Client {
        self.meta = Some(meta);
        self
    }

    /// Says a line.
    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{line}").expect("the server reads");
    }

    /// The next line that the server says.
    #[track_caller]
    pub fn hear(&self) -> Value {
        let line = self
            .lines
            .recv_timeout(PATIENCE)
            .expect("an answer in time");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Whether the server says something within this time.
    pub fn hears_within(&self, time: Duration) -> bool {
        self.lines.recv_timeout(time).is_ok()
    }

    /// Sends a request; gives its id.
    pub fn ask(&mut self, method: &str, mut params: Value) -> u64 {
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        self.id += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        self.say(&request.to_string());
        self.id
    }

    /// A request and its response.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.response(id)
    }

    /// The response to a request; others that come before it are dropped.
    #[track_caller]
    pub fn response(&self, id: u64) -> Value {
        loop {
            let heard = self.hear();
            if heard["id"] == id && heard.get("method").is_none() {
                return heard;
            }
        }
    }

    /// Calls a tool.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Answered {
        let response = self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        answered(&response)
    }

    /// The same, which must work.
    #[track_caller]
    pub fn facts(&mut self, tool: &str, arguments: Value) -> Value {
        let answered = self.call(tool, arguments);
        assert!(!answered.is_error, "{}", answered.text);
        answered.facts
    }

    /// The same, which must fail with this code.
    #[track_caller]
    pub fn fails(&mut self, code: &str, tool: &str, arguments: Value) -> Value {
        let answered = self.call(tool, arguments);
        assert!(answered.is_error, "{}", answered.text);
        let error = answered.facts["error"].clone();
        assert_eq!(error["code"], code, "{error}");
        assert_ne!(error["message"], "", "{error}");
        assert_ne!(error["fix"], "", "{error}");
        error
    }

    /// The process of the server.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Goes away; gives the exit status.
    pub fn leave(mut self) -> i32 {
        self.input = None;
        self.child.wait().expect("it ends").code().unwrap_or(-1)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Labs of the server have the referee, which panics there.
        let complaints = self.complaints.take().and_then(|all| all.join().ok());
        if let Some(all) = complaints.filter(|_| !thread::panicking()) {
            assert!(!all.contains("the referee found"), "{all}");
        }
    }
}

/// What a response to a call says.
#[track_caller]
pub fn answered(response: &Value) -> Answered {
    let result = &response["result"];
    let text = result["content"][0]["text"].as_str();
    Answered {
        text: text
            .unwrap_or_else(|| panic!("no text in {response}"))
            .into(),
        facts: result["structuredContent"].clone(),
        is_error: result["isError"] == true,
    }
}
