//! Markdown on a terminal, while it comes: a block is shown when it is complete, a line of code as soon as it is.
//!
//! Invariant: what is shown depends on the text and the width, never on the pieces in which the text came. It is decided
//! line by line, at the end of each line.

mod blocks;
mod line;
mod spans;
mod table;

use self::{
    blocks::{code_head, code_line, render},
    line::{CodeFence, LineKind},
};
use super::Look;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Of a block that does not end; it is shown in parts.
const MOST_BYTES: usize = 1 << 18;
/// Bytes that are read again and again to see whether a block has ended.
const MOST_WORK: usize = 1 << 17;

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_MATH);

/// Of a text whose words are wanted alone; there is room for no more.
const LOOKED_AT: usize = 1 << 12;

/// The first words of a text, without what lays them out.
pub fn words_alone(text: &str) -> String {
    let beginning: String = text.chars().take(LOOKED_AT).collect();
    let mut words = String::new();
    for event in Parser::new_ext(&beginning, OPTIONS) {
        match event {
            Event::Text(said) | Event::Code(said) | Event::InlineMath(said) | Event::DisplayMath(said) => {
                words.push_str(&said);
            }
            Event::Html(said) | Event::InlineHtml(said) => words.push_str(&said),
            Event::End(
                TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image,
            ) => {}
            Event::End(_) | Event::SoftBreak | Event::HardBreak => words.push(' '),
            _ => {}
        }
    }
    words
}

/// A text that is being written.
#[derive(Debug)]
pub struct Markdown {
    look: Look,
    /// What is not shown yet.
    open: String,
    /// Up to here it was looked at: whole lines.
    looked_at: usize,
    fence: Option<CodeFence>,
    has_shown: bool,
    after_blank: bool,
    work: usize,
}

impl Markdown {
    pub fn new(look: Look) -> Self {
        Self {
            look,
            open: String::new(),
            looked_at: 0,
            fence: None,
            has_shown: false,
            after_blank: false,
            work: 0,
        }
    }

    /// What was written and is not shown yet.
    pub fn open(&self) -> &str {
        &self.open
    }

    /// More of the text. Gives what can be shown now: whole lines, or nothing.
    pub fn push(&mut self, text: &str, width: usize) -> String {
        self.open.push_str(text);
        let mut shown = String::new();
        while let Some(length) = self.open.get(self.looked_at..).and_then(|rest| rest.find('\n')) {
            let end = self.looked_at + length + 1;
            self.line(end, width, &mut shown);
        }
        shown
    }

    /// Nothing more comes.
    pub fn finish(&mut self, width: usize) -> String {
        let mut shown = String::new();
        if !self.open.is_empty() && !self.open.ends_with('\n') {
            let end = self.open.len();
            self.line(end, width, &mut shown);
        }
        self.emit(self.open.len(), width, &mut shown);
        *self = Self::new(self.look);
        shown
    }

    /// One more line of the open text, which ends here.
    fn line(&mut self, end: usize, width: usize, shown: &mut String) {
        let line = self.open.get(self.looked_at..end).unwrap_or_default().trim_end_matches(['\n', '\r']);
        let kind = LineKind::of(line);
        if let Some(fence) = &self.fence {
            if fence.is_closed_by(line) {
                self.fence = None;
            } else {
                shown.push_str(&code_line(self.look, fence.without_indent(line)));
            }
            return self.forget(end);
        }
        if self.looked_at == 0 && kind == LineKind::Blank {
            return self.forget(end);
        }
        let first = LineKind::of(self.open.lines().next().unwrap_or_default());
        let ends = match kind {
            LineKind::Blank => self.after_blank_line(first, end),
            _ if self.looked_at == 0 || kind.goes_on(first, self.after_blank) => 0,
            _ => self.last_block(end).map_or(0, |(start, _)| start),
        };
        self.after_blank = kind == LineKind::Blank;
        self.looked_at = end;
        if ends > 0 {
            self.emit(ends, width, shown);
        } else if self.looked_at > MOST_BYTES || self.work > MOST_WORK {
            self.emit(self.looked_at, width, shown);
        }
        self.open_fence(shown);
    }

    fn forget(&mut self, end: usize) {
        self.open.drain(..end);
        self.looked_at = 0;
    }

    /// Of code at the top the lines are shown as they come.
    fn open_fence(&mut self, shown: &mut String) {
        let open = self.open.get(..self.looked_at).unwrap_or_default();
        let line = open.trim_end_matches(['\n', '\r']);
        let Some(fence) = CodeFence::opened_by(line).filter(|_| !line.contains('\n')) else { return };
        self.separate(shown);
        shown.push_str(&code_head(self.look, fence.language()));
        self.fence = Some(fence);
        self.forget(self.looked_at);
    }

    /// A blank line ends most blocks, but not a list, and not what may go on below it.
    fn after_blank_line(&mut self, first: LineKind, end: usize) -> usize {
        if first.is_list() || self.after_blank {
            return 0;
        }
        match self.last_block(end) {
            Some((_, true)) => end,
            Some((start, false)) => start,
            None => 0,
        }
    }

    /// Where the last block of the open text begins, and whether a blank line ends it.
    fn last_block(&mut self, end: usize) -> Option<(usize, bool)> {
        let text = self.open.get(..end).unwrap_or_default();
        self.work = self.work.saturating_add(end);
        let (mut depth, mut last) = (0_usize, None);
        for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
            let ends = matches!(
                event,
                Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::Table(_) | Tag::BlockQuote(_))
                    | Event::Rule
            );
            if depth == 0 && matches!(event, Event::Start(_) | Event::Rule) {
                // With its indentation.
                let before = text.get(..range.start).unwrap_or_default();
                last = Some((before.rfind('\n').map_or(0, |at| at + 1), ends));
            }
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        last
    }

    /// Shows the open text up to here.
    fn emit(&mut self, end: usize, width: usize, shown: &mut String) {
        let text: String = self.open.drain(..end).collect();
        self.looked_at = self.looked_at.saturating_sub(end);
        self.work = 0;
        let lines = render(&text, self.look, width);
        if !lines.is_empty() {
            self.separate(shown);
            shown.push_str(&lines);
        }
    }

    fn separate(&mut self, shown: &mut String) {
        if std::mem::replace(&mut self.has_shown, true) {
            shown.push('\n');
        }
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
