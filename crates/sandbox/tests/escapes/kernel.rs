//! Doors of the kernel.

use crate::attempt::{
    Attempt, Control,
    Control::{Outside, Root},
    python, shell,
};

pub fn attempts() -> Vec<Attempt> {
    let call = |(name, number, arguments, control): (&'static str, i64, &str, Control)| {
        python(name, control, &format!("reached({number}, {arguments})"))
    };
    let mut all: Vec<Attempt> = CALLS.into_iter().map(call).collect();
    all.extend(others());
    all
}

/// Many of the arguments are bad on purpose.
const CALLS: [(&str, i64, &str, Control); 26] = [
    ("trace itself", libc::SYS_ptrace, "0, 0, 0, 0", Outside),
    ("trace a process of the house", libc::SYS_ptrace, "0x4206, VICTIM, 0, 0", Outside),
    ("read the memory of a process", libc::SYS_process_vm_readv, "VICTIM, 0, 0, 0, 0, 0", Outside),
    ("write the memory of a process", libc::SYS_process_vm_writev, "VICTIM, 0, 0, 0, 0, 0", Outside),
    ("take a descriptor of a process", libc::SYS_pidfd_getfd, "-1, 0, 0", Outside),
    ("load a program into the kernel", libc::SYS_bpf, "999, 0, 0", Root),
    ("measure the machine", libc::SYS_perf_event_open, "1, 0, -1, -1, 0", Outside),
    ("handle faults of memory", libc::SYS_userfaultfd, "0xffffff", Outside),
    ("keep a key in the kernel", libc::SYS_keyctl, "0, -3, 0", Outside),
    ("ask for a key", libc::SYS_request_key, "0, 0, 0, 0", Outside),
    ("add a key", libc::SYS_add_key, "0, 0, 0, 0, 0", Outside),
    ("use a ring", libc::SYS_io_uring_setup, "1, 1", Outside),
    ("open a file by its number", libc::SYS_open_by_handle_at, "-1, 1, 0", Root),
    ("ask for the number of a file", libc::SYS_name_to_handle_at, "-1, 1, 1, 1, 0", Outside),
    ("swap to a file", libc::SYS_swapon, "1, 0", Root),
    ("keep accounts", libc::SYS_acct, "1", Root),
    ("reboot", libc::SYS_reboot, "0, 0, 0, 0", Root),
    ("set the clock", libc::SYS_settimeofday, "1, 0", Root),
    ("set another clock", libc::SYS_clock_settime, "99999, 1", Root),
    ("name the machine", libc::SYS_sethostname, "1, -1", Root),
    ("set quotas", libc::SYS_quotactl, "0, 1, 0, 0", Root),
    ("read what the kernel says", libc::SYS_syslog, "99, 0, 0", Root),
    ("watch all files", libc::SYS_fanotify_init, "0xffffffff, 0", Root),
    ("type into a terminal", libc::SYS_ioctl, "os.open('/dev/null', 2), 0x5412, 0", Outside),
    ("type into it by a longer number", libc::SYS_ioctl, "os.open('/dev/null', 2), 0x7700005412, 0", Outside),
    ("paste into a console", libc::SYS_ioctl, "os.open('/dev/null', 2), 0x541c, 0", Outside),
];

fn others() -> Vec<Attempt> {
    vec![
        python(
            "turn off the shuffling of memory",
            Outside,
            &format!(
                "
result, error = call({}, 0x0040000)
if result >= 0: print('ESCAPED')",
                libc::SYS_personality
            ),
        ),
        python(
            "run a program that is no file",
            Outside,
            "
fd = os.memfd_create('x')
os.write(fd, b'#!/bin/sh\\necho ESCAPED\\n')
os.lseek(fd, 0, 0)
os.execve('/proc/self/fd/%d' % fd, ['x'], {}) if os.set_inheritable(fd, True) is None else None",
        ),
        python(
            "share memory that nobody counts",
            Outside,
            &format!(
                "
result, error = call({}, 0, 4096, 0o1600)
if result >= 0:
    call({}, result, 0, 0)
    print('ESCAPED')",
                libc::SYS_shmget,
                libc::SYS_shmctl
            ),
        ),
        shell("allow itself to dump its core", Outside, "ulimit -c 4096 && echo ESCAPED"),
        shell("raise a limit", Outside, "ulimit -n 1024 && echo ESCAPED"),
    ]
}
