//! The two ways to ask over HTTP: the request's body, and where the answer is in the response.

use super::ModelSettings;
use super::schema::answer_schema;
use crate::option::ModelApi;
use serde_json::{Value, json};

/// One turn of a conversation.
pub struct Turn {
    /// `system`, `user` or `assistant`.
    pub role: &'static str,
    /// Its text.
    pub content: String,
}

/// Where the request goes.
pub fn path(api: ModelApi) -> &'static str {
    match api {
        ModelApi::Ollama => "/api/chat",
        ModelApi::OpenAi => "/v1/chat/completions",
    }
}

/// The request.
pub fn body(settings: &ModelSettings, turns: &[Turn]) -> Value {
    let messages: Vec<Value> = turns
        .iter()
        .map(|turn| json!({ "role": turn.role, "content": turn.content }))
        .collect();
    match settings.api {
        ModelApi::Ollama => json!({
            "model": settings.name,
            "messages": messages,
            "stream": false,
            "format": answer_schema(),
            "options": { "temperature": 0, "num_predict": settings.max_tokens },
        }),
        ModelApi::OpenAi => json!({
            "model": settings.name,
            "messages": messages,
            "temperature": 0,
            "max_tokens": settings.max_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": { "name": "actions", "strict": true, "schema": answer_schema() },
            },
        }),
    }
}

/// What the model said.
///
/// # Errors
/// When it refused, was cut off, or the response is none of such a server.
pub fn content(api: ModelApi, response: &Value) -> Result<String, &'static str> {
    let (message, reason) = match api {
        ModelApi::Ollama => (&response["message"], &response["done_reason"]),
        ModelApi::OpenAi => {
            let choice = &response["choices"][0];
            (&choice["message"], &choice["finish_reason"])
        }
    };
    if message["refusal"].is_string() || reason == "content_filter" {
        return Err("the model refuses to answer");
    }
    if reason == "length" {
        return Err("the answer was cut off at `model_max_tokens`");
    }
    let text = message["content"].as_str();
    text.map(String::from)
        .ok_or("the server's response has no message")
}
