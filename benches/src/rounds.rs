//! Rounds, medians and verdicts.

use serde_json::{Value, json};
use std::fmt;

/// Measured rounds; one more is run first and dropped.
pub const ROUNDS: usize = 5;

/// Which way is good.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    AtMost(f64),
    AtLeast(f64),
    /// Only reported.
    None,
}

/// One row of the table: a value per round, and its ratio to the floor of the same round.
pub struct Measured {
    pub what: String,
    pub unit: &'static str,
    pub values: Vec<f64>,
    pub ratios: Vec<f64>,
    /// On the ratio, or on the value where there is no floor.
    pub must: Bound,
}

struct Spread {
    median: f64,
    min: f64,
    max: f64,
}

fn spread(values: &[f64]) -> Option<Spread> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (min, max) = (*sorted.first()?, *sorted.last()?);
    Some(Spread { median: *sorted.get(sorted.len() / 2)?, min, max })
}

impl Measured {
    fn judged(&self) -> &[f64] {
        if self.ratios.is_empty() { &self.values } else { &self.ratios }
    }

    /// A verdict only when all rounds are on one side.
    pub fn verdict(&self) -> &'static str {
        let Some(spread) = spread(self.judged()) else { return "not run" };
        match self.must {
            Bound::None => "reported",
            Bound::AtMost(most) if spread.max <= most => "met",
            Bound::AtMost(most) if spread.min > most => "MISSED",
            Bound::AtLeast(least) if spread.min >= least => "met",
            Bound::AtLeast(least) if spread.max < least => "MISSED",
            _ => "inconclusive",
        }
    }

    pub fn json(&self) -> Value {
        json!({
            "what": self.what, "unit": self.unit, "values": self.values, "ratios": self.ratios,
            "must": format!("{:?}", self.must), "verdict": self.verdict(),
        })
    }
}

fn shown(spread: Option<Spread>, unit: &str) -> String {
    let short = |value: f64| match value.abs() {
        10_000.0.. => format!("{:.0}", (value / 10.0).round() * 10.0),
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    spread.map_or_else(String::new, |s| {
        format!("{} ({}–{}) {unit}", short(s.median), short(s.min), short(s.max))
    })
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let must = match self.must {
            Bound::AtMost(most) => format!("≤ {most}"),
            Bound::AtLeast(least) => format!("≥ {least}"),
            Bound::None => String::new(),
        };
        let values = shown(spread(&self.values), self.unit);
        let ratios = shown(spread(&self.ratios), "×");
        write!(f, "{:<40} {values:>26} {ratios:>22}  {must:<14} {}", self.what, self.verdict())
    }
}

/// The middle of some durations, in microseconds.
pub fn median_micros(mut micros: Vec<f64>) -> f64 {
    micros.sort_by(f64::total_cmp);
    micros.get(micros.len() / 2).copied().unwrap_or(f64::NAN)
}
