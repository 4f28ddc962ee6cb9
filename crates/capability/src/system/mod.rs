//! The processes that come with the program: Markdown files, one line each.
//!
//! A file `x.md` is the capability `_x`; one that begins with `_onstart_` keeps its name and is told at the beginning of
//! every session of the agents that list it. No agent has any of them unless it lists it.

use crate::{Capability, CapabilitySource, WrittenAbility, ability};
use std::sync::Arc;

const FILES: [(&str, &str); 4] = [
    ("_onstart_household", include_str!("_onstart_household.md")),
    ("decision", include_str!("decision.md")),
    ("handover", include_str!("handover.md")),
    ("weekly_review", include_str!("weekly_review.md")),
];

/// In the order in which they are listed. One that is written wrongly is not there; a test sees to it that none is.
pub fn all() -> Vec<Arc<dyn Capability>> {
    FILES.iter().filter_map(|(stem, text)| made(stem, text)).collect()
}

fn made(stem: &str, text: &str) -> Option<Arc<dyn Capability>> {
    let name = if stem.starts_with('_') { stem.to_owned() } else { format!("_{stem}") };
    let file = ability::read(&name, text).ok()?;
    let written = WrittenAbility::new(file.text, CapabilitySource::System).ok()?;
    Some(Arc::new(written))
}

#[cfg(test)]
#[path = "system_tests.rs"]
mod tests;
