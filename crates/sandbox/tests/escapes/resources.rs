//! Taking more than there is.

use crate::attempt::{Attempt, Control::Outside, python, shell};

pub fn attempts() -> Vec<Attempt> {
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
        python(
            "take memory",
            Outside,
            "
x = bytearray(300 << 20)
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
