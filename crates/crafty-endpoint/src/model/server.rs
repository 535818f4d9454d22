//! The model's server: what takes a request and gives a response, in a bounded time.

use crafty_run::Time;
use crafty_value::Duration;
use serde_json::Value;
use std::fmt;

/// Bytes of a response that are read at most.
const MAX_RESPONSE: u64 = 1 << 20;

/// A server that answers one request at a time, asked from several threads.
pub trait ModelServer: Send + Sync {
    /// Posts a request; gives the response.
    ///
    /// # Errors
    /// When there is none within the time, or it is not JSON.
    fn post(&self, path: &str, body: &Value, within: Duration) -> Result<Value, PostError>;

    /// What time it is.
    fn now(&self) -> Time;
}

/// Why there is no response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostError {
    /// The server was not reached, or not in time: what the client says.
    Transport(String),
    /// It answered with another status than 200.
    Status(u16),
    /// Its answer is not JSON: what the reader says.
    NotJson(String),
}

impl fmt::Display for PostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PostError::Transport(error) => f.write_str(error),
            PostError::Status(status) => write!(f, "the server answers with status {status}"),
            PostError::NotJson(error) => write!(f, "the response is not JSON: {error}"),
        }
    }
}

impl std::error::Error for PostError {}

/// A server over HTTP.
pub struct HttpServer {
    agent: ureq::Agent,
    url: String,
    key: Option<String>,
}

impl HttpServer {
    /// A server at this address. `key` goes into the header `Authorization`, to this server only: no
    /// redirection is followed, and no proxy of the environment asked.
    pub fn new(url: &str, key: Option<String>) -> HttpServer {
        let config = ureq::Agent::config_builder()
            .max_redirects(0)
            .proxy(None)
            .http_status_as_error(false)
            .build();
        HttpServer {
            agent: config.into(),
            url: url.into(),
            key,
        }
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpServer({})", self.url)
    }
}

impl ModelServer for HttpServer {
    fn post(&self, path: &str, body: &Value, within: Duration) -> Result<Value, PostError> {
        let within = std::time::Duration::from_nanos(within.0.unsigned_abs());
        let mut request = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("Content-Type", "application/json")
            .config()
            .timeout_global(Some(within))
            .build();
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let mut response = request
            .send(body.to_string())
            .map_err(|error| PostError::Transport(error.to_string()))?;
        let status = response.status().as_u16();
        if status != 200 {
            return Err(PostError::Status(status));
        }
        let text = response
            .body_mut()
            .with_config()
            .limit(MAX_RESPONSE)
            .read_to_string()
            .map_err(|error| PostError::Transport(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| PostError::NotJson(error.to_string()))
    }

    fn now(&self) -> Time {
        crafty_net::now()
    }
}
