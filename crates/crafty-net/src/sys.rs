//! Thin, safe faces of the system calls that the rest of the crate makes. No policy, no protocol.

use crate::control::ControlMessages;
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};

/// A C structure that the kernel reads or fills.
///
/// # Safety
/// Every bit pattern must be a value, the all-zero one included, and it must own nothing.
pub(crate) unsafe trait Plain: Copy {
    /// All bytes zero.
    fn zeroed() -> Self {
        // SAFETY: the trait promises that zeroes are a value.
        unsafe { MaybeUninit::zeroed().assume_init() }
    }
}

macro_rules! plain {
    ($($t:ty),* $(,)?) => { $(
        // SAFETY: an integer, or a C structure of integers, raw pointers and arrays of them.
        unsafe impl Plain for $t {}
    )* };
}
plain! {
    i32, u32, u64, libc::sockaddr_ll, libc::sockaddr_nl, libc::sock_fprog, libc::tpacket_req,
    libc::tpacket_stats, libc::timeval, libc::msghdr, libc::mmsghdr, libc::iovec, libc::packet_mreq, libc::sockaddr_in, libc::sockaddr_in6,
}

/// The result of a call that answers -1 on failure.
pub(crate) fn check(result: i32) -> io::Result<i32> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// The result of a call that answers a length, or -1.
pub(crate) fn check_len(result: isize) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// Runs a call again while a signal interrupts it.
pub(crate) fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// A new socket that programs started later do not inherit.
pub(crate) fn socket(domain: i32, kind: i32, protocol: i32) -> io::Result<OwnedFd> {
    // SAFETY: takes integers only.
    let fd = check(unsafe { libc::socket(domain, kind | libc::SOCK_CLOEXEC, protocol) })?;
    // SAFETY: the kernel has just given us this descriptor; nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Binds a socket to an address of its family.
pub(crate) fn bind<T: Plain>(fd: BorrowedFd<'_>, address: &T) -> io::Result<()> {
    // SAFETY: the pointer and length describe `address`, which outlives the call.
    check(unsafe {
        libc::bind(
            fd.as_raw_fd(),
            (&raw const *address).cast(),
            size_of::<T>() as u32,
        )
    })
    .map(drop)
}

/// Sets a socket option.
pub(crate) fn set_option<T: Plain>(
    fd: BorrowedFd<'_>,
    level: i32,
    name: i32,
    value: &T,
) -> io::Result<()> {
    // SAFETY: the pointer and length describe `value`, which outlives the call.
    check(unsafe {
        libc::setsockopt(
            fd.as_raw_fd(),
            level,
            name,
            (&raw const *value).cast(),
            size_of::<T>() as u32,
        )
    })
    .map(drop)
}

/// Reads a socket option.
pub(crate) fn option<T: Plain>(fd: BorrowedFd<'_>, level: i32, name: i32) -> io::Result<T> {
    let mut value = T::zeroed();
    let mut len = size_of::<T>() as u32;
    // SAFETY: the kernel writes at most `len` bytes into `value`, and any bytes are a value of it.
    check(unsafe {
        libc::getsockopt(
            fd.as_raw_fd(),
            level,
            name,
            (&raw mut value).cast(),
            &raw mut len,
        )
    })?;
    Ok(value)
}

/// An `ioctl` whose argument is a structure that the kernel reads and fills.
///
/// # Safety
/// `request` must be one whose argument is a `T`; pointers in it must be right for the request.
pub(crate) unsafe fn ioctl<T>(
    fd: BorrowedFd<'_>,
    request: libc::Ioctl,
    argument: &mut T,
) -> io::Result<i32> {
    // SAFETY: as the caller promises.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), request, &raw mut *argument) })
}

/// Sends bytes on a bound or connected socket: the address is always null.
pub(crate) fn send(fd: BorrowedFd<'_>, octets: &[u8], flags: i32) -> io::Result<usize> {
    // Not by the C library's function: each call of it is a point where the thread could be
    // cancelled, which costs. SAFETY: the pointer and length describe `octets`; there is no
    // address.
    let sent = unsafe {
        libc::syscall(
            libc::SYS_sendto,
            fd.as_raw_fd(),
            octets.as_ptr(),
            octets.len(),
            flags,
            0usize,
            0usize,
        )
    };
    check_len(sent as isize)
}

/// Receives bytes; what does not fit is cut off. With `MSG_TRUNC` the whole length is answered.
pub(crate) fn receive(fd: BorrowedFd<'_>, into: &mut [u8], flags: i32) -> io::Result<usize> {
    // SAFETY: the pointer and length describe `into`.
    check_len(unsafe { libc::recv(fd.as_raw_fd(), into.as_mut_ptr().cast(), into.len(), flags) })
}

/// Waits at most `timeout` nanoseconds (`None`: forever) for `events` on any descriptor; says
/// whether one came.
pub(crate) fn poll(fds: &mut [libc::pollfd], timeout: Option<i64>) -> io::Result<bool> {
    let span = timeout.map(|ns| libc::timespec {
        tv_sec: ns.max(0) / 1_000_000_000,
        tv_nsec: ns.max(0) % 1_000_000_000,
    });
    let span = span.as_ref().map_or(std::ptr::null(), |s| &raw const *s);
    // SAFETY: the pointers describe `fds` and `span`, or are null where that is allowed.
    let ready = unsafe {
        libc::ppoll(
            fds.as_mut_ptr(),
            fds.len() as libc::nfds_t,
            span,
            std::ptr::null(),
        )
    };
    match check(ready) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        other => Ok(other? > 0),
    }
}

