//! Which doors of the kernel are closed to programs in a cage.
//!
//! What is refused is refused for everybody inside, bubblewrap's own init included. Three filters, because there are three
//! ways to say no: *not allowed* for what is known and dangerous, *no such call* for what programs can do without and
//! for everything that is newer than this list, and a yes that does nothing for what is a wish anyway.

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp,
    SeccompCondition as Condition, SeccompFilter, SeccompRule as Rule, TargetArch, sock_filter,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<Rule>>;

/// Calls that reach beyond the cage, or that have been the way out of one.
const FORBIDDEN: [i64; 61] = [
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_migrate_pages,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_move_pages,
    libc::SYS_name_to_handle_at,
    libc::SYS_nfsservctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
    // Memory and queues that outlive the process that made them, and that no limit of a process counts.
    libc::SYS_mq_open,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_vmsplice,
    libc::SYS_mbind,
    libc::SYS_set_mempolicy,
    libc::SYS_get_mempolicy,
    libc::SYS_ioprio_set,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setscheduler,
];

#[cfg(target_arch = "x86_64")]
const FORBIDDEN_HERE: [i64; 7] = [
    libc::SYS__sysctl,
    libc::SYS_ioperm,
    libc::SYS_iopl,
    libc::SYS_modify_ldt,
    libc::SYS_sysfs,
    libc::SYS_uselib,
    libc::SYS_ustat,
];
#[cfg(not(target_arch = "x86_64"))]
const FORBIDDEN_HERE: [i64; 0] = [];

/// Calls that programs know how to do without.
const UNKNOWN: [i64; 10] = [
    // Its flags are behind a pointer, where no filter can see them; `clone` is looked at instead.
    libc::SYS_clone3,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    // Files and memory without a place, which no size of a folder bounds.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmdt,
    libc::SYS_shmget,
];

/// From here on calls are newer than this list, and what they do is not known here. The other set of calls that kernels for
/// Intel may have, which would lead around each rule, has numbers far above it.
const FIRST_UNKNOWN: u32 = 463;

const NAMESPACES: [libc::c_int; 8] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    0x80, // CLONE_NEWTIME
];

/// Typing into a person's terminal, and changing what a line of it means.
const TERMINAL: [u64; 4] = [0x5412, 0x541c, 0x5423, 0x541d];

const FAMILIES: [libc::c_int; 3] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6];

/// Wishes for larger buffers of a socket. What a socket may hold is the kernel's usual size, so that the watch of memory can
/// count sockets.
const BUFFERS: [libc::c_int; 4] =
    [libc::SO_SNDBUF, libc::SO_RCVBUF, libc::SO_SNDBUFFORCE, libc::SO_RCVBUFFORCE];

/// The filters as bubblewrap takes them.
pub(super) fn filters() -> Result<[Vec<u8>; 3], BackendError> {
    let denied = compile(forbidden()?, libc::EPERM)?;
    let unknown = compile(UNKNOWN.map(|call| (call, Vec::new())).into(), libc::ENOSYS)?;
    let unknown = newer().into_iter().chain(unknown).collect();
    let unheard = compile(buffers()?, 0)?;
    Ok([bytes(&denied), bytes(&unknown), bytes(&unheard)])
}

fn buffers() -> Result<Rules, BackendError> {
    let equals = |argument, value: libc::c_int| {
        Condition::new(argument, Dword, SeccompCmpOp::Eq, u64::from(value.unsigned_abs()))
    };
    let wish = |&option: &libc::c_int| Rule::new(vec![equals(1, libc::SOL_SOCKET)?, equals(2, option)?]);
    let wishes = BUFFERS.iter().map(wish).collect::<Result<_, _>>()?;
    Ok([(libc::SYS_setsockopt, wishes)].into())
}

fn compile(rules: Rules, errno: libc::c_int) -> Result<BpfProgram, BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let no = SeccompAction::Errno(errno.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, no, arch)?.try_into()
}

fn forbidden() -> Result<Rules, BackendError> {
    let mut rules: Rules = FORBIDDEN.iter().chain(&FORBIDDEN_HERE).map(|&call| (call, Vec::new())).collect();
    let flag = |flag: &libc::c_int| {
        let bits = u64::from(flag.unsigned_abs());
        Rule::new(vec![Condition::new(0, Dword, SeccompCmpOp::MaskedEq(bits), bits)?])
    };
    rules.insert(libc::SYS_clone, NAMESPACES.iter().map(flag).collect::<Result<_, _>>()?);
    // THREAT[cage-07]: the kernel looks at the lower half of the number only, so the rule does, too.
    let typing = |&request: &u64| Rule::new(vec![Condition::new(1, Dword, SeccompCmpOp::Eq, request)?]);
    rules.insert(libc::SYS_ioctl, TERMINAL.iter().map(typing).collect::<Result<_, _>>()?);
    let other =
        |&family: &libc::c_int| Condition::new(0, Dword, SeccompCmpOp::Ne, u64::from(family.unsigned_abs()));
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        rules.insert(call, vec![Rule::new(FAMILIES.iter().map(other).collect::<Result<_, _>>()?)?]);
    }
    let asks = u64::from(u32::MAX);
    let changes = |value| Condition::new(0, Dword, SeccompCmpOp::Ne, value);
    rules.insert(libc::SYS_personality, vec![Rule::new(vec![changes(0)?, changes(asks)?])?]);
    Ok(rules)
}

/// Before anything else is looked at: what is newer does not exist. Comparing each number would take thousands of steps.
fn newer() -> [sock_filter; 3] {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    let no_such_call = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    [
        sock_filter { code: LOAD_NUMBER, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_AT_LEAST, jt: 0, jf: 1, k: FIRST_UNKNOWN },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: no_such_call },
    ]
}

fn bytes(program: &BpfProgram) -> Vec<u8> {
    let instruction = |one: &sock_filter| {
        let [code_a, code_b] = one.code.to_ne_bytes();
        let [k_a, k_b, k_c, k_d] = one.k.to_ne_bytes();
        [code_a, code_b, one.jt, one.jf, k_a, k_b, k_c, k_d]
    };
    program.iter().flat_map(instruction).collect()
}
