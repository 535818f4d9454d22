//! Why a frame does not leave: a stable name, a sentence and the fix.

use crate::Power;
use core::fmt;
use core::net::IpAddr;
use crafty_value::Mac;

/// Of which kind a refusal is; decides the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalKind {
    /// The policy does not grant it.
    Permission,
    /// A limit is used up.
    Budget,
    /// The run's time is over.
    Deadline,
    /// Neighbours asked for more than is answered; nothing that the program wanted.
    Courtesy,
}

/// A row: one way to be refused. In `sentence` and `fix` a `{}` stands for the subject.
#[derive(Debug)]
pub struct RefusalReason {
    /// Stable name, for machines.
    pub name: &'static str,
    /// Its kind.
    pub kind: RefusalKind,
    /// What is wrong, as a sentence without capital and full stop.
    pub sentence: &'static str,
    /// The fix.
    pub fix: &'static str,
}

/// What a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// Nothing in particular.
    Nothing,
    /// An address.
    Address(IpAddr),
    /// A link address.
    Mac(Mac),
    /// A power that is missing.
    Power(Power),
    /// A transport protocol and a port.
    Port(&'static str, u16),
    /// A number: a protocol, a type, a limit.
    Number(u64),
    /// Words.
    Text(&'static str),
}

/// One refusal.
#[derive(Clone, Copy, Debug)]
pub struct Reason {
    /// The row.
    pub why: &'static RefusalReason,
    /// What fills its `{}`.
    pub subject: Subject,
}

impl Reason {
    /// The stable name.
    pub fn name(&self) -> &'static str {
        self.why.name
    }

    /// Whether others decided that the frame would be sent, so that its refusal is not a fault of
    /// the program: they asked more often than is answered.
    pub fn is_of_others(&self) -> bool {
        self.why.kind == RefusalKind::Courtesy
    }

    /// The fix, with the subject filled in.
    pub fn fix(&self) -> impl fmt::Display + '_ {
        Filled(self.why.fix, self.subject)
    }
}

/// The sentence, with the subject filled in.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Filled(self.why.sentence, self.subject).fmt(f)
    }
}

impl PartialEq for Reason {
    fn eq(&self, other: &Reason) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Reason {}

impl PartialOrd for Reason {
    fn partial_cmp(&self, other: &Reason) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Reason {
    fn cmp(&self, other: &Reason) -> core::cmp::Ordering {
        (self.why.name, self.subject).cmp(&(other.why.name, other.subject))
    }
}

struct Filled(&'static str, Subject);

impl fmt::Display for Filled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.0.split("{}").enumerate() {
            if i > 0 {
                self.1.fmt(f)?;
            }
            f.write_str(part)?;
        }
        Ok(())
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Nothing => Ok(()),
            Subject::Address(address) => write!(f, "{address}"),
            Subject::Mac(mac) => write!(f, "{mac}"),
            Subject::Power(power) => write!(f, "{power}"),
            Subject::Port(protocol, port) => write!(f, "{protocol} {port}"),
            Subject::Number(n) => write!(f, "{n}"),
            Subject::Text(text) => f.write_str(text),
        }
    }
}
