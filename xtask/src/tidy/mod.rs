//! One module per kind of rule; each turns what it reads into findings.

mod comments;
mod documents;
mod exceptions;
mod layers;
mod migrations;
mod names;
mod packages;
mod report;
mod rooms;
mod sizes;
mod source;
mod spec;
mod traces;
mod tree;
mod type_names;
mod widths;
mod words;

pub use report::{Finding, Report};

use anyhow::{Context, Result};
use std::{collections::BTreeSet, fs, path::Path};

/// # Errors
/// When the tree or its cargo metadata cannot be read. A broken rule is a finding, not an error.
pub fn check(root: &Path) -> Result<Report> {
    let packages = packages::load(root)?;
    let files = tree::read(root)?;
    let mut report = Report::default();
    report.extend(layers::check(&packages));
    report.extend(names::check(&packages, &files));
    report.extend(rooms::check(&files));
    report.extend(sizes::check(&files));
    report.extend(widths::check(&files));
    report.extend(migrations::check(&files));
    report.extend(type_names::check(&files));
    report.extend(comments::check(&files));
    report.extend(words::check(&files));
    report.extend(traces::check(&files));
    report.extend(spec::check(&files));
    report.extend(documents::check(root, &packages, &files));
    report.sort();
    Ok(report)
}

/// Takes out of the lists of exceptions what breaks its rule no more; how many lines that were.
///
/// # Errors
/// When the tree cannot be read, or a list cannot be written.
pub fn shrink(root: &Path) -> Result<usize> {
    let report = check(root)?;
    let over = report.findings().iter().filter(|finding| finding.file.starts_with(exceptions::FOLDER));
    let over: BTreeSet<(&str, usize)> = over.map(|finding| (finding.file.as_str(), finding.line)).collect();
    let lists: BTreeSet<&str> = over.iter().map(|(list, _)| *list).collect();
    for list in lists {
        let path = root.join(list);
        let text = fs::read_to_string(&path).with_context(|| format!("{list} cannot be read"))?;
        let kept = text.lines().zip(1..).filter(|(_, number)| !over.contains(&(list, *number)));
        let kept: String = kept.map(|(line, _)| format!("{line}\n")).collect();
        fs::write(&path, kept).with_context(|| format!("{list} cannot be written"))?;
    }
    Ok(over.len())
}