/// One descriptor to wait for.
pub(crate) fn pollfd(fd: BorrowedFd<'_>, events: i16) -> libc::pollfd {
    libc::pollfd {
        fd: fd.as_raw_fd(),
        events,
        revents: 0,
    }
}

/// Most frames that one call sends.
const BATCH: usize = 64;

/// Sends several messages on a bound socket, without addresses; answers how many went.
pub(crate) fn send_many(fd: BorrowedFd<'_>, messages: &[&[u8]]) -> io::Result<usize> {
    let count = messages.len().min(BATCH);
    let mut parts = [const {
        libc::iovec {
            iov_base: std::ptr::null_mut(),
            iov_len: 0,
        }
    }; BATCH];
    let mut heads = [<libc::mmsghdr as Plain>::zeroed(); BATCH];
    for ((message, part), head) in messages.iter().zip(&mut parts).zip(&mut heads) {
        // The kernel only reads it.
        part.iov_base = message.as_ptr().cast_mut().cast();
        part.iov_len = message.len();
        head.msg_hdr.msg_iov = part;
        head.msg_hdr.msg_iovlen = 1;
    }
    // SAFETY: each of the first `count` heads leads to one part, which describes a message; all
    // outlive the call.
    check(unsafe { libc::sendmmsg(fd.as_raw_fd(), heads.as_mut_ptr(), count as u32, 0) })
        .map(|sent| sent as usize)
}

/// Receives a message with its control messages and, if wanted, the link address that it came with.
pub(crate) fn receive_message(
    fd: BorrowedFd<'_>,
    into: &mut [u8],
    from: Option<&mut libc::sockaddr_ll>,
    control: &mut ControlMessages,
    flags: i32,
) -> io::Result<usize> {
    let mut part = libc::iovec {
        iov_base: into.as_mut_ptr().cast(),
        iov_len: into.len(),
    };
    let mut head = <libc::msghdr as Plain>::zeroed();
    head.msg_iov = &raw mut part;
    head.msg_iovlen = 1;
    head.msg_control = control.as_mut_ptr().cast();
    head.msg_controllen = ControlMessages::ROOM as _;
    if let Some(from) = from {
        head.msg_name = (&raw mut *from).cast();
        head.msg_namelen = size_of::<libc::sockaddr_ll>() as u32;
    }
    // SAFETY: every pointer in `head` describes memory that we borrow for the call, with its
    // length.
    let len = check_len(unsafe { libc::recvmsg(fd.as_raw_fd(), &raw mut head, flags) })?;
    #[allow(
        clippy::unnecessary_cast,
        reason = "its type differs between C libraries"
    )]
    let filled = head.msg_controllen as usize;
    control.len = filled;
    Ok(len.min(into.len()))
}

