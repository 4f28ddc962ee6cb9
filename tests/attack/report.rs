//! What was tried and what came of it, as a table.

use crate::stage::{Outcome, Profile};
use std::fmt::Write as _;

pub struct Line {
    pub row: u8,
    pub attack: &'static str,
    pub outcomes: Vec<(Profile, Outcome)>,
    pub control: String,
}

#[derive(Default)]
pub struct Report {
    pub lines: Vec<Line>,
    pub findings: Vec<String>,
}

impl Report {
    pub fn table(&self) -> String {
        let mut table =
            format!("{:>3}  {:<52} {:<8} {:<18} control\n", "row", "attack", "profile", "outcome");
        for line in &self.lines {
            for (place, (profile, outcome)) in line.outcomes.iter().enumerate() {
                let (row, name, control) = match place {
                    0 => (line.row.to_string(), line.attack, line.control.as_str()),
                    _ => (String::new(), "", ""),
                };
                writeln!(table, "{row:>3}  {name:<52} {profile:<8} {outcome:<18} {control}").unwrap();
            }
        }
        table
    }

    /// How often each thing came of an attack.
    pub fn sums(&self) -> String {
        let outcomes: Vec<&Outcome> =
            self.lines.iter().flat_map(|line| line.outcomes.iter().map(|(_, outcome)| outcome)).collect();
        let count = |wanted: &Outcome| outcomes.iter().filter(|outcome| **outcome == wanted).count();
        let done = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Done(_))).count();
        format!(
            "{} attacks: {} stopped without a person, {} waiting for one, {} refused by one, {} done as shown, {done} worked",
            self.lines.len(),
            count(&Outcome::Stopped),
            count(&Outcome::Waits),
            count(&Outcome::Refused),
            count(&Outcome::Shown),
        )
    }
}
