//! Reaching the network.

use crate::attempt::{
    Attempt,
    Control::{Outside, Root},
    python, shell,
};

pub fn attempts() -> Vec<Attempt> {
    vec![
        shell("connect to a server of the house", Outside, "exec 3<>/dev/tcp/127.0.0.1/PORT && echo ESCAPED"),
        shell("connect to it by another name", Outside, "exec 3<>/dev/tcp/0.0.0.0/PORT && echo ESCAPED"),
        python(
            "connect to it by IPv6",
            Outside,
            "
family, host = (socket.AF_INET6, '::1') if 'PORT6' != 'PORT' else (socket.AF_INET, '127.0.0.1')
socket.socket(family).connect((host, PORT6))
print('ESCAPED')",
        ),
        python(
            "send a datagram",
            Outside,
            "
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(2)
s.sendto(b'x', ('127.0.0.1', UDP))
if s.recv(10) == b'x': print('ESCAPED')",
        ),
        python(
            "connect to a socket of the house",
            Outside,
            "
socket.socket(socket.AF_UNIX).connect('SOCKET')
print('ESCAPED')",
        ),
        python(
            "connect to an abstract socket",
            Outside,
            "
socket.socket(socket.AF_UNIX).connect('\\0ABSTRACT')
print('ESCAPED')",
        ),
        shell(
            "have another interface than loopback",
            Outside,
            "grep -v -e lo: -e '|' /proc/net/dev | grep -q : && echo ESCAPED",
        ),
        shell(
            "have a way to the internet",
            Outside,
            "grep -q '[1-9A-F]' <(tail -n +2 /proc/net/route) && echo ESCAPED",
        ),
        family("ask the kernel about the network", "16, 3, 0", Outside),
        family("read packets", "17, 3, 0", Root),
        family("make packets", "2, 3, 1", Root),
        family("talk to the hypervisor", "40, 1, 0", Outside),
        family("use the ciphers of the kernel", "38, 5, 0", Outside),
        family("use a radio", "31, 3, 1", Outside),
        family("use a family nobody knows", "30, 2, 0", Outside),
    ]
}

fn family(name: &'static str, arguments: &str, control: crate::attempt::Control) -> Attempt {
    python(name, control, &format!("reached({}, {arguments})", libc::SYS_socket))
}
