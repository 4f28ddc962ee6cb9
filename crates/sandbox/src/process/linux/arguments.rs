//! What bubblewrap is told: the whole shape of a cage in one list.

use super::inside::INSIDE;
use crate::process::{Network, Spec};
use std::path::Path;

/// Where a run has its files, and where they are looked for afterwards.
pub(super) const FOLDER: &str = "/workspace";
/// Folders that a run may write to.
pub(super) const WRITABLE: [&str; 3] = [FOLDER, "/tmp", "/dev/shm"];

/// Descriptors that bubblewrap gets beside the usual three.
pub(super) mod descriptor {
    pub(crate) const ARGUMENTS: i32 = 10;
    pub(crate) const DENIED: i32 = 11;
    pub(crate) const UNKNOWN: i32 = 12;
    pub(crate) const UNHEARD: i32 = 13;
    pub(crate) const PROGRAM: i32 = 14;
    pub(crate) const NOTICE: i32 = 15;
    pub(crate) const ETC: i32 = 16;
}

/// Node reads the last of the files below before it begins. Its own clients know no proxy before Node 24.
pub(super) const NODE_OPTIONS: &str = "--require=/etc/node-fetch.cjs";

/// The few files of `/etc` that programs look for. The rest of it is not shown.
pub(super) const ETC: [(&str, &str); 6] = [
    (
        "passwd",
        "root:x:0:0:root:/root:/bin/sh\nagent:x:1000:1000:agent:/tmp:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n",
    ),
    ("group", "root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n"),
    ("hosts", "127.0.0.1 localhost\n::1 localhost\n"),
    ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
    ("resolv.conf", ""),
    ("node-fetch.cjs", include_str!("node_fetch.cjs")),
];

/// Of `/etc`, as this machine has it: what says where programs and libraries are, and whom to trust.
const ETC_OF_THE_MACHINE: [&str; 8] = [
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/ssl/certs",
    "/etc/ca-certificates",
    "/etc/pki/tls/certs",
    "/etc/localtime",
];

const SYSTEM: [&str; 7] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

pub(super) fn arguments(spec: &Spec) -> Vec<String> {
    let mut list = List::default();
    list.add(&["--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"]);
    list.add(&[
        "--cap-drop",
        "ALL",
        "--new-session",
        "--die-with-parent",
        "--clearenv",
        "--hostname",
        "cage",
    ]);
    list.add(&["--size", "1048576", "--tmpfs", "/", "--ro-bind", "/usr", "/usr"]);
    SYSTEM.iter().for_each(|path| list.system(Path::new(path)));
    for (number, (name, _)) in (descriptor::ETC..).zip(ETC) {
        list.add(&["--perms", "0444", "--file", &number.to_string(), &format!("/etc/{name}")]);
    }
    ETC_OF_THE_MACHINE.iter().for_each(|path| list.add(&["--ro-bind-try", path, path]));
    list.add(&["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]);
    let size = spec.limits.disk.to_string();
    WRITABLE.iter().for_each(|path| list.add(&["--size", &size, "--perms", "0700", "--tmpfs", path]));
    for path in spec.readable.iter().filter_map(|path| path.to_str()) {
        list.add(&["--ro-bind-try", path, path]);
    }
    list.add(&["--remount-ro", "/", "--chdir", "/"]);
    list.add(&["--add-seccomp-fd", &descriptor::DENIED.to_string()]);
    list.add(&["--add-seccomp-fd", &descriptor::UNKNOWN.to_string()]);
    list.add(&["--add-seccomp-fd", &descriptor::UNHEARD.to_string()]);
    list.add(&["--info-fd", &descriptor::NOTICE.to_string()]);
    list.0
}

/// What is started inside: this program, by a descriptor, so that it need not have a name there and may have been
/// replaced on disk since.
pub(super) fn command(network: &Network) -> [String; 3] {
    let listens = if matches!(network, Network::Off) { "alone" } else { "listening" };
    [format!("/proc/self/fd/{}", descriptor::PROGRAM), INSIDE.to_owned(), listens.to_owned()]
}

#[derive(Default)]
struct List(Vec<String>);

impl List {
    fn add(&mut self, arguments: &[&str]) {
        self.0.extend(arguments.iter().map(|&argument| argument.to_owned()));
    }

    /// As it is here: a link stays a link.
    fn system(&mut self, path: &Path) {
        let Some(name) = path.to_str() else { return };
        match std::fs::read_link(path) {
            Ok(to) => self.add(&["--symlink", &to.to_string_lossy(), name]),
            Err(_) => self.add(&["--ro-bind-try", name, name]),
        }
    }
}
