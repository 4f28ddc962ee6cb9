//! How many tokens a text takes: an estimate, corrected by what the provider of the model has counted.
//!
//! Invariant: the correction is bounded, and a count that cannot be true changes nothing. A provider that counts wrong can
//! make prompts a little too short or too long, never empty or endless.

use crate::vendors::price;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// As it was estimated.
const EVEN: u64 = 1_000;
const LOWEST: u64 = 600;
const HIGHEST: u64 = 2_500;
/// Of short prompts most is what the wire adds; they say nothing about words.
const LEAST_TOLD: u64 = 500;
/// A count that is this many times off is none: some servers report the new part only, or nothing.
const MOST_OFF: u64 = 4;
/// Models are named by people too: what is remembered has an end.
const MOST_MODELS: usize = 1_000;

/// Of one model. In thousandths.
#[derive(Debug)]
pub(crate) struct Gauge(AtomicU64);

impl Default for Gauge {
    fn default() -> Self {
        Self(AtomicU64::new(EVEN))
    }
}

impl Gauge {
    pub(crate) fn count(&self, text: &str) -> u64 {
        self.scaled(price::estimate(text))
    }

    fn scaled(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(self.0.load(Ordering::Relaxed)).div_ceil(EVEN)
    }

    /// A prompt that was taken for `expected` tokens had `counted`. Too few is made good at once, because a prompt that does
    /// not fit fails; too many slowly.
    pub(crate) fn learn(&self, expected: u64, counted: u64) {
        let plausible = expected >= LEAST_TOLD
            && counted <= expected.saturating_mul(MOST_OFF)
            && expected <= counted.saturating_mul(MOST_OFF);
        if !plausible {
            return;
        }
        let old = self.0.load(Ordering::Relaxed);
        let right = old.saturating_mul(counted) / expected;
        let new = if right > old { right } else { (old.saturating_mul(7).saturating_add(right)) / 8 };
        self.0.store(new.clamp(LOWEST, HIGHEST), Ordering::Relaxed);
    }
}

/// Of all models that were asked since the start.
#[derive(Debug, Default)]
pub(crate) struct Gauges(Mutex<HashMap<String, Arc<Gauge>>>);

impl Gauges {
    pub(crate) fn of(&self, model: &str) -> Arc<Gauge> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gauge) = known.get(model) {
            return Arc::clone(gauge);
        }
        let gauge = Arc::<Gauge>::default();
        if known.len() < MOST_MODELS {
            known.insert(model.to_owned(), Arc::clone(&gauge));
        }
        gauge
    }
}

#[cfg(test)]
#[path = "token_estimate_tests.rs"]
mod tests;
