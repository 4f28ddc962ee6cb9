//! One attempt, in a cage and outside of it.

use crate::world::{World, cage, is_root};
use sandbox::process::{Change, ProcessOutcome, Spec};
use std::{
    fmt,
    path::Path,
    process::{Output, Stdio},
    time::Duration,
};
use tokio::{
    process::Command,
    time::{sleep, timeout},
};

/// What a program says when it got what it wanted.
const WORD: &str = "ESCAPED";
/// How long a control may take. One of them computes for seconds, of which a machine with much to do gives it few in a minute.
const PATIENCE: Duration = Duration::from_secs(120);

/// Calls of the kernel by number. `reached` means that the kernel looked at the arguments, which in some cases are bad
/// on purpose: outside, as root, the call itself would do harm.
const PRELUDE: &str = "
import ctypes, os, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    arguments = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return libc.syscall(ctypes.c_long(number), *arguments), ctypes.get_errno()
def reached(number, *arguments):
    result, error = call(number, *arguments)
    if result >= 0 or error not in (1, 38):
        print('ESCAPED', result, error)
";

#[derive(Clone, Copy)]
pub enum How {
    Shell,
    Python,
}

/// Where it is shown that the attempt works.
#[derive(Clone, Copy)]
pub enum Control {
    /// Outside, for anybody.
    Outside,
    /// Outside, for root.
    Root,
}

/// How it is known that it worked.
#[derive(Clone, Copy)]
pub enum Sign {
    /// The program says so.
    Word,
    /// This file comes back with the secret in it.
    Brings(&'static str),
    /// A process with these words outlives the run.
    Survives(&'static str),
}

pub struct Attempt {
    pub name: &'static str,
    pub how: How,
    pub code: String,
    pub control: Control,
    pub sign: Sign,
}

pub enum Shown {
    Yes,
    NeedsRoot,
    No(String),
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "works outside",
            Self::NeedsRoot => "not tried (needs root)",
            Self::No(_) => "DOES NOT WORK",
        })
    }
}

pub fn shell(name: &'static str, control: Control, code: &str) -> Attempt {
    Attempt { name, how: How::Shell, code: code.to_owned(), control, sign: Sign::Word }
}

pub fn python(name: &'static str, control: Control, code: &str) -> Attempt {
    Attempt { name, how: How::Python, code: code.to_owned(), control, sign: Sign::Word }
}

impl Attempt {
    pub fn showing(self, sign: Sign) -> Self {
        Self { sign, ..self }
    }

    fn command(&self, world: &World) -> Vec<String> {
        let code = world.fill(&self.code);
        match self.how {
            How::Shell => vec!["/bin/bash".to_owned(), "-c".to_owned(), code],
            How::Python => vec!["/usr/bin/python3".to_owned(), "-c".to_owned(), format!("{PRELUDE}{code}")],
        }
    }

    /// How it got out, if it did.
    pub async fn in_a_cage(&self, world: &World) -> Option<String> {
        let mut spec = Spec::new(self.command(world));
        spec.limits = world.limits();
        let outcome = cage().start(spec, None).unwrap().wait().await.unwrap();
        let text = outcome.output.text() + &outcome.errors.text();
        // Whoever is asked about everybody's language says that it was not found: then nothing was tried.
        assert!(
            !text.contains("command not found") && !text.contains("SyntaxError"),
            "{}: {text}",
            self.name
        );
        let escaped = match self.sign {
            Sign::Word => text.contains(WORD),
            Sign::Brings(name) => brings(&outcome, name),
            Sign::Survives(words) => world.end(words) > 0,
        };
        escaped.then_some(text)
    }

    pub async fn outside(&self, world: &World) -> Shown {
        if matches!(self.control, Control::Root) && !is_root() {
            testkit::left_out(&format!("the control of an escape ({}): it needs root", self.name));
            return Shown::NeedsRoot;
        }
        let folder = tempfile::tempdir().unwrap();
        let command = self.command(world);
        let mut command_line = Command::new(&command[0]);
        command_line.args(&command[1..]).current_dir(folder.path()).stdin(Stdio::null()).kill_on_drop(true);
        // A process that is left behind keeps no pipe open that we would wait for.
        let ran = timeout(PATIENCE, command_line.output()).await;
        let text = match ran {
            Ok(Ok(Output { stdout, stderr, .. })) => {
                format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr))
            }
            _ => "it did not end".to_owned(),
        };
        let worked = match self.sign {
            Sign::Word => text.contains(WORD),
            Sign::Brings(name) => careless(&folder.path().join(name)),
            Sign::Survives(words) => begins(world, words).await,
        };
        if worked { Shown::Yes } else { Shown::No(text) }
    }
}

/// What is left behind may not have begun yet when the one who left it is gone.
async fn begins(world: &World, words: &str) -> bool {
    for _ in 0..200 {
        if world.end(words) > 0 {
            return true;
        }
        sleep(Duration::from_millis(50)).await;
    }
    false
}

fn brings(outcome: &ProcessOutcome, name: &str) -> bool {
    outcome.changes.iter().any(|change| matches!(change, Change::Written { path, .. } if path == name))
}

/// Somebody who reads a folder without looking at what is in it.
fn careless(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.contains(crate::world::SECRET))
}
