//! A turn on a terminal: words as they come, thinking dimmed, each tool call on a line of its own.

use super::{
    approval,
    element::outcome,
    sources,
    transcript::{Piece, anew},
    turn::Sink,
};
use crate::{
    error::{Error, Result},
    terminal::{Look, Markdown, columns, neutral, one_line, tail},
};
use domain::{ResultStatus, StopReason};
use serde_json::Value;
use std::io::Write;

const ARGUMENTS: usize = 80;
const RESULT: usize = 100;
const OUTPUT: usize = 160;

pub struct Screen<W> {
    out: W,
    look: Look,
    at_line_start: bool,
    is_thinking: bool,
    is_live: bool,
    /// What was said and is not shown before it is complete, and whether it was thought.
    held: Vec<(String, bool)>,
    /// On a screen the reply is laid out, a block at a time.
    markdown: Option<Markdown>,
    /// The end of what is not laid out yet stands in the last row, and is written over.
    has_preview: bool,
    has_previews: bool,
}

impl<W: Write> Screen<W> {
    pub fn new(out: W, look: Look) -> Self {
        Self {
            out,
            look,
            at_line_start: true,
            is_thinking: false,
            is_live: true,
            held: Vec::new(),
            markdown: look.is_on_screen().then(|| Markdown::new(look)),
            has_preview: false,
            has_previews: false,
        }
    }

    /// With the end of what is being written, until it is complete; for a screen that can be written over.
    #[must_use]
    pub fn with_previews(mut self) -> Self {
        self.has_previews = self.look.is_coloured();
        self
    }

    /// Words in Markdown, such as the answer of a command.
    pub fn text(&mut self, text: &str) -> Result<()> {
        self.end_line()?;
        self.write(text, false)?;
        self.end_line()
    }

    pub fn is_live(&self) -> bool {
        self.is_live
    }

    /// Are words shown as they come, or when the reply is complete?
    pub fn set_live(&mut self, is_live: bool) {
        self.is_live = is_live;
    }

    pub fn line(&mut self, text: &str) -> Result<()> {
        self.end_line()?;
        writeln!(self.out, "{text}").and_then(|()| self.out.flush()).map_err(Error::Output)
    }

    pub fn end_line(&mut self) -> Result<()> {
        for (text, is_thinking) in std::mem::take(&mut self.held) {
            self.write(&text, is_thinking)?;
        }
        self.break_line()
    }

    fn break_line(&mut self) -> Result<()> {
        self.is_thinking = false;
        let rest = self.markdown.as_mut().map(|markdown| markdown.finish(width())).unwrap_or_default();
        self.put(&rest)?;
        if !std::mem::replace(&mut self.at_line_start, true) {
            writeln!(self.out).map_err(Error::Output)?;
        }
        self.out.flush().map_err(Error::Output)
    }

    fn words(&mut self, text: String, is_thinking: bool) -> Result<()> {
        if self.is_live {
            return self.write(&text, is_thinking);
        }
        self.held.push((text, is_thinking));
        Ok(())
    }

    fn write(&mut self, text: &str, is_thinking: bool) -> Result<()> {
        let Some(last) = text.chars().last() else { return Ok(()) };
        if self.is_thinking != is_thinking {
            self.break_line()?;
            self.is_thinking = is_thinking;
        }
        if let Some(markdown) = self.markdown.as_mut().filter(|_| !is_thinking) {
            let lines = markdown.push(text, width());
            return self.put(&lines).and_then(|()| self.preview());
        }
        self.at_line_start = last == '\n';
        let shown = neutral(text);
        let shown = if is_thinking { self.look.dim(&shown) } else { shown.into_owned() };
        write!(self.out, "{shown}").and_then(|()| self.out.flush()).map_err(Error::Output)
    }

    /// Whole lines, in the place of a preview.
    fn put(&mut self, lines: &str) -> Result<()> {
        let erasing = if std::mem::take(&mut self.has_preview) { "\r\u{1b}[K" } else { "" };
        write!(self.out, "{erasing}{lines}").map_err(Error::Output)
    }

    /// The end of the block that is being written, on one row: whatever becomes of the width of the terminal, nothing of the
    /// reply depends on it.
    fn preview(&mut self) -> Result<()> {
        let open = self.markdown.as_ref().map(|markdown| markdown.open()).unwrap_or_default();
        if !self.has_previews || open.trim().is_empty() {
            return self.out.flush().map_err(Error::Output);
        }
        let preview = self.look.dim(&tail(open, width().saturating_sub(1)));
        self.has_preview = true;
        write!(self.out, "\r{preview}\u{1b}[K").and_then(|()| self.out.flush()).map_err(Error::Output)
    }

