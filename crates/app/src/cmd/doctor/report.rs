//! What was found, line by line.

use crate::{
    error::Error,
    terminal::{Look, neutral, sentence},
};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Good,
    /// Works, but not as one would wish.
    Notable,
    Bad,
}

#[derive(Clone, Debug)]
struct Finding {
    section: &'static str,
    mark: Mark,
    text: String,
    remedy: String,
}

#[derive(Clone, Debug, Default)]
pub struct Report {
    section: &'static str,
    findings: Vec<Finding>,
    unchecked: Vec<String>,
}

impl Report {
    pub fn section(&mut self, name: &'static str) {
        self.section = name;
    }

    pub fn good(&mut self, text: impl Into<String>) {
        self.add(Mark::Good, text, "");
    }

    pub fn notable(&mut self, text: impl Into<String>, remedy: impl Into<String>) {
        self.add(Mark::Notable, text, remedy);
    }

    pub fn bad(&mut self, text: impl Into<String>, remedy: impl Into<String>) {
        self.add(Mark::Bad, text, remedy);
    }

    /// An error as it is shown elsewhere, with its advice.
    pub fn failure(&mut self, error: &Error) {
        self.bad(sentence(&error.to_string()), error.advice().unwrap_or_default());
    }

    /// What was not checked, so that a reader does not take this report's silence about it for a check.
    pub fn unchecked(&mut self, what: impl Into<String>) {
        self.unchecked.push(what.into());
    }

    fn add(&mut self, mark: Mark, text: impl Into<String>, remedy: impl Into<String>) {
        self.findings.push(Finding { section: self.section, mark, text: text.into(), remedy: remedy.into() });
    }

    pub fn is_healthy(&self) -> bool {
        self.findings.iter().all(|finding| finding.mark != Mark::Bad)
    }

    pub fn to_text(&self, look: Look) -> String {
        let mut text = String::new();
        let mut section = "";
        for finding in &self.findings {
            if section != finding.section {
                section = finding.section;
                text.push_str(&format!("{}\n", look.bold(section)));
            }
            let mark = match finding.mark {
                Mark::Good => look.green("✓"),
                Mark::Notable => look.yellow("!"),
                Mark::Bad => look.red("✗"),
            };
            text.push_str(&format!("  {mark} {}\n", neutral(&finding.text)));
            if !finding.remedy.is_empty() {
                text.push_str(&format!("      → {}\n", neutral(&finding.remedy)));
            }
        }
        for what in &self.unchecked {
            text.push_str(&format!("Not checked: {}.\n", neutral(what)));
        }
        text.push_str(&format!("{}\n", self.verdict()));
        text
    }

    /// The last line, which says no more than was looked at.
    fn verdict(&self) -> String {
        let count = |mark: Mark| self.findings.iter().filter(|finding| finding.mark == mark).count();
        let counted = |count: usize, one: &str| match count {
            1 => format!("1 {one}"),
            more => format!("{more} {one}s"),
        };
        let (checked, problems) = (self.findings.len(), count(Mark::Bad));
        let found = match problems {
            0 => format!("No problems in the {} above.", counted(checked, "line")),
            _ => format!("{} in the {} above.", counted(problems, "problem"), counted(checked, "line")),
        };
        let remarks = match count(Mark::Notable) {
            0 => String::new(),
            some => format!(" {} (!).", counted(some, "remark")),
        };
        let unchecked = match self.unchecked.len() {
            0 => String::new(),
            some => format!(" {} not checked.", counted(some, "thing")),
        };
        format!("{found}{remarks}{unchecked}")
    }

    pub fn to_json(&self) -> Value {
        let mark = |mark: Mark| match mark {
            Mark::Good => "ok",
            Mark::Notable => "notable",
            Mark::Bad => "problem",
        };
        let findings = self.findings.iter().map(|finding| {
            json!({
                "section": finding.section,
                "status": mark(finding.mark),
                "text": finding.text,
                "remedy": (!finding.remedy.is_empty()).then_some(&finding.remedy),
            })
        });
        json!({ "healthy": self.is_healthy(), "findings": findings.collect::<Vec<_>>(), "unchecked": self.unchecked })
    }
}
