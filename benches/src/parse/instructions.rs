//! Instructions per byte, counted by callgrind: the same on every machine of a kind, however busy it is.

use super::{
    peers::OURS,
    profiles::{self, Profile},
};
use anyhow::{Context, Result};
use std::{hint::black_box, process::Command};

const BYTES: usize = 1 << 20;

/// What the counted process does: makes the text, and reads it or not.
pub fn run(arguments: &[String]) -> Result<()> {
    let [size, passes] = arguments else { anyhow::bail!("wanted: piece size and passes") };
    let text = profiles::reply(Profile::Mixed, BYTES);
    let pieces = profiles::pieces(&text, size.parse()?);
    for _ in 0..passes.parse::<usize>()? {
        black_box((OURS.read)(black_box(&pieces)));
    }
    Ok(())
}

/// Instructions for each byte of the mixed reply in pieces of this size.
pub fn per_byte(size: usize) -> Result<f64> {
    let text = profiles::reply(Profile::Mixed, BYTES);
    Ok((count(size, 1)? - count(size, 0)?) / text.len() as f64)
}

fn count(size: usize, passes: usize) -> Result<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["counted", &size.to_string(), &passes.to_string()])
        .output()
        .context("valgrind is not installed")?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    anyhow::ensure!(output.status.success(), "{text}");
    let line = text.lines().find_map(|line| line.split_once("Collected :"));
    line.and_then(|(_, number)| number.trim().parse().ok()).context("callgrind printed no count")
}
