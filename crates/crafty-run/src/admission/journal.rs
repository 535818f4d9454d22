//! What runs have used, across processes: a file for each user, in a folder of root's. Runs append to
//! it under a lock and wait until it is on the disk; nothing is sent before. A user who is not root
//! has a file that only root can shorten (`chattr +a`): what such a run was given it cannot take
//! back, neither honestly nor by a trick. Whatever is not as it must be, no run begins.

use super::ledger::LONGEST;
use super::record::{JournalEntry, JournalMoment, JournalRecord};
use crafty_net::{create_private, is_append_only, open_to_append};
use std::fmt;
use std::fs::{DirBuilder, File, Metadata, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the journals of this host are.
pub const JOURNAL_FOLDER: &str = "/var/lib/crafty/journal";

/// The most bytes that a journal has; some 100,000 runs.
const LARGEST: u64 = 16 << 20;
/// Bytes from which on root's is rewritten without what counts no more.
const LONG: u64 = 256 << 10;
/// How long others may hold the lock.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);
/// How often a journal may be replaced while we wait for it.
const REPLACED: u32 = 100;

/// Whose folder it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalTrust {
    /// Root's.
    Root,
    /// Root's, or that of whoever runs this.
    Owner,
}

/// The journals of a host.
#[derive(Clone, Debug)]
pub struct RunJournal {
    folder: PathBuf,
    trust: JournalTrust,
    user: u32,
}

/// Why a journal cannot be used.
#[derive(Debug)]
pub struct JournalError {
    /// The file, or its folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: JournalProblem,
    /// The user whose it is.
    pub user: u32,
}

/// What is wrong with a journal.
#[derive(Debug)]
pub enum JournalProblem {
    /// Root has not made one for this user.
    Absent,
    /// The system says no.
    Io(io::Error),
    /// Somebody who has no say owns it, or may write it.
    Untrusted,
    /// The user could take back what was written.
    Rewritable,
    /// It has other names, is too large, or has lines that we do not write.
    Unreadable(&'static str),
    /// Somebody holds its lock and does not let go.
    Busy,
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the journal `{}` ", self.path.display())?;
        match &self.problem {
            JournalProblem::Absent => write!(f, "is not there for user {}", self.user),
            JournalProblem::Io(error) => write!(f, "cannot be used: {error}"),
            JournalProblem::Untrusted => {
                f.write_str("or a folder above it can be written by others than root")
            }
            JournalProblem::Rewritable => {
                write!(f, "could be rewritten by user {}", self.user)
            }
            JournalProblem::Unreadable(why) => f.write_str(why),
            JournalProblem::Busy => f.write_str("is locked by another process for too long"),
        }
    }
}

impl std::error::Error for JournalError {}

impl JournalError {
    /// What to do about it.
    pub fn fix(&self) -> String {
        let (path, user) = (self.path.display(), self.user);
        match self.problem {
            JournalProblem::Absent => format!(
                "as root: `install -d {JOURNAL_FOLDER} && install -o {user} -m 600 /dev/null {path} && chattr +a {path}`"
            ),
            JournalProblem::Rewritable => format!("as root: `chattr +a {path}`"),
            JournalProblem::Untrusted => {
                format!("as root: `chown root {path}` and `chmod go-w {path}`, with its folders")
            }
            JournalProblem::Busy => format!("`fuser {path}` tells who; end that process"),
            JournalProblem::Unreadable(_) => {
                format!("as root, look at {path} and remove it: what it counted is then forgotten")
            }
            JournalProblem::Io(_) => format!("as root, make {path} a file that can be written"),
        }
    }
}

impl RunJournal {
    /// Those of this host, for the user who started this process.
    pub fn of_this_host() -> RunJournal {
        RunJournal {
            folder: JOURNAL_FOLDER.into(),
            trust: JournalTrust::Root,
            user: crafty_net::real_user(),
        }
    }

    /// Those in a folder of the caller's.
    pub fn in_folder(folder: impl Into<PathBuf>, trust: JournalTrust) -> RunJournal {
        RunJournal {
            folder: folder.into(),
            trust,
            user: crafty_net::real_user(),
        }
    }

    /// The user whose runs are counted.
    pub fn user(&self) -> u32 {
        self.user
    }

    fn path(&self) -> PathBuf {
        self.folder.join(self.user.to_string())
    }

    fn error(&self, path: &Path, problem: JournalProblem) -> JournalError {
        JournalError {
            path: path.into(),
            problem,
            user: self.user,
        }
    }

