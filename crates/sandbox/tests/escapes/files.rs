//! Reaching files that are not there.

use crate::attempt::{
    Attempt,
    Control::{Outside, Root},
    Sign, python, shell,
};

pub fn attempts() -> Vec<Attempt> {
    let mut all = reading();
    all.extend(writing());
    all.extend(bringing_back());
    all
}

fn reading() -> Vec<Attempt> {
    vec![
        shell("read a secret of the house", Outside, "grep -q SECRET FILE && echo ESCAPED"),
        shell(
            "read a secret by the root of a process",
            Outside,
            "grep -q SECRET /proc/VICTIM/root/FILE && echo ESCAPED",
        ),
        shell(
            "read a secret by the own root",
            Outside,
            "cd /; grep -q SECRET /proc/self/root/../../FILE && echo ESCAPED",
        ),
        shell(
            "read a secret by the root of the parent",
            Outside,
            "grep -q SECRET /proc/$PPID/root/FILE && echo ESCAPED",
        ),
        shell(
            "read the folder of the parent",
            Outside,
            "grep -q name /proc/$PPID/cwd/Cargo.toml && echo ESCAPED",
        ),
        shell(
            "find a secret anywhere",
            Outside,
            "find / -xdev -maxdepth 4 -name master.key 2>/dev/null | grep -q . && echo ESCAPED",
        ),
        shell("read passwords", Root, "grep -q root: /etc/shadow && echo ESCAPED"),
        shell("read settings of the machine", Outside, "[ -s /etc/os-release ] && echo ESCAPED"),
        shell(
            "look into homes",
            Root,
            "ls -A /root /home 2>/dev/null | grep -v : | grep -q . && echo ESCAPED",
        ),
        shell("look into data of services", Outside, "ls /var/lib 2>/dev/null | grep -q . && echo ESCAPED"),
        shell("look for sockets of services", Outside, "ls -A /run 2>/dev/null | grep -q . && echo ESCAPED"),
        shell(
            "look at devices and drivers",
            Outside,
            "ls /sys/kernel 2>/dev/null | grep -q . && echo ESCAPED",
        ),
        shell(
            "look for disks and memory",
            Outside,
            "ls /dev/kmsg /dev/mem /dev/[sv]d* /dev/loop* 2>/dev/null | grep -q . && echo ESCAPED",
        ),
        shell(
            "read the log of the kernel",
            Root,
            "timeout 1 dd if=/dev/kmsg bs=8192 count=1 status=none | grep -qa . && echo ESCAPED",
        ),
        shell(
            "use a descriptor that was left open",
            Outside,
            "ls -l /proc/$$/fd | grep -q master.key && echo ESCAPED",
        ),
        python(
            "open the program of the house for writing",
            Root,
            "
f = os.open('/proc/%d/exe' % os.getppid(), os.O_RDONLY)
os.open('/proc/self/fd/%d' % f, os.O_RDONLY)
if 'escapes' in os.readlink('/proc/%d/exe' % os.getppid()): print('ESCAPED')",
        ),
    ]
}

fn writing() -> Vec<Attempt> {
    vec![
        shell("change a secret of the house", Outside, "echo more >> FILE && echo ESCAPED"),
        shell("put a file beside the secret", Outside, "touch FOLDER/planted && echo ESCAPED"),
        shell(
            "put a program into the system",
            Root,
            "touch /usr/bin/.planted && rm /usr/bin/.planted && echo ESCAPED",
        ),
        shell("put a file into the root", Root, "touch /.planted && rm /.planted && echo ESCAPED"),
        shell(
            "change the settings of the machine",
            Root,
            "touch /etc/.planted && rm /etc/.planted && echo ESCAPED",
        ),
        shell("put a device in its place", Root, "mknod disk b 7 0 && echo ESCAPED"),
        shell(
            "give a file to root",
            Root,
            "touch a && chown 0:0 a && [ \"$(stat -c %u a)\" = 0 ] && echo ESCAPED",
        ),
        shell(
            "choose who handles crashes",
            Root,
            "cat /proc/sys/kernel/core_pattern > old && cat old > /proc/sys/kernel/core_pattern && echo ESCAPED",
        ),
        shell(
            "change a setting of the kernel",
            Root,
            "cat /proc/sys/vm/swappiness > old && cat old > /proc/sys/vm/swappiness && echo ESCAPED",
        ),
        shell(
            "fill the folder of devices",
            Root,
            "head -c 64 /dev/zero > /dev/.planted && rm /dev/.planted && echo ESCAPED",
        ),
    ]
}

fn bringing_back() -> Vec<Attempt> {
    vec![
        shell("bring back a link to a secret", Outside, "ln -s FILE link").showing(Sign::Brings("link")),
        shell("bring back the secret by a second name", Outside, "ln FILE twin")
            .showing(Sign::Brings("twin")),
        shell("bring back a link by a link to its folder", Outside, "ln -s FOLDER below")
            .showing(Sign::Brings("below/master.key")),
    ]
}
