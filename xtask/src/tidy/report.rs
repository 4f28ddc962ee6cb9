//! What was found, in the form editors and people read: `file:line: what to do`.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Failure,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    /// Relative to the root of the repository.
    pub file: String,
    pub line: usize,
    pub message: String,
}

impl Finding {
    pub fn failure(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { severity: Severity::Failure, file: file.to_owned(), line, message: message.into() }
    }

    pub fn warning(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::failure(file, line, message) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Failure => "error",
        };
        write!(f, "{}:{}: {severity}: {}", self.file, self.line, self.message)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Report {
    findings: Vec<Finding>,
}

impl Report {
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    pub fn has_failures(&self) -> bool {
        self.count(Severity::Failure) > 0
    }

    pub(super) fn extend(&mut self, findings: Vec<Finding>) {
        self.findings.extend(findings);
    }

    /// Warnings first: what must be done stands at the end, where the terminal shows it.
    pub(super) fn sort(&mut self) {
        self.findings.sort_by(|a, b| (a.severity, &a.file, a.line).cmp(&(b.severity, &b.file, b.line)));
    }

    fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        let (failures, warnings) = (self.count(Severity::Failure), self.count(Severity::Warning));
        writeln!(f, "tidy: {failures} errors, {warnings} warnings")
    }
}
