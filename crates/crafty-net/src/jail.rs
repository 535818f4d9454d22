//! The last step before a program runs: nothing can be opened any more, and frames can be sent on
//! the open ports alone. Cannot be undone.

use crate::{NetError, Port, privilege};
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetStatus,
    Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use std::collections::BTreeMap;
use std::os::fd::AsRawFd;

/// How far the kernel went along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// Whether Landlock closed the file system and the network too, fully; seccomp always does.
    pub landlock: bool,
}

/// Gives up all capabilities, and from now on refuses (with `EPERM`) every system call but those of
/// a running program: reading and writing what is open, sending on `ports` without an address,
/// time, memory that cannot be executed, and the end. No thread can be started and no file opened
/// afterwards.
///
/// Call it while the process has one thread: capabilities and Landlock are the calling thread's.
/// The ports' own threads are started here, after those are gone and before seccomp holds all
/// threads.
pub fn lock_down(ports: &mut [&mut Port]) -> Result<Confinement, NetError> {
    privilege::drop_all().map_err(NetError::doing("giving up privileges"))?;
    let landlock = close_files();
    for port in ports.iter_mut() {
        port.start_thread()
            .map_err(NetError::doing("starting the thread that sends"))?;
    }
    let senders: Vec<u64> = ports
        .iter()
        .map(|port| port.sender_fd().as_raw_fd() as u64)
        .collect();
    let program = filter(&senders).ok_or(NO_SECCOMP)?;
    seccompiler::apply_filter_all_threads(&program).map_err(|_| NO_SECCOMP)?;
    for port in ports {
        port.send_one_by_one();
    }
    Ok(Confinement { landlock })
}

const NO_SECCOMP: NetError = NetError::Unsupported {
    what: "seccomp filters for this processor",
    fix: "run without confinement, or on x86-64 or arm64",
};

/// All that Landlock handles, nothing of it allowed. Older kernels handle less.
fn close_files() -> bool {
    let abi = ABI::V6;
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
        .and_then(|rules| rules.scope(Scope::from_all(abi)))
        .and_then(|rules| rules.create())
        .and_then(|rules| rules.restrict_self());
    rules.is_ok_and(|status| status.ruleset == RulesetStatus::FullyEnforced)
}

/// Calls that are allowed whatever their arguments.
const FREE: &[i64] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_lseek,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_close,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_getsockopt,
    libc::SYS_ppoll,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_getrandom,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_tgkill,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// The filter for ports that send on these descriptors; none where seccomp does not know the
/// processor.
fn filter(senders: &[u64]) -> Option<BpfProgram> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        FREE.iter().map(|call| (*call, Vec::new())).collect();
    let no_exec = rule(&[(2, SeccompCmpOp::MaskedEq(libc::PROT_EXEC as u64), 0)])?;
    rules.insert(libc::SYS_mmap, vec![no_exec.clone()]);
    rules.insert(libc::SYS_mprotect, vec![no_exec]);
    // With an address a packet socket sends on any interface; capabilities would not prevent it.
    let own = |fd: &u64| {
        rule(&[
            (0, SeccompCmpOp::Eq, *fd),
            (4, SeccompCmpOp::Eq, 0),
            (5, SeccompCmpOp::Eq, 0),
        ])
    };
    let sends = senders.iter().map(own).collect::<Option<Vec<_>>>()?;
    if !sends.is_empty() {
        rules.insert(libc::SYS_sendto, sends);
    }
    let processor = std::env::consts::ARCH.try_into().ok()?;
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, refuse, SeccompAction::Allow, processor)
        .ok()?
        .try_into()
        .ok()
}

fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Option<SeccompRule> {
    let conditions = conditions.iter().map(|(argument, test, value)| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Qword, test.clone(), *value).ok()
    });
    SeccompRule::new(conditions.collect::<Option<_>>()?).ok()
}
