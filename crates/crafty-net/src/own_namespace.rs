//! Network namespaces that this process makes and keeps, and the way into them for another one.

use crate::sys;
use std::fs::File;
use std::io::{self, Error};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

/// A network namespace that lives as long as this value: a thread of ours is in it.
pub struct OwnNamespace {
    work: Sender<Box<dyn FnOnce() + Send>>,
    thread: i32,
}

impl OwnNamespace {
    /// Makes one, empty except for a loopback interface that is down.
    ///
    /// # Errors
    /// CAP_SYS_ADMIN is missing, or there is no more room for namespaces.
    pub fn new() -> io::Result<OwnNamespace> {
        let (work, jobs) = channel();
        let (tell, told) = channel();
        let thread = std::thread::Builder::new().name("portal".into());
        thread.spawn(move || stand(&jobs, &tell))?;
        let thread = told
            .recv()
            .map_err(|_| Error::from(io::ErrorKind::BrokenPipe))??;
        Ok(OwnNamespace { work, thread })
    }

    /// Runs `work` in it and waits for the result. Sockets and interfaces that it opens stay there.
    ///
    /// # Errors
    /// The thread is gone: an earlier `work` panicked.
    pub fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<T> {
        let gone = || Error::from(io::ErrorKind::BrokenPipe);
        let (tell, told) = channel();
        let job = Box::new(move || drop(tell.send(work())));
        self.work.send(job).map_err(|_| gone())?;
        told.recv().map_err(|_| gone())
    }

    /// The kernel's number of the thread that is in it: `/proc/PID/task/THREAD/ns/net` is the
    /// namespace.
    pub fn thread(&self) -> i32 {
        self.thread
    }
}

fn stand(jobs: &Receiver<Box<dyn FnOnce() + Send>>, tell: &Sender<io::Result<i32>>) {
    let entered = sys::unshare(libc::CLONE_NEWNET).map(|()| sys::thread_id());
    let failed = entered.is_err();
    if tell.send(entered).is_err() || failed {
        return;
    }
    while let Ok(job) = jobs.recv() {
        job();
    }
}

/// Makes this process root in a user namespace of its own, in which it may make network namespaces
/// and interfaces without any privilege outside. It must have no second thread yet.
///
/// # Errors
/// The system allows no such namespaces.
pub fn become_root_of_user_namespace() -> io::Result<()> {
    let (user, group) = sys::user_and_group();
    sys::unshare(libc::CLONE_NEWUSER)?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("0 {group} 1"))
}

/// Brings this process into the network namespace of a thread of another process, in a mount
/// namespace of its own in which `resolver` is `/etc/resolv.conf`. With `as_its_root`, first into
/// that process's user namespace. It must have no second thread yet.
///
/// # Errors
/// The process is gone, or this one may not enter.
pub fn enter_namespace_of(
    process: u32,
    thread: i32,
    as_its_root: bool,
    resolver: Option<&Path>,
) -> io::Result<()> {
    let of = |kind: &str| File::open(format!("/proc/{process}/task/{thread}/ns/{kind}"));
    let net = of("net")?;
    if as_its_root {
        sys::enter(of("user")?.as_fd(), libc::CLONE_NEWUSER)?;
    }
    sys::enter_namespace(net.as_fd())?;
    sys::unshare(libc::CLONE_NEWNS)?;
    sys::keep_mounts_apart()?;
    // Tools read the interfaces of their namespace there; where it is not allowed, they see the
    // host's list, and use the right one.
    let _ = sys::mount_sysfs();
    match resolver {
        Some(file) => sys::bind_file(file, Path::new("/etc/resolv.conf")),
        None => Ok(()),
    }
}
