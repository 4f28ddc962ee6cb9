//! Chores of this repository, run as `cargo xtask <chore>`.

use anyhow::{Context, Result};
use std::{env, path::PathBuf, process::ExitCode};

const USAGE: &str = "usage: cargo xtask tidy [DIRECTORY]

  tidy   check what the compiler does not: layers, sizes, names, leftovers, documents in step with the code
";

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["tidy"] => tidy(env::current_dir().context("the current directory cannot be read")?),
        ["tidy", directory] => tidy(PathBuf::from(directory)),
        _ => {
            eprint!("{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}

fn tidy(root: PathBuf) -> Result<ExitCode> {
    let report = xtask::tidy::check(&root)?;
    print!("{report}");
    Ok(if report.has_failures() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
