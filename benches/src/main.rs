//! What the documents claim about speed, measured: every number is a ratio to a floor that was taken in the same run.
//!
//! `cargo run --release -p benches -- quick` runs P1 to P3, P7, P8, P13 and P14 in about two minutes and writes
//! `benches/out/results.json`. With `--features peers` the parsers of others are measured beside ours. `bench p4`, `p5`, `p9` and
//! `p10` look at a program that is served in a process of its own (`--program PATH`, several to compare them).

mod cage;
mod floor;
mod load;
mod mock;
mod one_session;
mod options;
mod parse;
mod rounds;
mod search;
mod served;
mod turns;
mod world;
mod writes;

use anyhow::{Context, Result};
use options::Options;
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
    match mode.as_str() {
        "counted" => return parse::instructions::run(&arguments),
        "floor" => return floor::run(&arguments),
        "session" => return one_session::run(&arguments),
        _ => {}
    }
    anyhow::ensure!(MODES.contains(&mode.as_str()), "unknown mode {mode:?}; there are: {}", MODES.join(", "));
    let options = Options::read(&arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut rows = runtime.block_on(served(&mode, &options))?;
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

const MODES: [&str; 13] =
    ["quick", "search", "parse", "cage", "p4", "p5", "p6", "p7", "p9", "p10", "p11", "p12", "turns"];

/// What is measured on a program in a process of its own.
async fn served(mode: &str, options: &Options) -> Result<Vec<Measured>> {
    match mode {
        "p4" => served::chunks::measure(options, &[100, 400]).await,
        "p5" => served::chunks::measure(options, &[1, 100]).await,
        "p6" => served::ramp::measure(options).await,
        "p7" => served::turns::measure(options).await,
        "p9" => served::fan_out::measure(options).await,
        "p10" => served::replay::measure(options).await,
        "p11" => {
            let mut rows = served::memory::measure(options).await?;
            rows.extend(served::memory::growth(options, 10_000).await?);
            Ok(rows)
        }
        "p12" => served::start::measure(options).await,
        _ => Ok(Vec::new()),
    }
}

fn print(rows: &[Measured]) {
    println!(
        "\n{:<40} {:>26} {:>22}  {:<14} verdict",
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
    let load = load::process::machine_load();
    println!("\n{cores} processors; {load} processes wanted to run in the last minute");
    let results =
        json!({ "cores": cores, "load": load, "rows": rows.iter().map(Measured::json).collect::<Vec<_>>() });
    std::fs::write(&file, serde_json::to_vec_pretty(&results)?).context("writing the results")?;
    println!("written to benches/out/results.json");
    Ok(())
}
