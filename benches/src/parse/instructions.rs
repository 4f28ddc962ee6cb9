//! Instructions per byte, counted by callgrind: the same on every machine of a kind, however busy it is.

use super::{
    peers::OURS,
    profiles::{self, ALL, Profile},
};
use anyhow::{Context, Result};
use std::{hint::black_box, process::Command};

/// What is counted: a reply of this kind and length, read in pieces of this size.
#[derive(Clone, Copy)]
pub struct Case {
    pub profile: Profile,
    pub bytes: usize,
    pub size: usize,
}

/// What the counted process does: makes the text, and reads it or not.
pub fn run(arguments: &[String]) -> Result<()> {
    let [profile, bytes, size, passes] = arguments else {
        anyhow::bail!("wanted: profile, bytes, piece size, passes")
    };
    let profile = ALL.into_iter().find(|one| format!("{one:?}") == *profile).context("no such profile")?;
    let text = profiles::reply(profile, bytes.parse()?);
    let pieces = profiles::pieces(&text, size.parse()?);
    for _ in 0..passes.parse::<usize>()? {
        black_box((OURS.read)(black_box(&pieces)));
    }
    Ok(())
}

/// Instructions for each byte of the reply.
pub fn per_byte(case: Case) -> Result<f64> {
    Ok(total(case)? / profiles::reply(case.profile, case.bytes).len() as f64)
}

/// Instructions for the whole reply, without those for making it.
pub fn total(case: Case) -> Result<f64> {
    Ok(count(case, 1)? - count(case, 0)?)
}

fn count(case: Case, passes: usize) -> Result<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .arg("counted")
        .args([
            format!("{:?}", case.profile),
            case.bytes.to_string(),
            case.size.to_string(),
            passes.to_string(),
        ])
        .output()
        .context("valgrind is not installed")?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    anyhow::ensure!(output.status.success(), "{text}");
    let line = text.lines().find_map(|line| line.split_once("Collected :"));
    line.and_then(|(_, number)| number.trim().parse().ok()).context("callgrind printed no count")
}
