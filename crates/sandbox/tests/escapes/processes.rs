//! Reaching other processes, and becoming another user.

use crate::attempt::{
    Attempt,
    Control::{Outside, Root},
    Sign, python, shell,
};

pub fn attempts() -> Vec<Attempt> {
    vec![
        shell("read the own environment for secrets", Outside, "env | grep -q CARGO && echo ESCAPED"),
        shell(
            "read the environment of the parent",
            Outside,
            "tr '\\0' '\\n' < /proc/$PPID/environ | grep -q CARGO && echo ESCAPED",
        ),
        shell(
            "read the environment of everybody",
            Outside,
            "cat /proc/[0-9]*/environ 2>/dev/null | grep -qa CARGO && echo ESCAPED",
        ),
        shell(
            "see what others run",
            Outside,
            "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -qa 'escape[s]-' && echo ESCAPED",
        ),
        shell("send a signal to a process of the house", Outside, "kill -0 VICTIM && echo ESCAPED"),
        shell("send a signal to the house itself", Outside, "kill -0 OWN && echo ESCAPED"),
        shell(
            "change the limits of a process of the house",
            Outside,
            "prlimit --pid VICTIM --core=0 && echo ESCAPED",
        ),
        shell(
            "slow a process of the house down",
            Outside,
            "renice -n 5 -p VICTIM >/dev/null && echo ESCAPED",
        ),
        shell(
            "look into the folder of a process",
            Outside,
            "ls /proc/VICTIM/cwd/ >/dev/null && echo ESCAPED",
        ),
        python(
            "open the memory of the parent",
            Root,
            "
f = os.open('/proc/%d/mem' % os.getppid(), os.O_RDWR)
print('ESCAPED')",
        ),
        python(
            "become root",
            Root,
            "
os.setuid(0)
print('ESCAPED')",
        ),
        python(
            "join the group of root",
            Root,
            "
os.setgroups([0, 4, 27])
print('ESCAPED')",
        ),
        shell(
            "be given rights by a program",
            Root,
            "cp /bin/bash sh && chown 0 sh && chmod 4755 sh && ./sh -p -c '[ $EUID = 0 ]' && echo ESCAPED",
        ),
        shell("have any right at all", Root, "grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && echo ESCAPED"),
        shell("be able to get rights", Outside, "grep -q 'NoNewPrivs:.*0' /proc/self/status && echo ESCAPED"),
        shell("be without a filter", Outside, "grep -q 'Seccomp:.*0' /proc/self/status && echo ESCAPED"),
        python(
            "be more important",
            Root,
            "
os.nice(-5)
print('ESCAPED')",
        ),
        shell("be real time", Root, "chrt -f 1 true && echo ESCAPED"),
        shell(
            "leave a daemon behind",
            Outside,
            "setsid nohup sleep 77OWN >/dev/null 2>&1 </dev/null & sleep 0.2",
        )
        .showing(Sign::Survives("sleep 77OWN")),
        python(
            "leave a daemon behind by two forks",
            Outside,
            "
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        null = os.open('/dev/null', os.O_RDWR)
        [os.dup2(null, fd) for fd in (0, 1, 2)]
        os.execvp('sleep', ['sleep', '78OWN'])
    os._exit(0)
time.sleep(0.2)",
        )
        .showing(Sign::Survives("sleep 78OWN")),
    ]
}
