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
    /// On the same: what it is to become.
    pub aim: Bound,
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

    /// The same with an aim beyond what must be.
    pub fn aiming(self, aim: Bound) -> Self {
        Self { aim, ..self }
    }

    pub fn verdict(&self) -> &'static str {
        self.verdict_on(self.must)
    }

    /// A verdict only when all rounds are on one side.
    fn verdict_on(&self, bound: Bound) -> &'static str {
        let Some(spread) = spread(self.judged()) else { return "not run" };
        match bound {
            Bound::None => "reported",
            Bound::AtMost(most) if spread.max <= most => "met",
            Bound::AtMost(most) if spread.min > most => "MISSED",
            Bound::AtLeast(least) if spread.min >= least => "met",
            Bound::AtLeast(least) if spread.max < least => "MISSED",
            _ => "inconclusive",
        }
    }

    /// Both verdicts, with what they are on.
    fn verdicts(&self) -> String {
        let said = |word: &str, bound: Bound| match bound {
            Bound::None => None,
            Bound::AtMost(most) => Some(format!("{word} ≤ {most}: {}", self.verdict_on(bound))),
            Bound::AtLeast(least) => Some(format!("{word} ≥ {least}: {}", self.verdict_on(bound))),
        };
        let both: Vec<String> =
            [said("must", self.must), said("aim", self.aim)].into_iter().flatten().collect();
        if both.is_empty() { self.verdict().to_owned() } else { both.join(", ") }
    }

    pub fn json(&self) -> Value {
        json!({
            "what": self.what, "unit": self.unit, "values": self.values, "ratios": self.ratios,
            "must": format!("{:?}", self.must), "verdict": self.verdict(),
            "aim": format!("{:?}", self.aim), "aim_verdict": self.verdict_on(self.aim),
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
        let values = shown(spread(&self.values), self.unit);
        let ratios = shown(spread(&self.ratios), "×");
        write!(f, "{:<40} {values:>26} {ratios:>22}  {}", self.what, self.verdicts())
    }
}

/// The middle of some durations, in microseconds.
pub fn median_micros(mut micros: Vec<f64>) -> f64 {
    micros.sort_by(f64::total_cmp);
    micros.get(micros.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(values: [f64; 3], must: Bound, aim: Bound) -> Measured {
        Measured { what: "P0".to_owned(), unit: "", values: values.to_vec(), ratios: Vec::new(), must, aim }
    }

    #[test]
    fn what_must_be_and_what_is_aimed_at_are_judged_apart() {
        let both = |values| measured(values, Bound::AtMost(2.0), Bound::AtMost(1.5)).verdicts();
        assert_eq!(both([1.2, 1.4, 1.3]), "must ≤ 2: met, aim ≤ 1.5: met");
        assert_eq!(both([1.6, 1.7, 1.8]), "must ≤ 2: met, aim ≤ 1.5: MISSED");
        assert_eq!(both([1.4, 1.7, 2.1]), "must ≤ 2: inconclusive, aim ≤ 1.5: inconclusive");
        let aim = measured([600.0, 700.0, 800.0], Bound::None, Bound::AtLeast(500.0));
        assert_eq!((aim.verdict(), aim.verdicts().as_str()), ("reported", "aim ≥ 500: met"));
        assert_eq!(measured([1.0; 3], Bound::None, Bound::None).verdicts(), "reported");
        assert_eq!(aim.json()["aim_verdict"], "met");
    }
}
