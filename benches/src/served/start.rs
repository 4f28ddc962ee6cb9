//! P12: from the start of the process to its first answer, in a house of a thousand sessions; and how large the program is.

use super::entrants;
use crate::{
    floor::{Floor, Running},
    load::{house::House, mock::Mock},
    options::Options,
    rounds::{Bound, Measured},
};
use anyhow::Result;
use std::time::Instant;

const SESSIONS: usize = 1_000;

pub async fn measure(options: &Options) -> Result<Vec<Measured>> {
    println!("P12: a start with {SESSIONS} sessions; the floor is a start of the raw proxy");
    entrants::introduce(options);
    let model = Mock::start()?;
    let mut rows = Vec::new();
    let mut houses = Vec::new();
    for (place, program) in options.programs.iter().enumerate() {
        let name = entrants::program_name(options, place);
        let megabytes = std::fs::metadata(program)?.len() as f64 / 1e6;
        rows.push(Measured {
            what: format!("P12 size of the program, {name}"),
            unit: "MB",
            values: vec![megabytes],
            ratios: Vec::new(),
            must: Bound::AtMost(40.0),
            aim: Bound::AtMost(20.0),
        });
        let mut house = House::open(program, &model.url(), None).await?;
        house.furnish(SESSIONS).await?;
        houses.push((name, house, Vec::new()));
    }
    let mut floors = Vec::new();
    for round in 0..=options.rounds {
        let begun = Instant::now();
        drop(Running::start(Floor::Raw, &model.url())?);
        let floor = begun.elapsed().as_secs_f64() * 1e3;
        for (_, house, values) in &mut houses {
            let value = started(house).await?;
            if round > 0 {
                values.push(value);
            }
        }
        if round > 0 {
            floors.push(floor);
        }
    }
    let row =
        |what, values, ratios, must| Measured { what, unit: "ms", values, ratios, must, aim: Bound::None };
    for (name, _, values) in houses {
        let ratios = values.iter().zip(&floors).map(|(value, floor)| value / floor).collect();
        let start = row(format!("P12 start, {name}"), values.clone(), Vec::new(), Bound::AtMost(60.0));
        rows.push(start.aiming(Bound::AtMost(15.0)));
        rows.push(row(format!("P12 start to that of the floor, {name}"), values, ratios, Bound::None));
    }
    rows.push(row("P12 start, raw proxy".to_owned(), floors, Vec::new(), Bound::None));
    Ok(rows)
}

/// Milliseconds from the start of the process to its first answer.
async fn started(house: &mut House) -> Result<f64> {
    house.stop().await?;
    let begun = Instant::now();
    house.start().await?;
    let answer = house.client.get("/readyz").await?;
    let taken = begun.elapsed().as_secs_f64() * 1e3;
    anyhow::ensure!(answer.status == 200, "not ready: {}", answer.body);
    Ok(taken)
}
