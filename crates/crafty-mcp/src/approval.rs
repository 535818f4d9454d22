//! Approval of live runs: a single object, the digest of a program with its params and its
//! effective limits. It is given by a standing policy, by a person's command, or by a person at the
//! client; a refusal or silence is a denial, and is recorded.

use crate::answer::short;
use crate::runs::locked;
use crate::tool_error::ToolError;
use crafty_policy::{ExfiltrationMode, Policy};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Mutex;
use std::time::Duration;

/// How long a question waits for its answer.
pub const QUESTION_VALID: Duration = Duration::from_secs(300);

/// Questions that are open at most.
const MAX_QUESTIONS: usize = 32;

/// Denials that are remembered at most.
const MAX_DENIALS: usize = 100;

/// SYNs beyond which only a person's command approves.
pub const MAX_SYNS_ASKED: u64 = 100;

const HOUR: i64 = 3_600_000_000_000;

/// A question to the person at the client.
#[derive(Clone, Debug)]
pub struct ApprovalQuestion {
    /// What the client gives back with the answer; valid once.
    pub state: String,
    /// What the person reads.
    pub message: String,
}

/// What the client said of an approval.
#[derive(Clone, Debug, Default)]
pub struct Answered {
    /// Whether it can ask a person.
    pub can_ask: bool,
    /// The question that this call answers, and the person's choice.
    pub answer: Option<(String, ApprovalChoice)>,
}

/// A person's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalChoice {
    /// This run.
    Once,
    /// The same for an hour.
    Hour,
    /// The same as long as the server runs.
    Session,
    /// No, or nothing was said.
    Denied,
}

/// What was asked, approved and denied.
#[derive(Default)]
pub struct Approvals {
    inner: Mutex<ApprovalState>,
}

#[derive(Default)]
struct ApprovalState {
    /// Digest and end of each question.
    questions: BTreeMap<String, (String, i64)>,
    /// Until when each digest is approved.
    approved: BTreeMap<String, i64>,
    denials: Vec<String>,
    denied: u64,
}

impl ApprovalChoice {
    /// What a filled form says; whatever is not a clear yes is a no.
    pub fn of(action: &str, content: Option<&Value>) -> ApprovalChoice {
        let field = |name: &str| content.and_then(|content| content.get(name));
        if action != "accept" || field("approve") != Some(&Value::Bool(true)) {
            return ApprovalChoice::Denied;
        }
        match field("scope").and_then(Value::as_str) {
            Some("1h") => ApprovalChoice::Hour,
            Some("session") => ApprovalChoice::Session,
            Some("once") | None => ApprovalChoice::Once,
            Some(_) => ApprovalChoice::Denied,
        }
    }
}

/// The form that a person fills.
pub fn form() -> Value {
    json!({
        "type": "object",
        "properties": {
            "approve": { "type": "boolean", "title": "Approve", "description": "Let this program send on this host's network" },
            "scope": { "type": "string", "title": "For how long", "enum": ["once", "1h", "session"], "default": "once" },
        },
        "required": ["approve"],
    })
}

impl Approvals {
    /// Opens a question about a run.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn ask(&self, digest: &str, page: &str) -> Result<ApprovalQuestion, ToolError> {
        let state = random_name()?;
        let mut inner = locked(&self.inner);
        let now = crafty_net::monotonic().0;
        inner.questions.retain(|_, (_, end)| *end > now);
        while inner.questions.len() >= MAX_QUESTIONS {
            inner.questions.pop_first();
        }
        let end = now + QUESTION_VALID.as_nanos() as i64;
        inner.questions.insert(state.clone(), (digest.into(), end));
        Ok(ApprovalQuestion {
            state,
            message: format!("An agent asks to run a program on this host's network.\n\n{page}"),
        })
    }

    /// Takes the answer to a question. Approved is only the run that was asked about, and each
    /// question is answered once.
    ///
    /// # Errors
    /// When that is a denial.
    pub fn answered(
        &self,
        state: &str,
        digest: &str,
        choice: ApprovalChoice,
    ) -> Result<(), ToolError> {
        let now = crafty_net::monotonic().0;
        let mut inner = locked(&self.inner);
        let question = inner.questions.remove(state);
        let is_about = question.is_some_and(|(about, end)| about == digest && end > now);
        if !is_about {
            inner.deny(
                digest,
                "the answer does not match an open question about this run",
            );
            return Err(denied(
                "the answer does not match an open question about this run: it was answered before, is too late, or is about other limits",
                digest,
            ));
        }
        let until = match choice {
            ApprovalChoice::Denied => {
                inner.deny(digest, "a person did not approve it");
                return Err(denied("a person did not approve this run", digest));
            }
            ApprovalChoice::Once => return Ok(()),
            ApprovalChoice::Hour => now + HOUR,
            ApprovalChoice::Session => i64::MAX,
        };
        inner.approved.insert(digest.into(), until);
        Ok(())
    }

    /// Whether a run is approved already.
    pub fn has(&self, digest: &str) -> bool {
        let now = crafty_net::monotonic().0;
        let inner = locked(&self.inner);
        inner.approved.get(digest).is_some_and(|until| *until > now)
    }

    /// Notes a denial.
    pub fn deny(&self, digest: &str, why: &str) {
        locked(&self.inner).deny(digest, why);
    }

    /// How many denials there were, and the last ones.
    pub fn denials(&self) -> (u64, Vec<String>) {
        let inner = locked(&self.inner);
        (inner.denied, inner.denials.clone())
    }
}

