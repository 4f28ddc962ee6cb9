//! What the documents claim about speed, measured: every number is a ratio to a floor that was taken in the same run.
//!
//! `cargo run --release -p benches -- quick` runs P1 to P3, P7, P8, P13 and P14 in about two minutes and writes
//! `benches/out/results.json`. With `--features peers` the parsers of others are measured beside ours.

mod cage;
mod floor;
mod mock;
mod one_session;
mod parse;
mod rounds;
mod search;
mod turns;
mod world;
mod writes;

use anyhow::{Context, Result};
use rounds::Measured;
use serde_json::json;
use std::{path::Path, process::ExitCode};

fn main() -> Result<ExitCode> {
    // The program that is started inside of a cage is this one.
    if let Some(code) = sandbox::process::inside() {
        return Ok(code);
    }
    measured().map(|()| ExitCode::SUCCESS)
}

fn measured() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let mode = std::env::args().nth(1).unwrap_or_else(|| "quick".to_owned());
    if mode == "counted" {
        return parse::instructions::run(&arguments);
    }
    anyhow::ensure!(
        matches!(mode.as_str(), "quick" | "search" | "parse" | "cage" | "turns"),
        "unknown mode {mode:?}; there are: quick, search, parse, cage, turns"
    );
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if mode == "turns" {
        return runtime.block_on(one_session::run(&arguments));
    }
    let mut rows = Vec::new();
    if mode == "quick" {
        rows.extend(runtime.block_on(turns::measure())?);
        rows.extend(runtime.block_on(writes::measure())?);
    }
    if matches!(mode.as_str(), "quick" | "cage") {
        rows.extend(runtime.block_on(cage::measure())?);
    }
    if matches!(mode.as_str(), "quick" | "search") {
        rows.extend(runtime.block_on(search::measure())?);
    }
    if matches!(mode.as_str(), "quick" | "parse") {
        rows.extend(parse::measure()?);
    }
    print(&rows);
    save(&rows)?;
    let missed = rows.iter().filter(|row| {
        parse::GATES.iter().any(|gate| row.what.starts_with(gate)) && row.verdict() == "MISSED"
    });
    let missed: Vec<&str> = missed.map(|row| row.what.as_str()).collect();
    anyhow::ensure!(
        missed.is_empty(),
        "a count that does not depend on the machine is too high: {}",
        missed.join(", ")
    );
    Ok(())
}

fn print(rows: &[Measured]) {
    println!(
        "\n{:<34} {:>26} {:>26}  {:<14} verdict",
        "what", "ours, median (min–max)", "ratio to floor", "must"
    );
    for row in rows {
        println!("{row}");
    }
}

fn save(rows: &[Measured]) -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("out");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("results.json");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let results = json!({ "cores": cores, "rows": rows.iter().map(Measured::json).collect::<Vec<_>>() });
    std::fs::write(&file, serde_json::to_vec_pretty(&results)?).context("writing the results")?;
    println!("\nwritten to benches/out/results.json");
    Ok(())
}
