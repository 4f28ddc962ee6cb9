//! Chores of this repository, run as `cargo xtask <chore>`.

use anyhow::{Context, Result};
use std::{env, path::Path, process::ExitCode};

const USAGE: &str = "usage: cargo xtask tidy [--shrink] [DIRECTORY]
       cargo xtask weigh PROGRAM [MEGABYTES]

  tidy       check what the compiler does not: layers, rooms, sizes, names, leftovers, documents in step with the code
  --shrink   first take out of xtask/exceptions what breaks its rule no more
  weigh      say where the bytes of a program are that has its symbols; fail if it has more megabytes
";

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let here = || env::current_dir().context("the current directory cannot be read");
    match arguments.as_slice() {
        ["tidy"] => tidy(&here()?),
        ["tidy", "--shrink"] => shrink(&here()?),
        ["tidy", "--shrink", directory] => shrink(Path::new(directory)),
        ["tidy", directory] => tidy(Path::new(directory)),
        ["weigh", program] => weigh(Path::new(program), None),
        ["weigh", program, most] => weigh(Path::new(program), Some(most.parse().context("megabytes")?)),
        _ => {
            eprint!("{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}

fn shrink(root: &Path) -> Result<ExitCode> {
    let lines = xtask::tidy::shrink(root)?;
    println!("tidy: took {lines} lines out of the lists of exceptions");
    tidy(root)
}

fn tidy(root: &Path) -> Result<ExitCode> {
    let report = xtask::tidy::check(root)?;
    print!("{report}");
    Ok(if report.has_failures() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn weigh(program: &Path, most: Option<u64>) -> Result<ExitCode> {
    let weight = xtask::weigh::weigh(program)?;
    print!("{weight}");
    let Some(most) = most else { return Ok(ExitCode::SUCCESS) };
    if weight.bytes <= most.saturating_mul(1_000_000) {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("weigh: {} has more than {most} MB", program.display());
    Ok(ExitCode::FAILURE)
}
