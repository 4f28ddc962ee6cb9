//! A world of one's own, to have all rights in it.

use crate::attempt::{
    Attempt,
    Control::{Outside, Root},
    python, shell,
};

pub fn attempts() -> Vec<Attempt> {
    vec![
        shell("make a user namespace", Outside, "unshare --user true && echo ESCAPED"),
        shell(
            "make a user namespace and be root there",
            Outside,
            "unshare --user --map-root-user id -u | grep -qx 0 && echo ESCAPED",
        ),
        shell("make a mount namespace", Root, "unshare --mount true && echo ESCAPED"),
        shell("make a network namespace", Root, "unshare --net true && echo ESCAPED"),
        shell("make a process namespace", Root, "unshare --pid --fork true && echo ESCAPED"),
        python(
            "make a user namespace by clone",
            Outside,
            &format!(
                "
result, error = call({}, 0x10000000 | 17, 0, 0, 0, 0)
if result == 0: os._exit(0)
if result > 0: print('ESCAPED')",
                libc::SYS_clone
            ),
        ),
        python(
            "make one by a call whose flags are hidden",
            Outside,
            &format!(
                "
reached({}, 0, 0)",
                libc::SYS_clone3
            ),
        ),
        shell(
            "enter the namespace of a process of the house",
            Root,
            "nsenter --target VICTIM --mount true && echo ESCAPED",
        ),
        python(
            "enter a namespace by a descriptor",
            Root,
            &format!(
                "
fd = os.open('/proc/self/ns/net', os.O_RDONLY)
reached({}, fd, 0x40000000)",
                libc::SYS_setns
            ),
        ),
        shell("mount memory", Root, "mkdir m && mount -t tmpfs none m && echo ESCAPED; umount m"),
        shell("mount processes", Root, "mkdir m && mount -t proc none m && echo ESCAPED; umount m"),
        shell("mount the root a second time", Root, "mkdir m && mount --bind / m && echo ESCAPED; umount m"),
        shell(
            "make the system writable",
            Root,
            "mkdir m && mount --bind m m && mount -o remount,rw,bind m && echo ESCAPED; umount m",
        ),
        shell("take a mount away", Root, "mkdir m; mount -t tmpfs none m; umount m && echo ESCAPED"),
        shell("change the root", Root, "chroot / true && echo ESCAPED"),
        python(
            "mount by the new calls",
            Root,
            &format!(
                "
name = ctypes.create_string_buffer(b'tmpfs')
result, error = call({}, name, 0)
if result >= 0: print('ESCAPED')",
                libc::SYS_fsopen
            ),
        ),
        python(
            "copy a tree of mounts",
            Root,
            &format!(
                "
path = ctypes.create_string_buffer(b'/')
result, error = call({}, -100, path, 1)
if result >= 0: print('ESCAPED')",
                libc::SYS_open_tree
            ),
        ),
    ]
}
