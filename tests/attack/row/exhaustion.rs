//! Row 6: taking so much that nothing is left for others. Outside, each of these takes what it says, and no more: this
//! machine has to go on.

use super::{
    Control::Unhindered,
    attacks,
    shell::{caged, outside},
};
use crate::stage::{Outcome, Stage, WANTED};
use serde_json::json;
use testkit::model::Reply;

attacks! {
    6 "shell: multiply until nobody else can" Unhindered => multiplying;
    6 "shell: fill the disk and the memory" Unhindered => filling;
}

/// Each process makes two more, which stay until the first one ends: 254 at the same time.
const BOMB: &str = "python3 - <<'END'
import os, sys
ready, tell = os.pipe()
hold, release = os.pipe()
def spawn(depth):
    try:
        if os.fork() == 0: live(depth)
    except OSError:
        os.write(tell, b'!')
def live(depth):
    try: os.close(release)
    except OSError: pass
    os.write(tell, b'x')
    for _ in range(2 if depth else 0): spawn(depth - 1)
    os.read(hold, 1)
    os._exit(0)
for _ in range(2): spawn(6)
for _ in range(254):
    if os.read(ready, 1) == b'!': sys.exit(3)
print('ESCAPED')
END";

/// Whether anybody runs who was told this word.
fn is_running(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).contains(word))
}

async fn multiplying(stage: &Stage<'_>) -> Outcome {
    if stage.control {
        return outside(stage, &[BOMB]).await;
    }
    let counted = caged(stage, &[BOMB]).await;
    let word = format!("bomb-{}-{}", std::process::id(), stage.mark());
    let command = format!("bomb() {{ bomb | bomb & }}; bomb; sleep 86400 # {word} {WANTED}");
    let told = stage
        .attack(json!({ "capabilities": ["sandbox"] }), move |moment| match moment.step {
            0 => Reply::calls([("bash", json!({ "command": command, "timeout": 2 }))]),
            _ => Reply::text("Done."),
        })
        .await;
    match (counted, is_running(&word)) {
        (_, true) => Outcome::Done("somebody is left of it".to_owned()),
        (Outcome::Stopped, false) => stage.held(&told),
        (other, false) => other,
    }
}

async fn filling(stage: &Stage<'_>) -> Outcome {
    let codes = [
        "head -c 200M /dev/zero > filler && echo ESCAPED; rm -f filler; true",
        "head -c 200M /dev/zero > /tmp/filler-$$ && echo ESCAPED; rm -f /tmp/filler-$$; true",
        "head -c 200M /dev/zero > /dev/shm/filler-$$ && echo ESCAPED; rm -f /dev/shm/filler-$$; true",
        "python3 -c \"x = bytearray(700 << 20); print('ESCAPED')\"",
    ];
    caged(stage, &codes).await
}