    /// Opens, locks and reads the journal of this user.
    pub(super) fn open(&self, now: &JournalMoment) -> Result<OpenJournal, JournalError> {
        let path = self.path();
        let broken = |problem| self.error(&path, problem);
        if self.may_make() {
            let mut folders = DirBuilder::new();
            let made = folders.recursive(true).mode(0o755).create(&self.folder);
            made.map_err(|error| self.error(&self.folder, JournalProblem::Io(error)))?;
        }
        self.check_folders()?;
        for _ in 0..REPLACED {
            let file = self.open_file(&path).map_err(broken)?;
            let only_grows = is_append_only(&file).map_err(|e| broken(JournalProblem::Io(e)))?;
            let metadata = file.metadata();
            let metadata = metadata.map_err(|e| broken(JournalProblem::Io(e)))?;
            self.check_file(&metadata, only_grows).map_err(broken)?;
            lock(&file).map_err(broken)?;
            // Whoever had the lock may have put a shorter one in its place.
            let is_there = std::fs::symlink_metadata(&path);
            if is_there.is_ok_and(|it| it.ino() == metadata.ino() && it.dev() == metadata.dev()) {
                let records = read(&file).map_err(broken)?;
                let journal = OpenJournal {
                    file,
                    path,
                    records,
                    only_grows,
                    user: self.user,
                };
                return journal.shortened(now);
            }
        }
        Err(broken(JournalProblem::Busy))
    }

    /// What the journal says, without a change; nothing was written where there is none.
    pub(super) fn records(&self) -> Result<Vec<JournalRecord>, JournalError> {
        let path = self.path();
        let broken = |problem| self.error(&path, problem);
        match open_to_append(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound && self.may_make() => Ok(Vec::new()),
            Err(error) => Err(broken(absent(error))),
            Ok(file) => {
                self.check_folders()?;
                let only_grows = is_append_only(&file).map_err(JournalProblem::Io);
                let metadata = file.metadata().map_err(JournalProblem::Io);
                let (only_grows, metadata) =
                    (only_grows.map_err(broken)?, metadata.map_err(broken)?);
                self.check_file(&metadata, only_grows).map_err(broken)?;
                lock(&file).map_err(broken)?;
                Ok(counted(read(&file).map_err(broken)?, only_grows))
            }
        }
    }

    /// Root makes its own; nobody else can in a folder of root's.
    fn may_make(&self) -> bool {
        self.trust == JournalTrust::Owner || crafty_net::user() == 0
    }

    fn open_file(&self, path: &Path) -> Result<File, JournalProblem> {
        match open_to_append(path) {
            Err(error) if error.kind() == ErrorKind::NotFound && self.may_make() => {}
            Err(error) => return Err(absent(error)),
            Ok(file) => return Ok(file),
        }
        match create_private(path) {
            Ok(_) => sync_folder(&self.folder).map_err(JournalProblem::Io)?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(JournalProblem::Io(error)),
        }
        open_to_append(path).map_err(JournalProblem::Io)
    }

    /// Nobody else can put another file in its place.
    fn check_folders(&self) -> Result<(), JournalError> {
        let absent = |error| self.error(&self.folder, absent(error));
        let own = std::fs::symlink_metadata(&self.folder).map_err(absent)?;
        if !own.is_dir() || !self.is_ours(&own) {
            return Err(self.error(&self.folder, JournalProblem::Untrusted));
        }
        let real = self.folder.canonicalize().map_err(absent)?;
        for folder in real.ancestors() {
            let metadata = std::fs::metadata(folder).map_err(absent)?;
            // In a folder with the sticky bit others do not move what is ours.
            let is_sticky = metadata.mode() & 0o1000 != 0;
            if !is_sticky && !self.is_ours(&metadata) {
                return Err(self.error(folder, JournalProblem::Untrusted));
            }
        }
        Ok(())
    }

    fn is_ours(&self, metadata: &Metadata) -> bool {
        let owner = metadata.uid();
        let has_say =
            owner == 0 || self.trust == JournalTrust::Owner && owner == crafty_net::user();
        has_say && metadata.mode() & 0o022 == 0
    }

    fn check_file(&self, metadata: &Metadata, only_grows: bool) -> Result<(), JournalProblem> {
        if metadata.nlink() != 1 {
            return Err(JournalProblem::Unreadable("has more than one name"));
        }
        if metadata.mode() & 0o022 != 0 {
            return Err(JournalProblem::Untrusted);
        }
        match self.is_ours(metadata) || only_grows {
            true => Ok(()),
            false => Err(JournalProblem::Rewritable),
        }
    }
}

