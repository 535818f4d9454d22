//! Which labs are at work on this host: a folder for each of them, so that a second command finds
//! its portals.

use crate::{Portal, PortalError};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What a lab wrote of itself.
const STATE: &str = "lab.toml";

/// A lab that is at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningLab {
    /// Its name, as given or made of the network's.
    pub name: String,
    /// Its process.
    pub process: u32,
    /// Whether that process is root of a user namespace of its own.
    pub in_user_namespace: bool,
    /// Its portals: name, thread in the namespace, and the addresses for people to see.
    pub portals: Vec<(String, i32, String)>,
    /// When the process started, by the kernel's count: another process may get its number.
    started: u64,
    folder: PathBuf,
}

impl RunningLab {
    /// The file that a portal's host should see as `/etc/resolv.conf`.
    pub fn resolver(&self, portal: &str) -> PathBuf {
        self.folder.join(format!("{portal}.resolv.conf"))
    }
}

/// This lab's entry; it goes with the value.
pub struct Registration {
    folder: PathBuf,
}

impl Drop for Registration {
    fn drop(&mut self) {
        // Nothing is left to tell it to; a stale entry is seen as such.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The list of this user's labs.
pub struct Registry {
    home: PathBuf,
}

/// Where the labs of a user are listed.
fn home(user: u32) -> PathBuf {
    let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    match user {
        0 => PathBuf::from("/run/crafty/labs"),
        _ => own
            .unwrap_or_else(|| format!("/tmp/crafty-{user}").into())
            .join("crafty-labs"),
    }
}

impl Registry {
    /// The list of the user whose process this is, made if need be: to be opened before the process
    /// becomes root of a namespace. Its folder must be this user's alone, as what is written there
    /// is trusted.
    ///
    /// # Errors
    /// The folder cannot be made, or others can write to it.
    pub fn open() -> Result<Registry, PortalError> {
        let user = fs::metadata("/proc/self")
            .map_err(PortalError::file("/proc/self"))?
            .uid();
        let home = home(user);
        let mut builder = fs::DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(&home);
        made.map_err(PortalError::file(&home))?;
        let seen = fs::symlink_metadata(&home).map_err(PortalError::file(&home))?;
        match seen.is_dir() && seen.uid() == user && seen.mode() & 0o022 == 0 {
            true => Ok(Registry { home }),
            false => Err(PortalError::content(
                home,
                "it must be a folder of yours that nobody else can write to",
            )),
        }
    }

    /// All labs of this user that are at work. Entries of processes that ended are removed.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn running(&self) -> Result<Vec<RunningLab>, PortalError> {
        let entries = fs::read_dir(&self.home).map_err(PortalError::file(&self.home))?;
        let mut labs = Vec::new();
        for folder in entries.flatten().map(|it| it.path()) {
            match read(&folder) {
                Some(lab) if start_of(lab.process) == Some(lab.started) => labs.push(lab),
                Some(_) => drop(fs::remove_dir_all(&folder)),
                // Another lab is just writing it.
                None => {}
            }
        }
        labs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(labs)
    }

    /// Lists a lab of this process.
    ///
    /// # Errors
    /// A lab of this name is at work, or the folder cannot be written.
    pub fn register(
        &self,
        name: &str,
        in_user_namespace: bool,
        portals: &[Portal],
    ) -> Result<Registration, PortalError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            return Err(PortalError::Lab(format!(
                "`{name}` cannot be the name of a lab: letters, digits, `-`, `_` and `.` can"
            )));
        }
        if let Some(other) = self.running()?.iter().find(|it| it.name == name) {
            return Err(PortalError::Lab(format!(
                "a lab `{name}` is at work already (process {}); end it, or give this one another `--name`",
                other.process
            )));
        }
        let folder = self.home.join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).map_err(PortalError::file(&folder))?;
        let registration = Registration {
            folder: folder.clone(),
        };
        for portal in portals {
            write_resolver(&folder, portal)?;
        }
        // Appears whole or not at all.
        let (partial, file) = (folder.join("new"), folder.join(STATE));
        let text = state(in_user_namespace, portals);
        let written = File::create_new(&partial).and_then(|mut it| it.write_all(text.as_bytes()));
        written
            .and_then(|()| fs::rename(&partial, &file))
            .map_err(PortalError::file(&file))?;
        Ok(registration)
    }
}

fn write_resolver(folder: &Path, portal: &Portal) -> Result<(), PortalError> {
    let at = &portal.attachment;
    let servers = at
        .name_servers
        .iter()
        .map(|it| format!("nameserver {it}\n"));
    let file = folder.join(format!("{}.resolv.conf", at.portal));
    fs::write(&file, servers.collect::<String>()).map_err(PortalError::file(&file))
}

fn state(in_user_namespace: bool, portals: &[Portal]) -> String {
    let process = std::process::id();
    let mut text = format!(
        "process = {process}\nstarted = {}\nin_user_namespace = {in_user_namespace}\n",
        start_of(process).unwrap_or_default()
    );
    for portal in portals {
        let at = &portal.attachment;
        let addresses: Vec<String> = at
            .addresses
            .iter()
            .map(|(a, len)| format!("{a}/{len}"))
            .collect();
        text += &format!(
            "\n[[portals]]\nname = {}\nthread = {}\naddresses = \"{}\"\n",
            toml::Value::String(at.portal.clone()),
            portal.thread(),
            addresses.join(", ")
        );
    }
    text
}

fn read(folder: &Path) -> Option<RunningLab> {
    let text = fs::read_to_string(folder.join(STATE)).ok()?;
    let table: toml::Table = text.parse().ok()?;
    let portals = table.get("portals").and_then(|it| it.as_array());
    let portal = |it: &toml::Value| {
        let text = |key| Some(it.get(key)?.as_str()?.to_string());
        let thread = i32::try_from(it.get("thread")?.as_integer()?).ok()?;
        Some((text("name")?, thread, text("addresses")?))
    };
    Some(RunningLab {
        name: folder.file_name()?.to_str()?.to_string(),
        process: u32::try_from(table.get("process")?.as_integer()?).ok()?,
        in_user_namespace: table.get("in_user_namespace")?.as_bool()?,
        portals: portals.into_iter().flatten().filter_map(portal).collect(),
        started: u64::try_from(table.get("started")?.as_integer()?).ok()?,
        folder: folder.to_path_buf(),
    })
}

/// When a process started, in ticks since the machine's start: the 22nd field of its `stat`.
fn start_of(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold spaces and parentheses.
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(19)?
        .parse()
        .ok()
}
