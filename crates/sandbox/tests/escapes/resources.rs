//! Taking more than there is.

use crate::attempt::{Attempt, Control::Outside, python, shell};

pub fn attempts() -> Vec<Attempt> {
    [processes(), memory(), sockets(), files_and_time()].into_iter().flatten().collect()
}

fn processes() -> Vec<Attempt> {
    vec![
        python(
            "start 200 processes",
            Outside,
            "
children = []
try:
    for _ in range(200):
        child = os.fork()
        if child == 0:
            time.sleep(20)
            os._exit(0)
        children.append(child)
    print('ESCAPED')
finally:
    [os.kill(child, 9) for child in children]",
        ),
        python(
            "start 200 threads",
            Outside,
            "
import threading
stop = threading.Event()
try:
    for _ in range(200): threading.Thread(target=stop.wait).start()
    print('ESCAPED')
finally:
    stop.set()",
        ),
    ]
}

fn memory() -> Vec<Attempt> {
    vec![
        python(
            "take memory",
            Outside,
            "
x = b'x' * (300 << 20)
time.sleep(1)
print('ESCAPED')",
        ),
        python(
            "take memory that is shared",
            Outside,
            "
import mmap
m = mmap.mmap(-1, 300 << 20)
for at in range(0, 300 << 20, 4096): m[at] = 1
time.sleep(0.5)
print('ESCAPED')",
        ),
        python(
            "spread memory over processes",
            Outside,
            "
there, here = os.pipe()
children = []
for _ in range(5):
    child = os.fork()
    if child == 0:
        x = bytearray(60 << 20)
        os.write(here, b'x')
        time.sleep(30)
        os._exit(0)
    children.append(child)
# All of them at once, and long enough to be seen.
for _ in range(5): os.read(there, 1)
time.sleep(2)
[os.kill(child, 9) for child in children]
print('ESCAPED')",
        ),
        python(
            "take memory by reading it",
            Outside,
            "
import mmap
there, here = os.pipe()
children = []
for _ in range(12):
    child = os.fork()
    if child == 0:
        size = 12 << 30
        m = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
        if hasattr(mmap, 'MADV_NOHUGEPAGE'): m.madvise(mmap.MADV_NOHUGEPAGE)
        for at in range(0, size, 2 << 20): m[at]
        os.write(here, b'x')
        time.sleep(30)
        os._exit(0)
    children.append(child)
for _ in range(12): os.read(there, 1)
time.sleep(1)
[os.kill(child, 9) for child in children]
print('ESCAPED')",
        ),
    ]
}

/// What the kernel holds for sockets belongs to no process.
fn sockets() -> Vec<Attempt> {
    vec![
        python(
            "let sockets hold memory",
            Outside,
            &holding("pairs = [socket.socketpair() for _ in range(100)]"),
        ),
        python(
            "let large sockets hold memory",
            Outside,
            &holding(
                "
pairs = [socket.socketpair() for _ in range(8)]
for pair in pairs:
    for one in pair: one.setsockopt(1, socket.SO_SNDBUF, 8 << 20)",
            ),
        ),
        python(
            "let connections hold memory",
            Outside,
            &holding(
                "
server = socket.create_server(('127.0.0.1', 0))
pairs = []
for _ in range(8):
    client = socket.create_connection(server.getsockname())
    pairs.append((client, server.accept()[0]))",
            ),
        ),
        python(
            "let sockets on their way hold memory",
            Outside,
            &holding(
                "
import array
pairs = [socket.socketpair() for _ in range(100)]
kept = socket.socketpair()
def put_away():
    for pair in pairs:
        for one in pair:
            kept[0].sendmsg([b'x'], [(1, socket.SCM_RIGHTS, array.array('i', [one.fileno()]))])
            one.close()",
            ),
        ),
    ]
}

fn files_and_time() -> Vec<Attempt> {
    vec![
        shell(
            "write a large file",
            Outside,
            "head -c 80M /dev/zero > large && [ $(stat -c %s large) -gt 70000000 ] && echo ESCAPED",
        ),
        shell(
            "write many files",
            Outside,
            "for i in 1 2 3 4; do head -c 20M /dev/zero > f$i || exit 1; done; echo ESCAPED",
        ),
        shell(
            "fill shared memory",
            Outside,
            "trap 'rm -f /dev/shm/OWN-*' EXIT; for i in 1 2 3 4; do head -c 20M /dev/zero > /dev/shm/OWN-$i || exit 1; done; echo ESCAPED",
        ),
        python(
            "make files without number",
            Outside,
            "
for i in range(20000): open(str(i), 'w').close()
time.sleep(0.5)
print('ESCAPED')",
        ),
        python(
            "open files without number",
            Outside,
            "
files = [open('/dev/null') for _ in range(600)]
print('ESCAPED')",
        ),
        python(
            "compute without end",
            Outside,
            "
while time.process_time() < 2.5: pass
print('ESCAPED')",
        ),
        shell("wait without end", Outside, "sleep 9; echo ESCAPED"),
    ]
}

/// Fills the sockets that `pairs` makes in each of eight processes with what nobody reads, and has escaped when together they
/// hold more than the cage may.
fn holding(pairs: &str) -> String {
    let pairs = pairs.trim().replace('\n', "\n        ");
    format!(
        "
there, here = os.pipe()
children = []
for _ in range(8):
    child = os.fork()
    if child == 0:
        put_away = lambda: None
        {pairs}
        held = 0
        for pair in pairs:
            for one in pair:
                one.setblocking(False)
                try:
                    while True: held += one.send(bytes(65536))
                except BlockingIOError: pass
        put_away()
        os.write(here, held.to_bytes(8, 'big'))
        time.sleep(30)
        os._exit(0)
    children.append(child)
held = sum(int.from_bytes(os.read(there, 8), 'big') for _ in range(8))
time.sleep(1)
[os.kill(child, 9) for child in children]
if held > 150 << 20: print('ESCAPED', held)
else: print('held', held)"
    )
}