/// Binds an Internet socket.
pub(crate) fn bind_to(fd: BorrowedFd<'_>, address: &SocketAddr) -> io::Result<()> {
    match address {
        SocketAddr::V4(a) => {
            let mut raw = <libc::sockaddr_in as Plain>::zeroed();
            raw.sin_family = libc::AF_INET as u16;
            raw.sin_port = a.port().to_be();
            raw.sin_addr.s_addr = u32::from_ne_bytes(a.ip().octets());
            bind(fd, &raw)
        }
        SocketAddr::V6(a) => {
            let mut raw = <libc::sockaddr_in6 as Plain>::zeroed();
            raw.sin6_family = libc::AF_INET6 as u16;
            raw.sin6_port = a.port().to_be();
            raw.sin6_addr.s6_addr = a.ip().octets();
            raw.sin6_scope_id = a.scope_id();
            bind(fd, &raw)
        }
    }
}

/// How many files this process may have open.
pub(crate) fn open_files() -> io::Result<libc::rlimit> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the kernel fills `limit`.
    check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) })?;
    Ok(limit)
}

/// Sets how many files this process may have open.
pub(crate) fn set_open_files(limit: &libc::rlimit) -> io::Result<()> {
    // SAFETY: the kernel reads `limit`.
    check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const *limit) }).map(drop)
}

/// Moves the calling thread into a network namespace.
pub(crate) fn enter_namespace(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: takes integers only; changes the calling thread alone.
    check(unsafe { libc::setns(fd.as_raw_fd(), libc::CLONE_NEWNET) }).map(drop)
}

/// From now on no program that is started can gain privileges, nor can others of this user look
/// into this process.
#[cfg(feature = "jail")]
pub(crate) fn no_new_privileges() -> io::Result<()> {
    // SAFETY: takes integers only.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })?;
    // SAFETY: takes integers only.
    check(unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) }).map(drop)
}

/// Empties all sets of capabilities of the calling thread.
#[cfg(feature = "jail")]
pub(crate) fn no_capabilities() -> io::Result<()> {
    // `_LINUX_CAPABILITY_VERSION_3`, and 0 for the calling thread; then two words for each of three
    // sets.
    let (mut header, sets) = ([0x2008_0522u32, 0], [0u32; 6]);
    // SAFETY: both arrays are as long as this version says; the kernel reads them, and may write to
    // the header.
    let result = unsafe { libc::syscall(libc::SYS_capset, header.as_mut_ptr(), sets.as_ptr()) };
    check(result as i32).map(drop)
}

/// Where [`note_signal`] writes to; -1 before that is set.
static SIGNAL_PIPE: AtomicI32 = AtomicI32::new(-1);

/// Lets the first of each of `signals` write a byte to `pipe`, which stays open forever; a second
/// one has its usual effect again.
pub(crate) fn signals_to_pipe(signals: &[i32], pipe: OwnedFd) -> io::Result<()> {
    SIGNAL_PIPE.store(pipe.into_raw_fd(), Ordering::SeqCst);
    // SAFETY: zeroes are an empty mask and no flags.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = note_signal as *const () as libc::sighandler_t;
    action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
    for signal in signals {
        // SAFETY: the handler only calls what POSIX allows in one; `action` is valid, the old one
        // is not asked for.
        check(unsafe { libc::sigaction(*signal, &raw const action, std::ptr::null_mut()) })?;
    }
    Ok(())
}

extern "C" fn note_signal(_: i32) {
    let octet = 1u8;
    // SAFETY: both may be called from a handler; the descriptor is never closed, a full pipe is no
    // matter, and the error number of what was interrupted is put back.
    unsafe {
        let errno = *libc::__errno_location();
        libc::write(
            SIGNAL_PIPE.load(Ordering::SeqCst),
            (&raw const octet).cast(),
            1,
        );
        *libc::__errno_location() = errno;
    }
}

/// How late the kernel may wake the calling thread, to save power.
pub(crate) fn may_write(path: &std::path::Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: `path` ends with a zero byte and lives until the call is over.
    let result =
        unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr(), libc::W_OK, libc::AT_EACCESS) };
    result == 0
}

