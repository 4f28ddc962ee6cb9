//! The table in the terminal, `results.json` and the pictures under `benches/out`. Each part of a run is saved when it is done, beside
//! what others have measured.

use crate::{findings::Findings, load::process::machine_load, rounds::Measured};
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
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
    println!("\n{:<40} {:>26} {:>22}  verdict", "what", "median (min–max)", "ratio to floor");
    for row in &findings.rows {
        println!("{row}");
    }
    for (metric, reason) in &findings.not_run {
        println!("{metric:<40} not run: {reason}");
    }
}

/// Saves what a part of a run has found, in the place of what it found before.
pub fn save(part: &str, machine: &Machine, findings: &Findings) -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("out");
    std::fs::create_dir_all(&folder)?;
    let Machine { cores, before } = machine;
    let after = machine_load();
    println!("\n{cores} processors; {before} processes wanted to run before, {after} now (mean of a minute)");
    let found = json!({
        "cores": cores, "load": { "before": before, "after": after },
        "not_run": findings.not_run,
        "rows": findings.rows.iter().map(Measured::json).collect::<Vec<_>>(),
    });
    let file = folder.join("results.json");
    let results = with_part(std::fs::read(&file).ok().as_deref(), part, found);
    // A run that is broken off leaves the file as it was.
    let new = folder.join("results.json.new");
    std::fs::write(&new, serde_json::to_vec_pretty(&results)?).context("writing the results")?;
    std::fs::rename(&new, &file).context("writing the results")?;
    for plot in &findings.plots {
        std::fs::write(folder.join(format!("{}.svg", plot.name)), &plot.svg).context("writing a picture")?;
    }
    println!("{part}: written to benches/out: results.json and {} pictures", findings.plots.len());
    Ok(())
}

/// The results with those of one part. What is no results, or was written in an older form, is given up.
fn with_part(results: Option<&[u8]>, part: &str, found: Value) -> Value {
    let known: Option<Map<String, Value>> = results.and_then(|results| serde_json::from_slice(results).ok());
    let parts = known.filter(|parts| parts.values().all(|part| part.get("rows").is_some()));
    let mut parts = parts.unwrap_or_default();
    let is_empty = found["rows"].as_array().is_none_or(Vec::is_empty);
    match parts.get_mut(part).filter(|_| is_empty) {
        // What was not measured this time was measured before.
        Some(before) => before["not_run"] = found["not_run"].clone(),
        None => drop(parts.insert(part.to_owned(), found)),
    }
    Value::Object(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_takes_the_place_of_its_own_results_only() {
        let found = |value: u32| json!({ "rows": [{ "values": [value] }] });
        let write = |results: Option<&Value>, part, value| {
            let bytes = results.map(|results| serde_json::to_vec(results).unwrap());
            with_part(bytes.as_deref(), part, found(value))
        };
        let first = write(None, "p4", 1);
        let both = write(Some(&first), "p10", 2);
        assert_eq!(both, json!({ "p4": found(1), "p10": found(2) }));
        assert_eq!(write(Some(&both), "p4", 3), json!({ "p4": found(3), "p10": found(2) }));
        let not_run = json!({ "rows": [], "not_run": [["p4", "no model"]] });
        let kept = with_part(Some(&serde_json::to_vec(&both).unwrap()), "p4", not_run);
        assert_eq!(
            (&kept["p4"]["rows"], &kept["p4"]["not_run"][0][1]),
            (&both["p4"]["rows"], &json!("no model"))
        );
        let older = json!({ "mode": "all", "rows": [] });
        assert_eq!(write(Some(&older), "p4", 1), first);
    }
}
