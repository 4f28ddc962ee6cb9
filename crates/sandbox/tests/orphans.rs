//! What a server that was killed may have left is ended by the next. A binary of its own, because every other test that opens
//! a cage would do it, too.

#![cfg(test)]
#![cfg(target_os = "linux")]

use command_fds::{CommandFdExt, FdMapping};
use sandbox::process::{Cage, Program};
use std::{
    fs::{self, File},
    io::{PipeWriter, Read, Seek, Write},
    os::fd::OwnedFd,
    process::Command,
};

/// bubblewrap whose init still waits when its parent is killed, as it does for a moment in every start. It waits for as
/// long as the other end of the pipe is there.
fn init_without_parent() -> (u32, PipeWriter) {
    let arguments = [
        "--unshare-all",
        "--die-with-parent",
        "--ro-bind",
        "/",
        "/",
        "--block-fd",
        "9",
        "--info-fd",
        "8",
        "",
    ];
    let mut file = File::from(rustix::fs::memfd_create("x", rustix::fs::MemfdFlags::CLOEXEC).unwrap());
    file.write_all(arguments.join("\0").as_bytes()).unwrap();
    file.rewind().unwrap();
    let (mut notice, theirs) = std::io::pipe().unwrap();
    let (blocks, waits) = std::io::pipe().unwrap();
    let map = |parent_fd: OwnedFd, child_fd| FdMapping { parent_fd, child_fd };
    let mut bubblewrap = Command::new("bwrap");
    bubblewrap.args(["--args", "10", "--", "/proc/self/fd/14", "cage-inside", "alone"]);
    bubblewrap.fd_mappings(vec![map(file.into(), 10), map(blocks.into(), 9), map(theirs.into(), 8)]).unwrap();
    let mut child = bubblewrap.spawn().unwrap();
    let mut words = [0; 64];
    let read = notice.read(&mut words).unwrap();
    let told = String::from_utf8_lossy(&words[..read]);
    let digits = |text: &str| {
        text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect()
    };
    let number: String = digits(told.split("child-pid").nth(1).unwrap());
    child.kill().unwrap();
    child.wait().unwrap();
    (number.parse().unwrap(), waits)
}

fn is_there(number: u32) -> bool {
    fs::read(format!("/proc/{number}/cmdline")).is_ok_and(|line| !line.is_empty())
}

#[test]
fn an_init_without_a_parent_is_ended() {
    let (number, _waits) = init_without_parent();
    assert!(is_there(number), "control: nobody else ends it");
    let cage = Cage::open(Program::At(env!("CARGO_BIN_EXE_cage-inside").into()));
    assert!(cage.is_ok());
    while is_there(number) {
        std::thread::yield_now();
    }
}
