//! Which metrics there are, and which of them belong together.

use crate::{
    cage,
    findings::Findings,
    growth,
    options::Options,
    parse,
    report::{self, Machine},
    search, served, turns, writes,
};
use anyhow::Result;

/// A metric by its name on the command line.
const METRICS: [&str; 16] = [
    "p1",
    "p4",
    "p5",
    "p6",
    "p7",
    "statements",
    "p8",
    "p9",
    "p10",
    "p11",
    "p12",
    "p13",
    "p14",
    "p15",
    "growth",
    "overload",
];
/// What `make bench` runs; P4 and P5 are one measurement.
const ALL: [&str; 13] =
    ["p1", "p4 p5", "p6", "p7", "statements", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"];
/// What `make bench-quick` runs, with fewer and shorter rounds.
const QUICK: [&str; 9] = ["p1", "p4", "p7", "statements", "p8", "p9", "p10", "p12", "p14"];

pub async fn run(mode: &str, options: &Options) -> Result<Findings> {
    match mode {
        "all" => several("", ALL.into_iter().chain(["growth", "overload"]), options).await,
        "quick" => {
            let few = options.streams.clone().or(Some(vec![100]));
            let quick = Options { rounds: 2, seconds: 1.0, streams: None, ..options.clone() };
            let mut findings = Findings::default();
            for metric in QUICK {
                let streams = if matches!(metric, "p4" | "p9") { few.clone() } else { None };
                let options = Options { streams, ..quick.clone() };
                findings.add(several("quick ", [metric], &options).await?);
            }
            Ok(findings)
        }
        _ => {
            let machine = Machine::look();
            let findings = one(mode, options).await?;
            report::save(mode, &machine, &findings)?;
            Ok(findings)
        }
    }
}

/// One after the other; what cannot be measured is said, and the others are measured all the same. Each is saved when it is done.
async fn several(
    of: &str,
    metrics: impl IntoIterator<Item = &'static str>,
    options: &Options,
) -> Result<Findings> {
    let mut findings = Findings::default();
    for metric in metrics {
        let machine = Machine::look();
        let found = one(metric, options).await.unwrap_or_else(|reason| {
            println!("{metric}: not run: {reason:#}");
            let not_run = vec![(metric.to_owned(), format!("{reason:#}"))];
            Findings { not_run, ..Findings::default() }
        });
        report::save(&format!("{of}{metric}"), &machine, &found)?;
        findings.add(found);
    }
    Ok(findings)
}

async fn one(metric: &str, options: &Options) -> Result<Findings> {
    let rounds = options.rounds;
    Ok(match metric {
        "p1" | "p2" | "p3" | "parse" => parse::measure(rounds)?.into(),
        "p4" => served::chunks::measure(options, &[100, 400]).await?,
        "p5" => served::chunks::measure(options, &[1, 100]).await?,
        "p4 p5" => served::chunks::measure(options, &[1, 100, 400]).await?,
        "p6" => served::ramp::measure(options).await?.into(),
        "p7" => served::turns::measure(options).await?.into(),
        "statements" => turns::measure(rounds).await?.into(),
        "p8" => writes::measure(rounds).await?.into(),
        "p9" => served::fan_out::measure(options).await?,
        "p10" => served::replay::measure(options).await?.into(),
        "p11" => {
            let mut rows = served::memory::measure(options).await?;
            rows.extend(served::memory::growth(options, 10_000).await?);
            rows.into()
        }
        "memory" => served::memory::measure(options).await?.into(),
        "p12" => served::start::measure(options).await?.into(),
        "p13" | "search" => search::measure(rounds).await?.into(),
        "p14" | "cage" => cage::measure(rounds).await?.into(),
        "p15" | "nodes" => served::nodes::measure(options).await?,
        "growth" => growth::measure(options).await?.into(),
        "overload" => served::overload::measure(options).await?.into(),
        _ => anyhow::bail!("unknown mode {metric:?}; there are: all, quick, {}", METRICS.join(", ")),
    })
}
