//! What a file may cost. Everything that grows with a file is counted in one [`Remaining`].
//!
//! THREAT[document-01]: a file of a few kilobytes can unpack to gigabytes, name a part of itself a million times, or nest
//! without an end. Bytes are counted while they are unpacked, never believed from a header, and every loop counts its work.

/// What may be unpacked, built and said at most.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes unpacked from one file together.
    pub unpacked: usize,
    /// Bytes unpacked from one entry or one stream.
    pub entry: usize,
    /// An entry that grows beyond a megabyte and by more than this factor is a bomb.
    pub ratio: usize,
    /// Entries of an archive; objects of a PDF are bounded by the same number times a hundred.
    pub entries: usize,
    /// How deep elements and arrays may lie in each other.
    pub depth: usize,
    /// Pages, sheets, slides, chapters.
    pub parts: usize,
    /// Bytes of text.
    pub text: usize,
    /// Steps: elements, operators, objects.
    pub work: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            unpacked: 96 << 20,
            entry: 48 << 20,
            ratio: 500,
            entries: 10_000,
            depth: 200,
            parts: 3_000,
            text: 4 << 20,
            work: 40_000_000,
        }
    }
}

/// What is left of the limits.
pub(crate) struct Remaining {
    pub(crate) limits: Limits,
    unpacked: usize,
    text: usize,
    work: u64,
    cut: bool,
}

impl Remaining {
    pub(crate) fn new(limits: &Limits) -> Self {
        let Limits { unpacked, text, work, .. } = *limits;
        Self { limits: limits.clone(), unpacked, text, work, cut: false }
    }

    /// One more step; false when it was the last one.
    pub(crate) fn step(&mut self) -> bool {
        self.steps(1)
    }

    pub(crate) fn steps(&mut self, count: u64) -> bool {
        match self.work.checked_sub(count) {
            Some(left) => self.work = left,
            None => self.cut = true,
        }
        !self.cut
    }

    /// How much may still be unpacked at once.
    pub(crate) fn room(&self) -> usize {
        self.unpacked.min(self.limits.entry)
    }

    pub(crate) fn unpacked(&mut self, bytes: usize) {
        self.unpacked = self.unpacked.saturating_sub(bytes);
    }

    /// As much of these words as fits; the rest is left out and remembered as left out.
    pub(crate) fn say(&mut self, out: &mut String, words: &str) {
        if words.len() <= self.text {
            self.text -= words.len();
            return out.push_str(words);
        }
        let mut end = self.text;
        while !words.is_char_boundary(end) {
            end -= 1;
        }
        out.push_str(words.get(..end).unwrap_or_default());
        self.text = 0;
        self.cut = true;
    }

    /// Room for one more part.
    pub(crate) fn part(&mut self, have: usize) -> bool {
        self.cut |= have >= self.limits.parts;
        !self.cut
    }

    pub(crate) fn leave_out(&mut self) {
        self.cut = true;
    }

    /// Something was left out, and nothing more is read.
    pub(crate) fn cut(&self) -> bool {
        self.cut
    }
}
