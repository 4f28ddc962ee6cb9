//! Words with a style, and lines of them.

use crate::terminal::{Look, neutral};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// How words look; several at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style(u8);

impl Style {
    pub const BOLD: Self = Self(1);
    pub const ITALIC: Self = Self(2);
    pub const STRUCK: Self = Self(4);
    pub const CODE: Self = Self(8);
    pub const LINK: Self = Self(16);
    pub const DIM: Self = Self(32);
    const CODES: [(Self, &'static str); 6] = [
        (Self::BOLD, "1"),
        (Self::DIM, "2"),
        (Self::ITALIC, "3"),
        (Self::LINK, "4"),
        (Self::STRUCK, "9"),
        (Self::CODE, "36"),
    ];

    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn paint(self, look: Look, text: &str) -> String {
        let codes = Self::CODES.iter().filter(|(style, _)| self.0 & style.0 != 0).map(|(_, code)| *code);
        match codes.collect::<Vec<_>>().join(";").as_str() {
            "" => text.to_owned(),
            codes => look.painted(codes, text),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyledText {
    text: String,
    style: Style,
}

impl StyledText {
    /// THREAT[terminal] An entity such as `&#27;` becomes its character when it is read: what it becomes is made harmless.
    pub fn new(text: &str, style: Style) -> Self {
        Self { text: neutral(text).replace(['\n', '\t'], " "), style }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn line_end() -> Self {
        Self { text: "\n".to_owned(), style: Style::default() }
    }
}

/// Some words that fit beside each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanLine {
    spans: Vec<StyledText>,
    pub width: usize,
}

impl SpanLine {
    fn push(&mut self, text: &str, style: Style) {
        self.width += text.width();
        match self.spans.last_mut() {
            Some(last) if last.style == style => last.text.push_str(text),
            _ => self.spans.push(StyledText { text: text.to_owned(), style }),
        }
    }

    fn spaces(&mut self, count: usize, next: Style) {
        let same = self.spans.last().is_some_and(|last| last.style == next);
        self.push(&" ".repeat(count), if same { next } else { Style::default() });
    }

    pub fn painted(&self, look: Look) -> String {
        self.spans.iter().map(|span| span.style.paint(look, &span.text)).collect()
    }
}

/// What is not separated: a word, or a wide letter.
#[derive(Debug, Default)]
struct Word {
    pieces: Vec<(String, Style)>,
    width: usize,
    spaces: usize,
    /// A new line begins before it.
    breaks: bool,
}

impl Word {
    fn push(&mut self, letter: &str, style: Style) {
        self.width += letter.width();
        match self.pieces.last_mut() {
            Some((text, last)) if *last == style => text.push_str(letter),
            _ => self.pieces.push((letter.to_owned(), style)),
        }
    }
}

fn words(spans: &[StyledText]) -> Vec<Word> {
    let mut words = vec![Word::default()];
    let mut is_open = true;
    for span in spans {
        for letter in span.text.graphemes(true) {
            let is_empty = words.last().is_none_or(|word| word.pieces.is_empty());
            let is_space = matches!(letter, " " | "\n");
            let is_wide = letter.width() > 1;
            if (is_space || is_wide || !is_open) && !is_empty {
                words.push(Word::default());
            }
            let Some(word) = words.last_mut() else { continue };
            match letter {
                "\n" => word.breaks = true,
                " " => word.spaces += 1,
                letter => word.push(letter, span.style),
            }
            is_open = !is_wide;
        }
    }
    words.retain(|word| !word.pieces.is_empty());
    words
}

/// Lines of at most this width. A word that is wider than a line stays whole, so that an address can be copied, unless it is
/// cut.
pub fn wrapped(spans: &[StyledText], width: usize, cut: bool) -> Vec<SpanLine> {
    let width = width.max(1);
    let mut lines = vec![SpanLine::default()];
    for word in words(spans) {
        let used = lines.last().map_or(0, |line| line.width);
        if word.breaks || (used > 0 && used + word.spaces + word.width > width) {
            lines.push(SpanLine::default());
        } else if used > 0
            && let (Some(line), Some((_, style))) = (lines.last_mut(), word.pieces.first())
        {
            line.spaces(word.spaces, *style);
        }
        for (text, style) in &word.pieces {
            let room = lines.last().map_or(0, |line| width.saturating_sub(line.width));
            if !cut || text.width() <= room {
                lines.last_mut().into_iter().for_each(|line| line.push(text, *style));
                continue;
            }
            for letter in text.graphemes(true) {
                if lines.last().is_some_and(|line| line.width > 0 && line.width + letter.width() > width) {
                    lines.push(SpanLine::default());
                }
                lines.last_mut().into_iter().for_each(|line| line.push(letter, *style));
            }
        }
    }
    lines
}

/// As wide as its words want to be.
pub fn natural_width(spans: &[StyledText]) -> usize {
    wrapped(spans, usize::MAX, false).iter().map(|line| line.width).max().unwrap_or(0)
}