impl ApprovalState {
    fn deny(&mut self, digest: &str, why: &str) {
        self.denied += 1;
        if self.denials.len() >= MAX_DENIALS {
            self.denials.remove(0);
        }
        self.denials.push(format!("{}: {why}", short(digest)));
    }
}

fn denied(message: &str, digest: &str) -> ToolError {
    ToolError::new(
        "denied",
        message,
        "do not ask for the same again; run it in the lab, or ask for less",
    )
    .with("digest", digest)
}

/// Why only a person's command approves this, if so: a client may answer questions by itself.
pub fn person_only(policy: &Policy) -> Option<String> {
    let budget = &policy.budget;
    let reasons = [
        (
            !policy.sources.is_empty(),
            "it sends from addresses that are not this host's".to_string(),
        ),
        (
            policy.exfiltration == ExfiltrationMode::True,
            "it may send what it receives".into(),
        ),
        (
            budget.max_syns > MAX_SYNS_ASKED,
            format!(
                "it may send {} SYNs, more than {MAX_SYNS_ASKED}",
                budget.max_syns
            ),
        ),
    ];
    let mut held = reasons.into_iter().filter(|(holds, _)| *holds);
    held.next().map(|(_, reason)| reason)
}

/// A run that needs a person's command: the one that signs it, where the server has a folder for that.
pub fn needs_approval(digest: &str, why: &str, sign: Option<String>) -> ToolError {
    let (fix, command) = match sign {
        Some(command) => (
            "ask a person to run the command below, which shows what the program does and signs it; then call `run` again with the same program and \
             params",
            command,
        ),
        None => (
            "ask a person to look at `explain` of this program, and to start the server with the command below; then call `run` again with the same \
             program and params",
            format!("crafty mcp --live --approved {digest}"),
        ),
    };
    ToolError::new("needs_approval", why, fix)
        .with("digest", digest)
        .with("command", command)
}

/// 128 random bits.
fn random_name() -> Result<String, ToolError> {
    let mut bytes = [0u8; 16];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| {
        ToolError::new(
            "internal",
            format!("no random bytes: {error}"),
            "is `/dev/urandom` there?",
        )
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        let check = |action: &str, content: Value, wanted| {
            assert_eq!(
                ApprovalChoice::of(action, Some(&content)),
                wanted,
                "{action} {content}"
            );
        };
        check("accept", json!({ "approve": true }), ApprovalChoice::Once);
        check(
            "accept",
            json!({ "approve": true, "scope": "once" }),
            ApprovalChoice::Once,
        );
        check(
            "accept",
            json!({ "approve": true, "scope": "1h" }),
            ApprovalChoice::Hour,
        );
        check(
            "accept",
            json!({ "approve": true, "scope": "session" }),
            ApprovalChoice::Session,
        );
        check(
            "accept",
            json!({ "approve": true, "scope": "ever" }),
            ApprovalChoice::Denied,
        );
        check(
            "accept",
            json!({ "approve": false }),
            ApprovalChoice::Denied,
        );
        check(
            "accept",
            json!({ "approve": "true" }),
            ApprovalChoice::Denied,
        );
        check("accept", json!({}), ApprovalChoice::Denied);
        check(
            "decline",
            json!({ "approve": true }),
            ApprovalChoice::Denied,
        );
        check("cancel", json!(null), ApprovalChoice::Denied);
        assert_eq!(ApprovalChoice::of("accept", None), ApprovalChoice::Denied);
    }

    #[test]
    fn a_question_is_answered_once_and_about_its_run() {
        let approvals = Approvals::default();
        let code = |result: Result<(), ToolError>| result.map_err(|error| error.code);
        let ask = |digest: &str| approvals.ask(digest, "page").expect("a question").state;
        let state = ask("d1");
        assert_eq!(
            code(approvals.answered(&state, "d1", ApprovalChoice::Once)),
            Ok(())
        );
        assert_eq!(
            code(approvals.answered(&state, "d1", ApprovalChoice::Once)),
            Err("denied")
        );
        let state = ask("d1");
        assert_eq!(
            code(approvals.answered(&state, "d2", ApprovalChoice::Session)),
            Err("denied")
        );
        assert_eq!(
            code(approvals.answered("made up", "d1", ApprovalChoice::Once)),
            Err("denied")
        );
        assert!(!approvals.has("d1") && !approvals.has("d2"));
        let state = ask("d1");
        assert_eq!(
            code(approvals.answered(&state, "d1", ApprovalChoice::Session)),
            Ok(())
        );
        assert!(approvals.has("d1") && !approvals.has("d2"));
        let state = ask("d3");
        assert_eq!(
            code(approvals.answered(&state, "d3", ApprovalChoice::Denied)),
            Err("denied")
        );
        assert_eq!(approvals.denials().0, 4);
    }

    #[test]
    fn dangerous_classes_need_a_persons_command() {
        let check = |change: fn(&mut Policy), dangerous: bool| {
            let mut policy = Policy::program();
            change(&mut policy);
            assert_eq!(person_only(&policy).is_some(), dangerous, "{policy:?}");
        };
        check(|_| {}, false);
        check(|it| it.sources = crafty_policy::AddressSet::all(), true);
        check(|it| it.exfiltration = ExfiltrationMode::True, true);
        check(|it| it.budget.max_syns = 100, false);
        check(|it| it.budget.max_syns = 101, true);
    }
}
