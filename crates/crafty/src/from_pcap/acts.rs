//! What a side does, one thing after the other, as statements: it says something after a while, or
//! waits for the other side. A client says what it says first, a server in the arm of what it
//! heard.

use super::{Role, ScriptBody};
use crafty_value::{Duration, Time};

/// Shortest pause that is worth a `wait`.
const PAUSE: Duration = Duration::millis(1);

/// One thing.
pub enum Act {
    /// Sends.
    Say {
        /// How long after the last thing.
        after: Duration,
        /// The statement.
        statement: String,
    },
    /// Waits for the other side.
    Hear {
        /// At most so long.
        timeout: Duration,
        /// For this.
        pattern: String,
        /// What to do then.
        heard: String,
        /// What to do else.
        missed: String,
    },
}

/// What is around the things done.
pub struct ActContext {
    /// Statements before the block.
    pub before: String,
    /// The stack that the block opens.
    pub stack: String,
    /// What follows the block's end on its line.
    pub otherwise: String,
    /// Statements after it.
    pub after: String,
}

/// The program of these acts.
pub fn script(acts: &[Act], role: Role, frame: &ActContext) -> ScriptBody {
    let mut lasts = Duration::ZERO;
    let mut body = format!("{}{} {{\n", frame.before, frame.stack);
    let mut pending = String::new();
    for act in acts {
        match act {
            Act::Say { after, statement } => {
                lasts = Duration(lasts.0.saturating_add(after.0));
                if *after != Duration::ZERO {
                    body += &format!("wait {after}\n");
                }
                body += statement;
                body.push('\n');
            }
            Act::Hear {
                timeout,
                pattern,
                heard,
                missed,
            } => {
                lasts = Duration(lasts.0.saturating_add(timeout.0));
                body += &std::mem::take(&mut pending);
                let otherwise = format!("}} else {{ {missed} }}\n");
                if role == Role::Server {
                    body += &format!("expect timeout={timeout} {pattern} {{\n{heard}\n");
                    pending = otherwise;
                } else {
                    body += &format!("expect timeout={timeout} {pattern} {{ {heard} {otherwise}");
                }
            }
        }
    }
    body += &format!("{pending}}}{}\n{}", frame.otherwise, frame.after);
    let sends = acts
        .iter()
        .filter(|act| matches!(act, Act::Say { .. }))
        .count();
    ScriptBody { body, lasts, sends }
}

/// How far in recorded time the program has come.
pub struct Clock(pub Time);

impl Clock {
    /// The pause before what was said at this time: to the microsecond, and none below a
    /// millisecond.
    pub fn pause(&mut self, said: Time) -> Duration {
        let gap = Duration(said.since(self.0).0 / 1000 * 1000);
        if gap < PAUSE {
            return Duration::ZERO;
        }
        self.0 = self.0.after(gap);
        gap
    }

    /// How long to wait for what came at this time: three times as long as recorded, in whole
    /// seconds.
    pub fn patience(&mut self, came: Time) -> Duration {
        let took = came.since(self.0).0.max(0);
        self.0 = self.0.max(came);
        Duration::seconds(took.saturating_mul(3) / 1_000_000_000 + 1)
    }
}
