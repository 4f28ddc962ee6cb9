//! What the documents claim about speed, measured: every number is a ratio to a floor that was taken in the same run.
//!
//! `bench all` runs everything, `bench quick` what two minutes allow; both write `benches/out/results.json` and pictures, each part when
//! it is done. Each metric can be had alone, and two programs compared in alternating rounds: `bench p4 --program A --program B --rounds 3`. With
//! `--features peers` what others have is measured beside ours.

mod cage;
mod findings;
mod floor;
mod growth;
mod load;
mod mock;
mod modes;
mod one_session;
mod options;
mod parse;
mod plot;
mod report;
mod rounds;
mod search;
mod served;
mod turns;
mod world;
mod writes;

use anyhow::Result;
use options::Options;
use std::process::ExitCode;

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
    let options = Options::read(&arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let findings = runtime.block_on(modes::run(&mode, &options))?;
    report::print(&findings);
    let missed = findings.rows.iter().filter(|row| {
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
