//! The rows and the pictures of P4 and P5.

use super::{chunks::Series, entrants};
use crate::{
    load::client::percentile,
    plot::{
        Plot,
        bars::{self, Group},
        lines::{self, Chart},
    },
    rounds::{Bound, Measured, median_micros},
};

fn row(what: String, values: Vec<f64>, floor: &[f64], must: Bound) -> Measured {
    let ratios = values.iter().zip(floor).map(|(value, floor)| value / floor).collect();
    Measured { what, unit: "µs", values, ratios, must, aim: Bound::None }
}

/// What is added to the time from the model itself.
fn added(values: &[f64], direct: &[f64]) -> Vec<f64> {
    values.iter().zip(direct).map(|(value, direct)| value - direct).collect()
}

/// What must be, and the aim.
fn bounds(series: &Series) -> (Bound, Bound) {
    match series.is_house {
        true => (Bound::AtMost(2.0), Bound::AtMost(1.5)),
        false => (Bound::None, Bound::None),
    }
}

/// The first entrant is the model itself, the second one the floor.
pub fn rows(series: &[Series], streams: usize) -> Vec<Measured> {
    let [direct, raw, others @ ..] = series else { return Vec::new() };
    let mut rows =
        vec![row(format!("P4 µs/piece, {streams}, {}", raw.name), raw.cpu.clone(), &[], Bound::None)];
    for other in others {
        let (must, aim) = bounds(other);
        let name = &other.name;
        let what = format!("P4 µs/piece, {streams}, {name}");
        rows.push(row(what, other.cpu.clone(), &raw.cpu, must).aiming(aim));
        if other.is_house {
            let what = format!("P4 with begin and end, {streams}, {name}");
            rows.push(row(what, other.whole.clone(), &raw.whole, Bound::None));
        }
    }
    rows.extend(compared("P4 µs/piece", streams, others, |one| one.cpu.clone()));
    rows.push(row(format!("P5 p50 from the model, {streams}"), direct.p50.clone(), &[], Bound::None));
    let floor = (added(&raw.p50, &direct.p50), added(&raw.p99, &direct.p99));
    rows.push(row(format!("P5 added p50, {streams}, {}", raw.name), floor.0.clone(), &[], Bound::None));
    rows.push(row(format!("P5 added p99, {streams}, {}", raw.name), floor.1.clone(), &[], Bound::None));
    for other in others {
        let (must, aim) = bounds(other);
        let (p50, p99) = (added(&other.p50, &direct.p50), added(&other.p99, &direct.p99));
        rows.push(row(format!("P5 added p50, {streams}, {}", other.name), p50, &floor.0, must).aiming(aim));
        rows.push(row(format!("P5 added p99, {streams}, {}", other.name), p99, &floor.1, Bound::None));
    }
    rows.extend(compared("P5 added p50", streams, others, |one| added(&one.p50, &direct.p50)));
    rows
}

fn compared(
    what: &str,
    streams: usize,
    others: &[Series],
    of: impl Fn(&Series) -> Vec<f64>,
) -> Vec<Measured> {
    let houses: Vec<_> =
        others.iter().filter(|one| one.is_house).map(|one| (one.name.clone(), of(one))).collect();
    entrants::against_first(&format!("{what}, {streams}"), &houses)
}

pub fn plots(taken: &[(usize, Vec<Series>)]) -> Vec<Plot> {
    let mut plots = Vec::new();
    let group = |(streams, series): &(usize, Vec<Series>)| Group {
        name: format!("{streams} streams"),
        bars: series.iter().skip(1).map(|one| (one.name.clone(), one.cpu.clone())).collect(),
    };
    let many: Vec<Group> = taken.iter().filter(|(streams, _)| *streams > 1).map(group).collect();
    if !many.is_empty() {
        let title = "P4: processor time of one piece, µs (median, range; dashed: the floor)";
        plots.push(bars::plot("cpu", title, &many));
    }
    if taken.len() > 1 {
        plots.push(scaling(taken));
    }
    plots.extend(taken.iter().map(|(streams, series)| lateness(*streams, series)));
    plots
}

fn scaling(taken: &[(usize, Vec<Series>)]) -> Plot {
    let names = taken.first().map(|(_, series)| series.as_slice()).unwrap_or_default().iter().skip(1);
    let line = |(place, one): (usize, &Series)| {
        let point = |(streams, series): &(usize, Vec<Series>)| {
            let values = series.get(place + 1).map(|one| one.cpu.clone()).unwrap_or_default();
            (*streams as f64, median_micros(values))
        };
        (one.name.clone(), taken.iter().map(point).collect())
    };
    lines::plot(&Chart {
        name: "scaling",
        title: "P4: processor time of one piece, µs, with more and more streams",
        across: "streams at once, 50 pieces a second each",
        logarithmic: false,
        lines: names.enumerate().map(line).collect(),
    })
}

fn lateness(streams: usize, series: &[Series]) -> Plot {
    let line = |one: &Series| {
        let mut sorted = one.late.clone();
        sorted.sort_unstable();
        let points = (0..=200).map(|step| f64::from(step) / 200.0);
        let points = points.map(|share| (percentile(&sorted, share.min(0.999)).max(1.0), share * 100.0));
        (one.name.clone(), points.collect())
    };
    let title = if streams == 1 {
        "P5: share of pieces that came within a time, %, one stream".to_owned()
    } else {
        format!("P5: share of pieces that came within a time, %, {streams} streams")
    };
    lines::plot(&Chart {
        name: &format!("latency-{streams}"),
        title: &title,
        across: "microseconds after the piece was due",
        logarithmic: true,
        lines: series.iter().map(line).collect(),
    })
}
