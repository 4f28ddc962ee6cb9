//! The table in the terminal, `results.json` and the pictures under `benches/out`.

use crate::{findings::Findings, load::process::machine_load, rounds::Measured};
use anyhow::{Context, Result};
use serde_json::json;
use std::path::Path;

/// The machine, as it was while something was measured.
pub struct Machine {
    cores: usize,
    before: f64,
}

impl Machine {
    pub fn look() -> Self {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        Self { cores, before: machine_load() }
    }
}

pub fn print(findings: &Findings) {
    println!("\n{:<40} {:>26} {:>22}  {:<14} verdict", "what", "median (min–max)", "ratio to floor", "must");
    for row in &findings.rows {
        println!("{row}");
    }
    for (metric, reason) in &findings.not_run {
        println!("{metric:<40} not run: {reason}");
    }
}

pub fn save(mode: &str, machine: &Machine, findings: &Findings) -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("out");
    std::fs::create_dir_all(&folder)?;
    let Machine { cores, before } = machine;
    let after = machine_load();
    println!("\n{cores} processors; {before} processes wanted to run before, {after} now (mean of a minute)");
    let results = json!({
        "mode": mode, "cores": cores, "load": { "before": before, "after": after },
        "not_run": findings.not_run,
        "rows": findings.rows.iter().map(Measured::json).collect::<Vec<_>>(),
    });
    let file = folder.join("results.json");
    std::fs::write(&file, serde_json::to_vec_pretty(&results)?).context("writing the results")?;
    for plot in &findings.plots {
        std::fs::write(folder.join(format!("{}.svg", plot.name)), &plot.svg).context("writing a picture")?;
    }
    println!("written to benches/out: results.json and {} pictures", findings.plots.len());
    Ok(())
}
