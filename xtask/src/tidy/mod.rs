//! One module per kind of rule; each turns what it reads into findings.

mod documents;
mod layers;
mod names;
mod packages;
mod report;
mod sizes;
mod source;
mod spec;
mod traces;
mod tree;

pub use report::{Finding, Report, Severity};

use anyhow::Result;
use std::path::Path;

/// # Errors
/// When the tree or its cargo metadata cannot be read. A broken rule is a finding, not an error.
pub fn check(root: &Path) -> Result<Report> {
    let packages = packages::load(root)?;
    let files = tree::read(root)?;
    let mut report = Report::default();
    report.extend(layers::check(&packages));
    report.extend(names::check(&packages, &files));
    report.extend(sizes::check(&files));
    report.extend(traces::check(&files));
    report.extend(spec::check(&files));
    report.extend(documents::check(root, &packages, &files));
    report.sort();
    Ok(report)
}
