//! What was found, in the form editors and people read: `file:line: what to do`.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Relative to the root of the repository.
    pub file: String,
    pub line: usize,
    pub message: String,
}

impl Finding {
    pub fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: error: {}", self.file, self.line, self.message)
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
        !self.findings.is_empty()
    }

    pub(super) fn extend(&mut self, findings: Vec<Finding>) {
        self.findings.extend(findings);
    }

    pub(super) fn sort(&mut self) {
        self.findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        writeln!(f, "tidy: {} errors", self.findings.len())
    }
}
