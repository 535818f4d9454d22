//! Commands that are run and waited for, and the files that they share.

use crate::row::BenchmarkResult;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a command to its end; its standard output. An error tells what it said.
pub fn text(command: &mut Command) -> BenchmarkResult<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("`{}`: {e}", name(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "`{}` ended with {}: {}",
            name(command),
            output.status,
            said.trim()
        )
        .into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command that must succeed.
pub fn must(command: &mut Command) -> BenchmarkResult<()> {
    text(command).map(drop)
}

fn name(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Starts a command that says nothing, as the head of a process group of its own.
pub fn start(command: &mut Command) -> BenchmarkResult<Child> {
    Ok(command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?)
}

/// Asks a process of a group of its own to end, and its children, as Ctrl-C would; waits for it.
pub fn interrupt(child: &mut Child) -> BenchmarkResult<()> {
    let group = format!("-{}", child.id());
    must(Command::new("kill").args(["-INT", "--", &group]))?;
    if wait_until("the end of a process", 5, || {
        !matches!(child.try_wait(), Ok(None))
    })
    .is_err()
    {
        must(Command::new("kill").args(["-KILL", "--", &group]))?;
    }
    child.wait()?;
    Ok(())
}

/// The tool under test: beside this program.
pub fn crafty() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name("crafty")
}

/// A program of this benchmark folder.
pub fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../benches")
        .join(name)
}

/// A file of this run: the front gives each run a folder.
pub fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(name)
}

/// Waits until something holds, or some seconds are over.
pub fn wait_until(
    what: &str,
    seconds: u64,
    mut holds: impl FnMut() -> bool,
) -> BenchmarkResult<()> {
    let start = Instant::now();
    while !holds() {
        if start.elapsed() > Duration::from_secs(seconds) {
            return Err(format!("waited {seconds} s in vain for {what}").into());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

/// The most resident memory that a command ever holds, read again and again until it is gone. In
/// MB.
pub fn peak(command: &mut Command) -> BenchmarkResult<f64> {
    let mut child = start(command)?;
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0.0;
    while child.try_wait()?.is_none() {
        most = std::fs::read_to_string(&status)
            .ok()
            .and_then(|text| high_water(&text))
            .unwrap_or(most);
        std::thread::sleep(Duration::from_micros(500));
    }
    Ok(most)
}

fn high_water(status: &str) -> Option<f64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? * 1024.0 / 1e6)
}
