//! The elements of a reply on a terminal: lists with boxes, bars, links, results in a frame, questions with numbers.
//!
//! Every word of it comes from a model or a tool, and goes through [`neutral`] before it is shown.

use super::chart;
use crate::terminal::{Look, neutral, one_line};
use domain::Question;
use serde_json::Value;

const BAR: usize = 20;
const LABEL: usize = 200;

/// An element as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementView {
    pub kind: String,
    pub attributes: Value,
    pub content: String,
    /// It has only begun: of a list the title is shown before its items.
    pub begins: bool,
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedQuestion {
    pub question: String,
    pub options: Vec<String>,
    pub default: Option<String>,
    pub timeout_ms: Option<u64>,
}

impl ElementView {
    fn attribute<'a>(&'a self, name: &str, otherwise: &'a str) -> &'a str {
        self.attributes.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).unwrap_or(otherwise)
    }

    /// Its lines, without a line end after the last; `None` when there is nothing to show of it.
    pub fn lines(&self, look: Look) -> Option<String> {
        let content = self.content.trim();
        let label = |text: &str| one_line(text, LABEL);
        Some(match (self.kind.as_str(), self.begins) {
            ("todo", true) => look.bold(&label(self.attribute("title", "Tasks"))),
            // What they are is seen when they are complete; a list is its items, a question is asked by itself.
            (_, true) | ("todo" | "ask" | "data" | "option", _) => return None,
            ("item", _) => format!("  {} {}", mark(self.attribute("status", "pending")), label(content)),
            ("progress", _) => self.bar(look),
            ("link", _) => {
                let href = self.attribute("href", "#");
                let words = if content.is_empty() { href } else { content };
                format!("↗ {} <{}>", label(words), label(href))
            }
            ("copy", _) => frame(look, self.attribute("label", "Copy"), content),
            ("chart", _) => frame(
                look,
                self.attribute("title", "Chart"),
                &chart::bars(content, self.attribute("unit", "")),
            ),
            ("thinking", _) => look.dim(&framed(self.attribute("title", "Thinking"), content)),
            ("result", _) => {
                let done = if self.attribute("status", "") == "error" { "✗" } else { "✓" };
                frame(look, &format!("{done} {}", self.attribute("for", "command")), content)
            }
            ("bash", _) => look.dim(&format!("$ {}", label(content))),
            ("websearch", _) => look.dim(&format!("⌕ {}", label(content))),
            ("hml-prompt", _) => self.prompt(look),
            ("response", _) => format!("→ {}", label(content)),
            _ => neutral(content).into_owned(),
        })
    }

    fn bar(&self, look: Look) -> String {
        let number = |name: &str, otherwise: f64| {
            self.attribute(name, "").parse::<f64>().ok().filter(|n| n.is_finite()).unwrap_or(otherwise)
        };
        let most = number("max", 100.0);
        let share = if most > 0.0 { (number("value", 0.0) / most).clamp(0.0, 1.0) } else { 0.0 };
        let percent = format!("{:.0} %", share * 100.0);
        let filled = (0..BAR).map(|place| if (place as f64) < share * BAR as f64 { '█' } else { '░' });
        let content = self.content.trim();
        let words = one_line(if content.is_empty() { "Progress" } else { content }, LABEL);
        format!("{words} {} {percent}", look.green(&filled.collect::<String>()))
    }

    fn prompt(&self, look: Look) -> String {
        let options = self.attribute("options", "");
        let options: Vec<String> = match serde_json::from_str(options) {
            Ok(Value::Array(items)) => items.iter().map(option).collect(),
            _ => options.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect(),
        };
        let asked =
            AskedQuestion { question: self.content.clone(), options, default: None, timeout_ms: None };
        asked.lines(look)
    }
}

impl AskedQuestion {
    pub fn of(question: &Question) -> Self {
        let Question { question, options, default, timeout_ms, .. } = question.clone();
        Self { question, options, default, timeout_ms }
    }

    /// The question, and its options by number.
    pub fn lines(&self, look: Look) -> String {
        let question = neutral(self.question.trim());
        let mut lines = look.bold(&format!("? {question}"));
        for (index, option) in self.options.iter().enumerate() {
            lines.push_str(&format!("\n  {}. {}", index + 1, one_line(option, LABEL)));
        }
        if let (Some(wait), Some(default)) = (self.timeout_ms, &self.default) {
            let hint =
                format!("  (after {} seconds without an answer: {})", wait / 1_000, one_line(default, LABEL));
            lines.push_str(&format!("\n{}", look.dim(&hint)));
        }
        lines
    }
}

fn option(item: &Value) -> String {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    item.get("label")
        .or_else(|| item.get("value"))
        .and_then(text)
        .or_else(|| text(item))
        .unwrap_or_else(|| item.to_string())
}

fn mark(status: &str) -> char {
    match status {
        "completed" => '☑',
        "in_progress" => '◐',
        _ => '☐',
    }
}

pub fn frame(look: Look, title: &str, content: &str) -> String {
    let framed = framed(title, content);
    match framed.split_once('\n') {
        Some((head, rest)) => format!("{}\n{rest}", look.bold(head)),
        None => framed,
    }
}

/// What came of an element. Of a program that failed its exit code, and what it said.
pub fn outcome(look: Look, kind: &str, ok: bool, text: &str) -> String {
    let program = serde_json::from_str::<Value>(text).ok().filter(|told| told.get("exit_code").is_some());
    match program {
        _ if ok => frame(look, &format!("✓ {kind}"), text),
        None => frame(look, &format!("✗ {kind}"), text),
        Some(told) => {
            let how = told.get("exit_code").and_then(Value::as_i64);
            let how = how.map_or_else(|| "failed".to_owned(), |code| format!("failed, exit code {code}"));
            let said =
                ["stdout", "output", "stderr", "error"].map(|name| told.get(name).and_then(Value::as_str));
            let said: Vec<&str> =
                said.into_iter().flatten().map(str::trim_end).filter(|said| !said.is_empty()).collect();
            frame(look, &format!("✗ {kind}: {how}"), &said.join("\n"))
        }
    }
}

fn framed(title: &str, content: &str) -> String {
    let mut lines = format!("┌ {}", one_line(title, LABEL));
    for line in neutral(content).lines() {
        lines.push_str(&format!("\n│ {line}"));
    }
    lines.push_str("\n└");
    lines
}

#[cfg(test)]
#[path = "element_tests.rs"]
mod tests;
