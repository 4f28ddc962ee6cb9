//! Signs at places become words in lines: where a gap is a space, and where a line ends.
//!
//! The order is the one in which they were drawn: it is the order of reading in what programs write, also in columns.

use super::content::Matrix;

/// A gap wider than this share of the size of the letters is a space.
const SPACE: f64 = 0.17;
/// A step up or down by more than this share is another line.
const LINE: f64 = 0.45;

#[derive(Default)]
pub(super) struct Lines {
    text: String,
    /// Where the last sign ended, and its direction and size.
    last: Option<GlyphPlace>,
    /// Where a marked piece began: before its first sign, what came last.
    mark: Option<Option<GlyphPlace>>,
    /// The first place in a marked piece.
    first: Option<(GlyphPlace, f64)>,
}

#[derive(Clone, Copy)]
struct GlyphPlace {
    x: f64,
    y: f64,
    /// The direction of reading, one long.
    along: (f64, f64),
    size: f64,
}

impl GlyphPlace {
    /// The beginning of a sign, from the matrix that makes a sign of the size 1.
    fn of(at: &Matrix) -> Option<Self> {
        let [a, b, c, d, x, y] = *at;
        let (wide, high) = (a.hypot(b), c.hypot(d));
        let along = if wide > 1e-9 { (a / wide, b / wide) } else { (1.0, 0.0) };
        let fine = x.is_finite() && y.is_finite() && high.is_finite() && wide.is_finite();
        fine.then_some(Self { x, y, along, size: high.max(1e-6) })
    }

    fn moved(self, by: f64) -> Self {
        Self { x: self.x + self.along.0 * by, y: self.y + self.along.1 * by, ..self }
    }
}

impl Lines {
    /// A sign of this width (1 is the size of the font).
    pub(super) fn show(&mut self, sign: &str, at: &Matrix, width: f64) {
        let Some(place) = GlyphPlace::of(at) else { return };
        let [a, b, ..] = *at;
        let end = place.moved(width * a.hypot(b));
        // A glyph without a meaning leaves a gap: some programs give none to their spaces.
        if sign.is_empty() {
            return;
        }
        self.step_to(place);
        for letter in sign.chars() {
            self.letter(letter);
        }
        self.last = Some(end);
    }

    /// A sign that is not said: others words stand for it.
    pub(super) fn pass(&mut self, at: &Matrix, width: f64) {
        let Some(place) = GlyphPlace::of(at) else { return };
        let [a, b, ..] = *at;
        let end = width * a.hypot(b);
        self.first.get_or_insert((place, end));
        self.last = Some(place.moved(end));
    }

    /// A piece begins that other words stand for.
    pub(super) fn mark(&mut self) {
        self.mark = Some(self.last);
        self.first = None;
    }

    pub(super) fn stand_in(&mut self, words: &str) {
        let (Some(before), first) = (self.mark.take(), self.first.take()) else { return };
        let after = self.last;
        if let Some((place, _)) = first {
            self.last = before;
            self.step_to(place);
        }
        for letter in words.chars() {
            self.letter(letter);
        }
        self.last = after;
    }

    fn letter(&mut self, letter: char) {
        let whole = match letter {
            '\u{fb00}' => "ff",
            '\u{fb01}' => "fi",
            '\u{fb02}' => "fl",
            '\u{fb03}' => "ffi",
            '\u{fb04}' => "ffl",
            '\u{fb05}' | '\u{fb06}' => "st",
            '\t' | '\r' | '\u{a0}' => " ",
            '\u{200b}' | '\u{feff}' => "",
            letter if letter.is_control() && letter != '\n' => "",
            letter => return self.push(letter),
        };
        whole.chars().for_each(|letter| self.push(letter));
    }

    fn push(&mut self, letter: char) {
        if letter == ' ' && (self.text.ends_with([' ', '\n']) || self.text.is_empty()) {
            return;
        }
        self.text.push(letter);
    }

    fn step_to(&mut self, place: GlyphPlace) {
        let Some(last) = self.last else { return };
        let (dx, dy) = (place.x - last.x, place.y - last.y);
        let along = dx * last.along.0 + dy * last.along.1;
        let across = (dy * last.along.0 - dx * last.along.1).abs();
        let size = place.size.max(last.size);
        let turned = last.along.0 * place.along.0 + last.along.1 * place.along.1 < 0.9;
        match () {
            () if turned || across > LINE * size => self.end_line(across > 1.9 * size),
            // Back to the left on the same line: something that was drawn over it, or a cell before it.
            () if along < -0.8 * size => self.push(' '),
            () if along > SPACE * place.size.min(last.size) => self.push(' '),
            () => {}
        }
    }

    fn end_line(&mut self, far: bool) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
            if far && !self.text.ends_with("\n\n") {
                self.text.push('\n');
            }
        }
    }

    /// The text, with words that were divided at the end of a line in one again.
    pub(super) fn finish(self) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut lines = self.text.trim().lines().peekable();
        while let Some(line) = lines.next() {
            let line = line.trim_end();
            let next = lines.peek().and_then(|next| next.chars().next());
            match divided(line).filter(|_| next.is_some_and(char::is_lowercase)) {
                Some(word) => out.push_str(word),
                None => {
                    out.push_str(line);
                    out.push('\n');
                }
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}

/// A line without the hyphen at its end, if that stands behind a letter.
fn divided(line: &str) -> Option<&str> {
    let word = line.strip_suffix(['-', '\u{ad}', '\u{2010}'])?;
    word.ends_with(char::is_lowercase).then_some(word)
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
