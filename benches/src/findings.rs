//! What a metric gives: rows of the table, and pictures.

use crate::{plot::Plot, rounds::Measured};

#[derive(Default)]
pub struct Findings {
    pub rows: Vec<Measured>,
    pub plots: Vec<Plot>,
    /// What could not be measured, and why.
    pub not_run: Vec<(String, String)>,
}

impl From<Vec<Measured>> for Findings {
    fn from(rows: Vec<Measured>) -> Self {
        Self { rows, ..Self::default() }
    }
}

impl Findings {
    pub fn add(&mut self, other: impl Into<Self>) {
        let other = other.into();
        self.rows.extend(other.rows);
        self.plots.extend(other.plots);
        self.not_run.extend(other.not_run);
    }
}
