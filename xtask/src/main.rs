//! Chores of this repository, run as `cargo xtask <chore>`.

use anyhow::{Context, Result};
use std::{env, path::Path, process::ExitCode};

const USAGE: &str = "usage: cargo xtask tidy [--shrink] [DIRECTORY]

  tidy       check what the compiler does not: layers, rooms, sizes, names, leftovers, documents in step with the code
  --shrink   first take out of xtask/exceptions what breaks its rule no more
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