/// Whether a file has the attribute that lets it only grow (statx(2), `STATX_ATTR_APPEND`).
pub(crate) fn is_append_only(fd: BorrowedFd<'_>) -> io::Result<bool> {
    // SAFETY: a structure of integers; zeroes are a value.
    let mut status: libc::statx = unsafe { std::mem::zeroed() };
    // SAFETY: the path is empty and ends with a zero byte; the kernel fills `status`, which outlives
    // the call.
    check(unsafe {
        libc::statx(
            fd.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            libc::STATX_BASIC_STATS,
            &raw mut status,
        )
    })?;
    Ok(status.stx_attributes & libc::STATX_ATTR_APPEND as u64 != 0)
}

pub(crate) fn set_timer_slack(nanoseconds: u64) -> io::Result<()> {
    // SAFETY: takes integers only.
    check(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0) }).map(drop)
}

/// Whether the kernel would confine this process with Landlock.
pub(crate) fn has_landlock() -> bool {
    /// `LANDLOCK_CREATE_RULESET_VERSION`: makes nothing, answers the version.
    const VERSION: u32 = 1;
    // SAFETY: with this flag the other arguments must be null and zero.
    unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0usize,
            VERSION,
        ) >= 1
    }
}

/// Sends a signal to a process.
pub(crate) fn signal(process: u32, signal: i32) -> io::Result<()> {
    let process = i32::try_from(process).map_err(io::Error::other)?;
    // SAFETY: takes integers only.
    check(unsafe { libc::kill(process, signal) }).map(drop)
}

/// Which signal this process gets when the thread that started it ends.
pub(crate) fn signal_at_end_of_parent(signal: i32) -> io::Result<()> {
    // SAFETY: takes integers only.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal, 0, 0, 0) }).map(drop)
}

/// Puts the calling thread (for a user or mount namespace: the process) into namespaces of its own.
pub(crate) fn unshare(kinds: i32) -> io::Result<()> {
    // SAFETY: takes integers only.
    check(unsafe { libc::unshare(kinds) }).map(drop)
}

/// Enters a namespace of the kind that the caller expects.
pub(crate) fn enter(fd: BorrowedFd<'_>, kind: i32) -> io::Result<()> {
    // SAFETY: takes integers only.
    check(unsafe { libc::setns(fd.as_raw_fd(), kind) }).map(drop)
}

/// The kernel's number of the calling thread.
pub(crate) fn thread_id() -> i32 {
    // SAFETY: takes nothing, never fails.
    unsafe { libc::gettid() }
}

/// The real user and group of this process.
pub(crate) fn user_and_group() -> (u32, u32) {
    // SAFETY: these take nothing and never fail.
    unsafe { (libc::getuid(), libc::getgid()) }
}

/// What is mounted from now on in this mount namespace is not seen in others.
pub(crate) fn keep_mounts_apart() -> io::Result<()> {
    mount(None, c"/", None, libc::MS_REC | libc::MS_SLAVE)
}

/// Mounts a view of `/sys` that shows the interfaces of the network namespace the caller is in.
pub(crate) fn mount_sysfs() -> io::Result<()> {
    mount(Some(c"sysfs"), c"/sys", Some(c"sysfs"), 0)
}

/// Shows `file` at another path.
pub(crate) fn bind_file(file: &std::path::Path, at: &std::path::Path) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    let name = |path: &std::path::Path| {
        std::ffi::CString::new(path.as_os_str().as_bytes()).map_err(io::Error::from)
    };
    mount(Some(&name(file)?), &name(at)?, None, libc::MS_BIND)
}

fn mount(
    from: Option<&std::ffi::CStr>,
    at: &std::ffi::CStr,
    kind: Option<&std::ffi::CStr>,
    flags: u64,
) -> io::Result<()> {
    let pointer = |text: Option<&std::ffi::CStr>| text.map_or(std::ptr::null(), |it| it.as_ptr());
    // SAFETY: the strings end with a zero byte and outlive the call; null stands for "none".
    check(unsafe {
        libc::mount(
            pointer(from),
            at.as_ptr(),
            pointer(kind),
            flags,
            std::ptr::null(),
        )
    })
    .map(drop)
}

/// Puts the calling thread into the scheduling class `SCHED_RR`.
pub(crate) fn set_real_time_priority(priority: i32) -> io::Result<()> {
    let wanted = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: 0 is the calling thread; the kernel only reads `wanted`.
    check(unsafe { libc::sched_setscheduler(0, libc::SCHED_RR, &raw const wanted) }).map(drop)
}
