//! Sets of tools: what a candidate finds in its portals, unpacked from Debian packages into a folder
//! that becomes its root. Nothing else is in there.

use crate::error::BenchError;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A set of tools.
#[derive(Debug)]
pub struct ToolSet {
    /// Its name.
    pub name: &'static str,
    /// What is in it, for people.
    pub about: &'static str,
    /// Debian packages beside those of [`SHELL`].
    packages: &'static [&'static str],
    /// Whether `crafty` is in it, with `run_program`.
    pub has_crafty: bool,
}

/// All sets.
pub static TOOL_SETS: &[ToolSet] = &[
    ToolSet {
        name: "classic",
        about: "ping, mtr, traceroute, tcpdump, dig, curl and nc, one program each",
        packages: &[
            "iputils-ping",
            "mtr-tiny",
            "traceroute",
            "tcpdump",
            "bind9-dnsutils",
            "curl",
            "netcat-openbsd",
        ],
        has_crafty: false,
    },
    ToolSet {
        name: "scapy",
        about: "Python with Scapy, and no other tool that sends",
        packages: &["python3-scapy"],
        has_crafty: false,
    },
    ToolSet {
        name: "crafty",
        about: "Crafty, no Python, and no other tool that sends",
        packages: &[],
        has_crafty: true,
    },
];

/// What every set has: a shell and what handles text and files; `ip` shows addresses and sends
/// nothing.
const SHELL: &[&str] = &[
    "dash",
    "coreutils",
    "grep",
    "sed",
    "mawk",
    "findutils",
    "hostname",
    "util-linux",
    "iproute2",
];

/// What packages ask for that no tool of a set needs. Perl opens sockets.
const LEFT_OUT: &[&str] = &["perl", "debconf", "cdebconf", "dpkg", "libperl", "tar"];

/// The set called `name`.
pub fn named(name: &str) -> Option<&'static ToolSet> {
    TOOL_SETS.iter().find(|it| it.name == name)
}

/// Builds a set into a new folder. `crafty` is the binary for sets that have it.
///
/// # Errors
/// The folder exists, or a package cannot be fetched.
pub fn build(set: &ToolSet, folder: &Path, crafty: &Path) -> Result<(), BenchError> {
    fs::create_dir(folder).map_err(BenchError::file(folder))?;
    let packages: Vec<&str> = SHELL.iter().chain(set.packages).copied().collect();
    for package in closure(&packages)? {
        unpack(&package, folder)?;
    }
    for name in ["proc", "dev", "tmp", "root", "etc"] {
        let path = folder.join(name);
        fs::create_dir_all(&path).map_err(BenchError::file(&path))?;
    }
    for (device, minor) in [("null", "3"), ("zero", "5"), ("urandom", "9")] {
        let path = folder.join("dev").join(device);
        let path = path.display().to_string();
        command(
            "mknod",
            Command::new("mknod").args(["-m", "666", &path, "c", "1", minor]),
        )?;
    }
    let shell = folder.join("bin/sh");
    if !shell.exists() {
        std::os::unix::fs::symlink("dash", &shell).map_err(BenchError::file(&shell))?;
    }
    if set.has_crafty {
        let to = folder.join("usr/bin/crafty");
        fs::copy(crafty, &to).map_err(BenchError::file(&to))?;
    }
    Ok(())
}

/// Packages with all that they depend on.
fn closure(packages: &[&str]) -> Result<BTreeSet<String>, BenchError> {
    let without = [
        "recommends",
        "suggests",
        "conflicts",
        "breaks",
        "replaces",
        "enhances",
    ];
    let without = without.map(|it| format!("--no-{it}"));
    let said = command(
        "apt-cache",
        Command::new("apt-cache")
            .args(["depends", "--recurse"])
            .args(without)
            .args(packages),
    )?;
    let names = said
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_alphanumeric()));
    let wanted = names.filter(|name| !LEFT_OUT.iter().any(|it| name.starts_with(it)));
    Ok(wanted.map(String::from).collect())
}

/// Fetches a package and unpacks it; a virtual one, which others stand for, is passed over.
fn unpack(package: &str, folder: &Path) -> Result<(), BenchError> {
    let told = command(package, Command::new("apt-cache").args(["policy", package]))?;
    if told.contains("Candidate: (none)") || told.is_empty() {
        return Ok(());
    }
    let fetched = folder.join("fetched");
    fs::create_dir_all(&fetched).map_err(BenchError::file(&fetched))?;
    command(
        package,
        Command::new("apt-get")
            .args(["download", "-qq", "-o", "APT::Sandbox::User=root", package])
            .current_dir(&fetched),
    )?;
    for file in fs::read_dir(&fetched)
        .map_err(BenchError::file(&fetched))?
        .flatten()
    {
        command(
            package,
            Command::new("dpkg-deb")
                .arg("-x")
                .arg(file.path())
                .arg(folder),
        )?;
    }
    fs::remove_dir_all(&fetched).map_err(BenchError::file(&fetched))
}

fn command(name: &str, command: &mut Command) -> Result<String, BenchError> {
    let failed = |said: String| BenchError::Package {
        name: name.into(),
        said,
    };
    let output = command.output().map_err(|it| failed(it.to_string()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(failed(
            String::from_utf8_lossy(&output.stderr).trim().to_string(),
        )),
    }
}
