//! How long a program waits for its cage: from asking to everything being dead and looked at.

use crate::rounds::{Bound, Measured};
use anyhow::Result;
use sandbox::process::{Cage, File, Program, Spec};
use std::{process::Command, time::Instant};

const RUNS: u32 = 20;
const PROGRAM: &str = "/bin/true";

pub async fn measure(rounds: usize) -> Result<Vec<Measured>> {
    println!("P14: a cage around {PROGRAM}; the floor starts it bare and waits for it");
    let cage = match Cage::open(Program::Own) {
        Ok(cage) => cage,
        Err(report) => {
            println!("P14 is not run: {report}");
            return Ok(Vec::new());
        }
    };
    let (mut values, mut filled, mut floors) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let (ours, with_files, least) = (caged(&cage, 0).await?, caged(&cage, 100).await?, bare()?);
        if round > 0 {
            values.push(ours);
            filled.push(with_files);
            floors.push(least);
        }
    }
    let over = |values: &[f64]| values.iter().zip(&floors).map(|(value, floor)| value / floor).collect();
    let row = |what: &str, values: Vec<f64>, ratios, must| Measured {
        what: what.to_owned(),
        unit: "ms",
        values,
        ratios,
        must,
        aim: Bound::None,
    };
    let ratios = (over(&values), over(&filled));
    Ok(vec![
        row("P14 a cage, at most 30 ms", values.clone(), Vec::new(), Bound::AtMost(30.0)),
        row("P14 a cage", values, ratios.0, Bound::None),
        row("P14 a cage with 100 files", filled, ratios.1, Bound::None),
        row("P14 floor, fork and exec", floors, Vec::new(), Bound::None),
    ])
}

async fn caged(cage: &Cage, files: usize) -> Result<f64> {
    let file = |number| File { path: format!("folder/{number}"), bytes: vec![7; 1_024] };
    let begun = Instant::now();
    for _ in 0..RUNS {
        let spec = Spec { files: (0..files).map(file).collect(), ..Spec::new([PROGRAM]) };
        cage.start(spec, None)?.wait().await?;
    }
    Ok(begun.elapsed().as_secs_f64() * 1_000.0 / f64::from(RUNS))
}

fn bare() -> Result<f64> {
    let begun = Instant::now();
    for _ in 0..RUNS {
        Command::new(PROGRAM).status()?;
    }
    Ok(begun.elapsed().as_secs_f64() * 1_000.0 / f64::from(RUNS))
}
