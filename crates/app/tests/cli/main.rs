//! The built program, as a person at a terminal meets it. No network: the model is the demo, or a script on loopback.

#![cfg(test)]

mod chat;
mod cost;
mod doctor;
mod help;
mod people;
mod postgres;
mod restart;
mod schedules;
mod serve;
mod spawned;
mod terminal;
mod weight;

use std::process::Output;
use testkit::program::Program;

const BINARY: &str = env!("CARGO_BIN_EXE_majordomo");

/// A data directory that does not exist yet, and the program on it.
fn house() -> (tempfile::TempDir, Program) {
    let root = tempfile::tempdir().unwrap();
    let program = Program::new(BINARY, root.path().join("house"));
    (root, program)
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The command fails with this code, says all of this on stderr, and nothing on stdout.
#[track_caller]
fn refused(output: &Output, code: i32, parts: &[&str]) {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert_eq!(out(output), "");
    for part in parts {
        assert!(err(output).contains(part), "{part:?} is not in: {}", err(output));
    }
    assert!(!err(output).contains("panicked"), "{}", err(output));
}
