//! Approvals that a person signs with `crafty approve`: the program waits in a folder of the person's
//! choice under the name of its digest, and the approval is looked for beside it. An agent names no
//! path. Who verifies and counts is `crafty run`; this only says early what it would say.

use crate::options::ServerOptions;
use crate::tool_error::ToolError;
use crafty_net::create_private;
use crafty_policy::Policy;
use crafty_run::GivenParam;
use crafty_run::admission::JournalMoment;
use crafty_run::approval::{Approval, ApprovalError, approval_path, host_name};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Programs that wait at most.
const MAX_WAITING: usize = 32;

/// An approval that is there.
#[derive(Clone, Debug)]
pub struct SignedApproval {
    /// Its file.
    pub path: PathBuf,
    /// Keys of which one must have signed it.
    pub keys: Vec<String>,
}

/// The approval of a run, if a person has signed one.
///
/// # Errors
/// If there is one, and it does not hold: why.
pub fn signed_approval(
    options: &ServerOptions,
    policy: &Policy,
    digest: &str,
) -> Result<Option<SignedApproval>, ApprovalError> {
    let Some(folder) = &options.approvals else {
        return Ok(None);
    };
    let path = approval_path(&waiting(folder, digest));
    let approval = match Approval::open(&path) {
        Err(ApprovalError::Missing(_)) => return Ok(None),
        other => other?,
    };
    let keys = policy
        .require_approval
        .as_ref()
        .unwrap_or(&options.approvers);
    approval.signed_by(keys.iter().map(String::as_str))?;
    let unknown = |error| ApprovalError::Unreadable("/proc".into(), error);
    let now = JournalMoment::now().map_err(unknown)?;
    approval.covers(digest, &host_name().map_err(unknown)?, now.wall)?;
    let keys = keys.iter().cloned().collect();
    Ok(Some(SignedApproval { path, keys }))
}

fn waiting(folder: &Path, digest: &str) -> PathBuf {
    folder.join(format!("{digest}.crafty"))
}

/// What waits for a person: the text of a program, as it would run.
pub struct WaitingProgram<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its params.
    pub params: &'a [GivenParam],
    /// The policy files under which it would run.
    pub policies: &'a [PathBuf],
    /// The digest of all that.
    pub digest: &'a str,
}

impl WaitingProgram<'_> {
    /// Puts it into the folder, and gives the command by which a person looks at it and signs it.
    ///
    /// # Errors
    /// If the folder is full, or cannot be written.
    pub fn wait(&self, folder: &Path) -> Result<String, ToolError> {
        let path = waiting(folder, self.digest);
        let unwritten = |why: String| {
            let fix = "a person has to look after the folder that the server was started with";
            ToolError::new(
                "internal",
                format!("the program cannot wait for a person: {why}"),
                fix,
            )
        };
        let there = std::fs::read_dir(folder).map_err(|error| unwritten(error.to_string()))?;
        let is_program = |entry: &std::fs::DirEntry| {
            let path = entry.path();
            path.extension().is_some_and(|end| end == "crafty")
        };
        let is_full = there.flatten().filter(is_program).count() >= MAX_WAITING;
        if is_full && !path.exists() {
            return Err(unwritten(format!("{MAX_WAITING} others wait already")));
        }
        match create_private(&path).and_then(|mut file| file.write_all(self.text.as_bytes())) {
            // The same digest is the same program.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(unwritten(error.to_string())),
            Ok(()) => {}
        }
        Ok(self.command(&path))
    }

    fn command(&self, path: &Path) -> String {
        let params = self.params.iter();
        let mut words = vec![path.display().to_string()];
        words.extend(params.map(|param| format!("{}={}", param.name, param.value)));
        for policy in self.policies {
            words.extend(["--policy".into(), policy.display().to_string()]);
        }
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        format!("crafty approve {} --key KEY", words.join(" "))
    }
}

/// A word as a shell takes it, whatever an agent has put into it; control characters never get there.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if word.chars().all(is_plain) {
        return word.into();
    }
    let printable = word.chars().map(|c| if c.is_control() { '?' } else { c });
    let printable: String = printable.collect();
    format!("'{}'", printable.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_pastes_is_one_command() {
        let rows = [
            ("target=192.0.2.1", "target=192.0.2.1"),
            ("x=a b", "'x=a b'"),
            ("x=$(rm -r ~)", "'x=$(rm -r ~)'"),
            ("x='; rm y", r"'x='\''; rm y'"),
            ("x=a\nrm y", "'x=a?rm y'"),
            ("x=\u{1b}[2J", "'x=?[2J'"),
        ];
        for (word, wanted) in rows {
            assert_eq!(quoted(word), wanted);
        }
    }
}
