//! One packet's conversation with the model: a question, an answer that is checked, and at most one more
//! turn in which it may repair it.

use super::formats::{Turn, body, content, path};
use super::prompt::{instruction, question};
use super::{Ceiling, ModelServer, ModelSettings};
use crate::action::{ActionError, EndpointAction, read_answer, shown};
use crate::decision::Decision;
use crafty_run::Time;
use serde_json::Value;
use std::sync::Arc;

/// Why a packet has no answer of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFailure {
    /// Which of the decisions that is.
    pub decision: Decision,
    /// In words.
    pub why: String,
}

/// A conversation that is about to begin.
pub struct ModelTalk {
    /// What is known of the model.
    pub settings: ModelSettings,
    /// Who passes it on.
    pub server: Arc<dyn ModelServer>,
    /// How often it may be asked; a repair counts too.
    pub ceiling: Ceiling,
}

impl ModelTalk {
    /// Asks about an event; the first question is in the ceiling's count already.
    ///
    /// # Errors
    /// When there is no answer that can be done.
    pub fn about(&self, event: &Value, began: Time) -> Result<Vec<EndpointAction>, ModelFailure> {
        let mut turns = vec![
            Turn {
                role: "system",
                content: instruction(&self.settings),
            },
            Turn {
                role: "user",
                content: question(event),
            },
        ];
        let deadline = began.after(self.settings.timeout);
        let said = self.ask(&turns, deadline)?;
        let first = match self.read(&said) {
            Ok(actions) => return Ok(actions),
            Err(failure) => failure,
        };
        if !self.ceiling.take(self.server.now()) {
            return Err(first);
        }
        turns.push(Turn {
            role: "assistant",
            content: said,
        });
        turns.push(Turn {
            role: "user",
            content: format!(
                "That answer cannot be done: {}. Answer once more, with one JSON object {{\"actions\": […]}} and nothing else.",
                first.why
            ),
        });
        let said = self.ask(&turns, deadline)?;
        self.read(&said)
    }

    fn ask(&self, turns: &[Turn], deadline: Time) -> Result<String, ModelFailure> {
        let left = deadline.since(self.server.now());
        let failed = |why: String| ModelFailure {
            decision: Decision::ModelError,
            why,
        };
        if left.0 <= 0 {
            return Err(failed("the model did not answer in time".into()));
        }
        let body = body(&self.settings, turns);
        let response = self
            .server
            .post(path(self.settings.api), &body, left)
            .map_err(|why| failed(shown(&why.to_string())))?;
        content(self.settings.api, &response).map_err(|why| failed(why.into()))
    }

    /// What the model said, as actions. Nothing around the JSON is cut away: who wraps it in words has
    /// ignored the schema, and may have ignored more.
    fn read(&self, said: &str) -> Result<Vec<EndpointAction>, ModelFailure> {
        let answer: Value = serde_json::from_str(said).map_err(|error| ModelFailure {
            decision: Decision::ModelError,
            why: format!("it is not JSON ({error}): {}", shown(said)),
        })?;
        read_answer(&answer, self.settings.link).map_err(|error| ModelFailure {
            decision: match error {
                ActionError::Form(_) => Decision::ModelError,
                ActionError::Field { .. } => Decision::BuildError,
            },
            why: error.to_string(),
        })
    }
}
