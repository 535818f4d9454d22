//! What a candidate says is wrong.

use serde_json::{Map, Value};

/// The second step of a submission.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Diagnosis {
    /// Names of elements; nothing for a healthy network.
    pub places: Vec<String>,
    /// Kinds of faults, or `healthy`.
    pub kinds: Vec<String>,
    /// In the candidate's words, with numbers.
    pub measure: String,
    /// Claims about packets.
    pub evidence: Vec<Map<String, Value>>,
    /// What to do.
    pub fix: String,
}

impl Diagnosis {
    /// Reads it from the arguments of a call.
    ///
    /// # Errors
    /// What is missing or of another kind, in a sentence.
    pub fn read(given: &Map<String, Value>) -> Result<Diagnosis, CallProblem> {
        Ok(Diagnosis {
            places: names(given, "where")?,
            kinds: names(given, "what")?,
            measure: words(given, "how_much")?,
            evidence: claims(given)?,
            fix: words(given, "fix")?,
        })
    }

    /// As it is in the record.
    pub fn to_json(&self) -> Value {
        serde_json::json!({
            "where": self.places, "what": self.kinds, "how_much": self.measure, "evidence": self.evidence, "fix": self.fix,
        })
    }
}

/// What is wrong with a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallProblem(pub String);

fn names(given: &Map<String, Value>, key: &str) -> Result<Vec<String>, CallProblem> {
    let value = given.get(key).and_then(Value::as_array);
    let names = value.and_then(|it| it.iter().map(|it| it.as_str().map(String::from)).collect());
    names.ok_or_else(|| {
        CallProblem(format!(
            "`{key}` must be a list of names, such as [\"edge-lyon\"]; [] for nothing"
        ))
    })
}

fn words(given: &Map<String, Value>, key: &str) -> Result<String, CallProblem> {
    match given.get(key) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(CallProblem(format!("`{key}` must be a text"))),
    }
}

fn claims(given: &Map<String, Value>) -> Result<Vec<Map<String, Value>>, CallProblem> {
    let value = given
        .get("evidence")
        .cloned()
        .unwrap_or_else(|| Value::Array(Vec::new()));
    let claims = value
        .as_array()
        .and_then(|it| it.iter().map(|it| it.as_object().cloned()).collect());
    let claims: Vec<Map<String, Value>> =
        claims.ok_or_else(|| CallProblem("`evidence` must be a list of objects".into()))?;
    for claim in &claims {
        let known = |key: &str| {
            ["portal", "count", "says"].contains(&key) || crate::claim::KEYS.contains(&key)
        };
        if let Some(unknown) = claim.keys().find(|key| !known(key)) {
            return Err(CallProblem(format!(
                "a claim has no key `{unknown}`; there are portal, count, says, {}",
                crate::claim::KEYS.join(", ")
            )));
        }
    }
    Ok(claims)
}
