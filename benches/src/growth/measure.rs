//! A small and a large house side by side.

use super::{
    asked::DEEDS,
    large::{self, LARGE, SMALL, Size},
};
use crate::{
    load::{
        house::House,
        mock::{Mock, Pace},
    },
    options::Options,
    rounds::{Bound, Measured},
};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What a large house may cost more than a small one.
const MUST: f64 = 1.5;

pub async fn measure(options: &Options) -> Result<Vec<Measured>> {
    println!(
        "growth: 10,000 sessions, 100 people, a million events, 100,000 messages in one session; against a small house"
    );
    let model = Mock::start()?;
    model.set_pace(Pace { pieces: 12, every: Duration::ZERO });
    let mut small = furnished(options, &model, SMALL).await?;
    let begun = Instant::now();
    let mut large = furnished(options, &model, LARGE).await?;
    println!("  the large house is furnished ({:.0} s)", begun.elapsed().as_secs_f64());
    let mut rows = vec![started(options, &mut small, &mut large).await?];
    for deed in DEEDS {
        let (mut values, mut ratios) = (Vec::new(), Vec::new());
        for round in 0..=options.rounds {
            // The order changes, so that none of them always comes first.
            let (little, much) = if round % 2 == 0 {
                let little = deed.cost(&mut small).await?;
                (little, deed.cost(&mut large).await?)
            } else {
                let much = deed.cost(&mut large).await?;
                (deed.cost(&mut small).await?, much)
            };
            if round > 0 {
                values.push(much.0);
                ratios.push(much.0 / little.0);
            }
            if round == options.rounds {
                println!("  {}: {:.1} ms and {:.1} ms of waiting", deed.name(), little.1 / 1e3, much.1 / 1e3);
            }
        }
        let what = format!("growth: CPU of {}", deed.name());
        rows.push(Measured {
            what, unit: "µs", values, ratios, must: Bound::AtMost(MUST), aim: Bound::None
        });
    }
    rows.push(remembered(&small, &large)?);
    rows.push(backed_up(&mut small, &mut large).await?);
    Ok(rows)
}

async fn furnished(options: &Options, model: &Mock, size: Size) -> Result<House> {
    let program = options.programs.first().context("there is no program")?;
    let mut house = House::open(program, &model.url(), None).await?;
    house.furnish(1).await?;
    let user = house.user().await?.parse()?;
    house.stop().await?;
    large::fill(&house, user, model.address, size).await?;
    house.start().await?;
    Ok(house)
}

async fn started(options: &Options, small: &mut House, large: &mut House) -> Result<Measured> {
    let (mut values, mut ratios) = (Vec::new(), Vec::new());
    for round in 0..=options.rounds {
        let mut taken = [0.0; 2];
        for (house, taken) in [&mut *small, &mut *large].into_iter().zip(&mut taken) {
            house.stop().await?;
            let begun = Instant::now();
            house.start().await?;
            anyhow::ensure!(house.client.get("/readyz").await?.status == 200, "not ready");
            *taken = begun.elapsed().as_secs_f64() * 1e3;
        }
        if round > 0 {
            values.push(taken[1]);
            ratios.push(taken[1] / taken[0]);
        }
    }
    let what = "growth: start".to_owned();
    Ok(Measured { what, unit: "ms", values, ratios, must: Bound::AtMost(MUST), aim: Bound::None })
}

/// Memory after the same deeds.
fn remembered(small: &House, large: &House) -> Result<Measured> {
    let (little, much) = (small.process.resident()?.own, large.process.resident()?.own);
    let what = "growth: memory".to_owned();
    let (values, ratios) = (vec![much / 1e6], vec![much / little]);
    Ok(Measured { what, unit: "MB", values, ratios, must: Bound::AtMost(MUST), aim: Bound::None })
}

/// A backup has to read everything: what counts is the work for each megabyte.
async fn backed_up(small: &mut House, large: &mut House) -> Result<Measured> {
    let mut taken = Vec::new();
    for house in [small, large] {
        // A very small file is mostly the work of beginning.
        let before = house.process.worked()?;
        let made = house.client.post("/v1/backups", &json!({})).await?;
        anyhow::ensure!(made.status == 201, "{}", made.body);
        let megabytes =
            made.body.get("bytes").and_then(Value::as_f64).context("a backup without a size")? / 1e6;
        taken.push(house.process.worked()?.micros_since(&before) / 1e3 / megabytes);
        println!("  a backup of {megabytes:.1} MB");
    }
    let (little, much) =
        (taken.first().copied().unwrap_or(f64::NAN), taken.last().copied().unwrap_or(f64::NAN));
    let what = "growth: CPU of a backup, each MB".to_owned();
    Ok(Measured {
        what,
        unit: "ms",
        values: vec![much],
        ratios: vec![much / little],
        must: Bound::AtMost(MUST),
        aim: Bound::None,
    })
}