    fn call(&mut self, name: &str, arguments: &Value, status: ResultStatus, content: &str) -> Result<()> {
        let arguments = shown(arguments);
        if let Some(sources) = sources::of_search(name, status, content) {
            let line = format!("⚙ {}{arguments} → {}", one_line(name, ARGUMENTS), sources.summary());
            let line = self.look.dim(&line);
            self.line(&line)?;
            return sources.lines().into_iter().try_for_each(|line| self.line(&line));
        }
        let result = one_line(&result_words(content), RESULT);
        let result = match status {
            ResultStatus::Ok => result,
            ResultStatus::Error => format!("error: {result}"),
            ResultStatus::Denied => format!("denied: {result}"),
            ResultStatus::Unknown => format!("interrupted; it may or may not have been done: {result}"),
        };
        let line = format!("⚙ {}{arguments} → {result}", one_line(name, ARGUMENTS));
        let line = self.look.dim(&line);
        self.line(&line)
    }

    fn running(&mut self, name: &str, arguments: &Value) -> Result<()> {
        let arguments = shown(arguments);
        let line = self.look.dim(&format!("⚙ {}{arguments}", one_line(name, ARGUMENTS)));
        self.line(&line)
    }

    /// A line of a running program, indented as it is. Of one that was written over again and again, as bars of progress
    /// are, the last that stood there.
    fn said(&mut self, text: &str) -> Result<()> {
        let last = text.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
        let harmless = neutral(last).replace('\t', "    ");
        let cut: String = harmless.chars().take(OUTPUT).collect();
        let more = if cut.len() < harmless.len() { "…" } else { "" };
        let line = self.look.dim(&format!("  │ {cut}{more}"));
        self.line(&line)
    }

    fn block(&mut self, lines: Option<String>) -> Result<()> {
        lines.map_or(Ok(()), |lines| self.line(&lines))
    }

    fn remark(&mut self, text: &str) -> Result<()> {
        let line = self.look.yellow(&format!("— {} —", one_line(text, 1_000)));
        self.line(&line)
    }
}

impl Screen<Vec<u8>> {
    /// The lines that are complete, for a caller that shows them elsewhere.
    pub fn take_lines(&mut self) -> String {
        let end = self.out.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let lines: Vec<u8> = self.out.drain(..end).collect();
        String::from_utf8_lossy(&lines).into_owned()
    }
}

impl<W: Write> Sink for Screen<W> {
    const STAYS: bool = true;

    fn show(&mut self, piece: Piece) -> Result<()> {
        match piece {
            Piece::Begin => self.end_line(),
            Piece::Text(text) | Piece::Failed(text) => self.words(text, false),
            Piece::Thinking(text) => self.words(text, true),
            // Nothing of it stands above.
            Piece::Anew(_) if !self.is_live => {
                self.held.clear();
                Ok(())
            }
            Piece::Anew(why) => self.remark(&anew(why, "Ignore the part above.")),
            Piece::Stopped(StopReason::Cancelled) => self.remark("Stopped."),
            Piece::Stopped(StopReason::Length) => {
                self.remark("Cut off at the length limit. Type Continue to get the rest.")
            }
            Piece::Stopped(_) => self.remark("The reply was interrupted here."),
            Piece::Call { name, arguments, status, content } => {
                self.call(&name, &arguments, status, &content)
            }
            Piece::Running { name, arguments } => self.running(&name, &arguments),
            Piece::Said(text) => self.said(&text),
            Piece::Element(view) => self.block(view.lines(self.look)),
            Piece::Outcome { kind, ok, text } => self.block(Some(outcome(self.look, &kind, ok, &text))),
            Piece::Errand(agent) => self.remark(&format!("{agent} is working on it.")),
            Piece::Question(asked) => self.block(Some(asked.lines(self.look))),
            Piece::Approval(approval) => self.block(Some(approval::lines(self.look, &approval))),
            Piece::Settled(status) => self.remark(approval::settled(status)),
            Piece::Trouble(text) => self.remark(&text),
            Piece::Retrying { attempt, of, wait_ms, why } => {
                self.remark(&Piece::retrying(attempt, of, wait_ms, &why))
            }
        }
    }

    fn notice(&mut self, text: &str) {
        // If the screen is gone, the next piece says so.
        let _ = self.remark(text);
    }
}

fn width() -> usize {
    usize::from(columns())
}

fn shown(arguments: &Value) -> String {
    match arguments {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        arguments => format!(" {}", one_line(&plain(arguments), ARGUMENTS)),
    }
}

/// The result of a call without the signs of JSON; of an error only its words.
fn result_words(content: &str) -> String {
    match serde_json::from_str::<Value>(content) {
        Ok(Value::Object(mut fields)) if fields.get("error").is_some_and(Value::is_string) => {
            fields.remove("error").as_ref().map(plain).unwrap_or_default()
        }
        Ok(value) => plain(&value),
        Err(_) => content.to_owned(),
    }
}

/// `name: value, name: value` for an object; what is nested stays JSON.
fn plain(value: &Value) -> String {
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name}: {}", word(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        value => word(value),
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