fn absent(error: io::Error) -> JournalProblem {
    match error.kind() {
        ErrorKind::NotFound => JournalProblem::Absent,
        _ => JournalProblem::Io(error),
    }
}

/// Until the file is closed; whoever waits reads what we wrote.
fn lock(file: &File) -> Result<(), JournalProblem> {
    let began = crafty_net::monotonic();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(JournalProblem::Io(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        if crafty_net::monotonic().since(began).0 as u128 > PATIENCE.as_nanos() {
            return Err(JournalProblem::Busy);
        }
        std::thread::sleep(PAUSE);
    }
}

fn read(file: &File) -> Result<Vec<JournalRecord>, JournalProblem> {
    let mut bytes = Vec::new();
    let mut limited = file.take(LARGEST + 1);
    limited
        .read_to_end(&mut bytes)
        .map_err(JournalProblem::Io)?;
    if bytes.len() as u64 > LARGEST {
        return Err(JournalProblem::Unreadable("is too large"));
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| JournalProblem::Unreadable("is not text"))?;
    // A line that was cut by a crash stood for nothing yet.
    let whole = text.lines().filter(|line| JournalRecord::is_whole(line));
    whole
        .map(|line| {
            JournalRecord::parse(line).ok_or(JournalProblem::Unreadable("has a line of others"))
        })
        .collect()
}

/// In a file that its user can write to by other means, what is given back is only said so.
fn counted(records: Vec<JournalRecord>, only_grows: bool) -> Vec<JournalRecord> {
    let counts = |record: &JournalRecord| {
        !only_grows || !matches!(record.entry, JournalEntry::Returned { .. })
    };
    records.into_iter().filter(counts).collect()
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// A journal under our lock.
pub(super) struct OpenJournal {
    file: File,
    path: PathBuf,
    records: Vec<JournalRecord>,
    only_grows: bool,
    user: u32,
}

impl OpenJournal {
    /// What counts.
    pub fn records(&self) -> Vec<JournalRecord> {
        counted(self.records.clone(), self.only_grows)
    }

    /// Writes lines as one, and waits until they are on the disk.
    pub fn append(&self, records: &[JournalRecord]) -> Result<(), JournalError> {
        append(&self.file, records).map_err(|error| self.error(error))
    }

    /// What a run can give back to, when it ends; none where that would not count.
    pub fn returns_to(&self) -> io::Result<Option<File>> {
        match self.only_grows {
            true => Ok(None),
            false => open_to_append(&self.path).map(Some),
        }
    }

    fn error(&self, error: io::Error) -> JournalError {
        JournalError {
            path: self.path.clone(),
            problem: JournalProblem::Io(error),
            user: self.user,
        }
    }

    /// Root's, if it is long, without what counts no more: a new file takes its place, locked before
    /// anybody can open it.
    fn shortened(self, now: &JournalMoment) -> Result<OpenJournal, JournalError> {
        let length = self.file.metadata().map_or(0, |metadata| metadata.len());
        if self.only_grows || length < LONG {
            return Ok(self);
        }
        let still = |record: &&JournalRecord| match record.entry {
            JournalEntry::Use { until, .. } => until > now.wall,
            _ => now.age_of(&record.at) < LONGEST,
        };
        let kept: Vec<JournalRecord> = self.records.iter().filter(still).cloned().collect();
        let replace = || -> io::Result<File> {
            let mut beside = self.path.clone().into_os_string();
            beside.push(".new");
            let beside = PathBuf::from(beside);
            match std::fs::remove_file(&beside) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            drop(create_private(&beside)?);
            let file = open_to_append(&beside)?;
            file.lock()?;
            append(&file, &kept)?;
            std::fs::rename(&beside, &self.path)?;
            sync_folder(self.path.parent().unwrap_or(Path::new("/")))?;
            Ok(file)
        };
        let file = replace().map_err(|error| self.error(error))?;
        Ok(OpenJournal {
            file,
            records: kept,
            ..self
        })
    }
}

/// Each on a line of its own, whatever is before: a line that a crash has cut stays cut.
pub(super) fn append(mut file: &File, records: &[JournalRecord]) -> io::Result<()> {
    let lines: String = records
        .iter()
        .map(|record| format!("\n{record}\n"))
        .collect();
    file.write_all(lines.as_bytes())?;
    file.sync_all()
}
