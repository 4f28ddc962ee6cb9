//! Where a text is code or a quotation: the dead zones, in which nothing is markup.
//!
//! The rules are those of Markdown as far as they decide what runs. Where a stream cannot look ahead, a place is dead
//! rather than live: a run of backticks opens a dead zone at once and not only when its partner is found.

/// Where the reader is in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinePlace {
    /// At the beginning of a line, before it is known what kind of line it is.
    Head,
    /// Where markup lives.
    Prose,
    /// In the run of backticks that opens inline code.
    Ticks,
    Code,
    /// In a run of backticks that may end inline code.
    CodeTicks,
    /// Dead up to the end of the line.
    Dead,
    /// Behind the backticks of a fence: dead, and still inline code if a backtick follows in this line.
    FenceInfo,
    /// At an `@` that may begin a call.
    At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fence {
    mark: u8,
    length: u32,
    column: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Indent,
    Bullet,
    /// A line that may consist of nothing but this character.
    Rule,
    Digits,
    Delimiter,
    Hashes,
    OpenFence,
    CloseFence,
    CloseFenceTail,
}

/// What the head of a line makes of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    Take,
    /// The kind of line is known; the byte itself is still to be read there.
    Go(LinePlace),
}

#[derive(Clone, Debug)]
pub(crate) struct Line {
    phase: Phase,
    column: u32,
    /// How many of the character that the phase is about.
    count: u32,
    mark: u8,
    number_is_one: bool,
    /// A list marker stands before.
    marked: bool,
    heading: bool,
    /// The line before belongs to a paragraph that this one may continue.
    paragraph: bool,
    /// Where the content of the innermost list item begins; 0 outside of lists.
    list: u32,
    fence: Option<Fence>,
    /// Length of the backtick run that opened the inline code we are in; 0 outside.
    code: u32,
    ticks: u32,
    /// Nothing but space behind the backticks of a fence so far.
    info_blank: bool,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            phase: Phase::Indent,
            column: 0,
            count: 0,
            mark: 0,
            number_is_one: false,
            marked: false,
            heading: false,
            paragraph: false,
            list: 0,
            fence: None,
            code: 0,
            ticks: 0,
            info_blank: true,
        }
    }
}

impl Line {
    /// A line begins.
    fn begin(&mut self) {
        self.phase = Phase::Indent;
        self.column = 0;
        self.marked = false;
    }

    /// The line ended in prose or in code.
    pub(crate) fn end(&mut self) {
        if self.heading {
            self.heading = false;
            self.code = 0;
            self.paragraph = false;
        }
        self.begin();
    }

    /// The line was code or a quotation, and no paragraph that could go on.
    pub(crate) fn end_dead(&mut self) {
        self.paragraph = false;
        self.begin();
    }

    /// What another reader has taken was part of a line.
    pub(crate) fn inside(&mut self) {
        self.paragraph = true;
    }

    pub(crate) fn open_code(&mut self) -> LinePlace {
        self.ticks = 0;
        LinePlace::Ticks
    }

    pub(crate) fn maybe_close_code(&mut self) -> LinePlace {
        self.ticks = 0;
        LinePlace::CodeTicks
    }

    pub(crate) fn count_tick(&mut self) {
        self.ticks = self.ticks.saturating_add(1);
    }

    pub(crate) fn end_ticks(&mut self, place: LinePlace) -> LinePlace {
        if place == LinePlace::Ticks {
            self.code = self.ticks;
            return LinePlace::Code;
        }
        if self.ticks == self.code {
            self.code = 0;
            return LinePlace::Prose;
        }
        LinePlace::Code
    }

    /// The next byte behind the backticks of a fence that is neither a backtick nor the end of the line.
    pub(crate) fn note_info(&mut self, byte: u8) {
        self.info_blank &= matches!(byte, b' ' | b'\t' | b'\r');
    }

    /// A backtick behind the backticks: no fence, but inline code.
    pub(crate) fn info_is_code(&mut self) -> LinePlace {
        self.paragraph = true;
        if self.code == self.count {
            self.code = 0;
            return self.open_code();
        }
        if self.code == 0 {
            self.code = self.count;
        }
        self.maybe_close_code()
    }

    /// The line of a fence ends. A run that stands alone and equals the one that opened inline code ends it.
    pub(crate) fn end_info(&mut self) {
        if self.info_blank && self.code == self.count {
            self.code = 0;
            self.paragraph = true;
            self.begin();
            return;
        }
        self.open_fence();
        self.end_dead();
    }

    fn open_fence(&mut self) {
        self.fence = Some(Fence { mark: self.mark, length: self.count, column: self.column });
        self.code = 0;
        self.paragraph = false;
    }

    pub(crate) fn head(&mut self, byte: u8, in_element: bool) -> Head {
        match self.phase {
            Phase::Indent => self.indent(byte, in_element),
            Phase::Bullet => self.bullet(byte),
            Phase::Rule => self.rule(byte),
            Phase::Digits | Phase::Delimiter => self.number(byte),
            Phase::Hashes => self.hashes(byte),
            Phase::OpenFence => self.opening(byte),
            Phase::CloseFence | Phase::CloseFenceTail => self.closing(byte),
        }
    }

    fn indent(&mut self, byte: u8, in_element: bool) -> Head {
        match byte {
            b' ' => self.column = self.column.saturating_add(1),
            b'\t' => self.column = (self.column / 4).saturating_add(1).saturating_mul(4),
            b'\r' => {}
            b'\n' => self.blank(),
            _ => return self.first(byte, in_element),
        }
        Head::Take
    }

    fn blank(&mut self) {
        self.paragraph = false;
        self.code = 0;
        self.begin();
    }

    fn first(&mut self, byte: u8, in_element: bool) -> Head {
        if let Some(fence) = self.fence {
            if byte == fence.mark && self.column <= fence.column.max(3) {
                return self.enter(Phase::CloseFence, byte);
            }
            return Head::Go(LinePlace::Dead);
        }
        let may_mark = matches!(byte, b'-' | b'*' | b'+' | b'0'..=b'9');
        if !self.paragraph && !self.marked && !may_mark && self.column < self.list {
            self.list = if self.column < 2 { 0 } else { self.column };
        }
        if !in_element && !self.paragraph && self.column >= self.list.saturating_add(4) {
            return Head::Go(LinePlace::Dead);
        }
        if self.marked {
            self.list = self.column;
        }
        match byte {
            b'`' | b'~' => self.enter(Phase::OpenFence, byte),
            b'-' | b'*' | b'+' => self.enter(Phase::Bullet, byte),
            b'_' | b'=' => self.enter(Phase::Rule, byte),
            b'0'..=b'9' => self.enter(Phase::Digits, byte),
            b'#' if self.column < 4 || self.marked => self.enter(Phase::Hashes, byte),
            // THREAT[markup-01]: what an agent quotes are somebody else's words; they never run.
            b'>' => {
                self.code = 0;
                Head::Go(LinePlace::Dead)
            }
            b'@' if self.column < 4 && !self.marked && self.code == 0 => {
                self.paragraph = true;
                Head::Go(LinePlace::At)
            }
            _ => self.ordinary(),
        }
    }

    /// The byte is the first of a run that decides.
    fn enter(&mut self, phase: Phase, byte: u8) -> Head {
        self.phase = phase;
        self.mark = byte;
        self.count = 1;
        self.number_is_one = byte == b'1';
        self.info_blank = true;
        Head::Take
    }

    fn ordinary(&mut self) -> Head {
        self.paragraph = true;
        Head::Go(if self.code > 0 { LinePlace::Code } else { LinePlace::Prose })
    }

    fn bullet(&mut self, byte: u8) -> Head {
        match byte {
            b' ' | b'\t' => self.marker(1),
            b'\n' | b'\r' if !self.paragraph => self.marker(1),
            _ if self.mark == b'+' => self.ordinary(),
            _ => {
                self.phase = Phase::Rule;
                self.rule(byte)
            }
        }
    }

    /// A list marker of this width stands here; the byte behind it is read as indentation.
    fn marker(&mut self, width: u32) -> Head {
        self.column = self.column.saturating_add(width);
        self.list = self.column.saturating_add(1);
        self.marked = true;
        self.paragraph = false;
        self.code = 0;
        self.phase = Phase::Indent;
        Head::Go(LinePlace::Head)
    }

    fn rule(&mut self, byte: u8) -> Head {
        match byte {
            _ if byte == self.mark => self.count = self.count.saturating_add(1),
            b' ' | b'\t' | b'\r' => {}
            b'\n' if self.count >= 3 => self.blank(),
            _ => return self.ordinary(),
        }
        Head::Take
    }

    fn number(&mut self, byte: u8) -> Head {
        match (self.phase, byte) {
            (Phase::Digits, b'0'..=b'9') if self.count < 9 => {
                self.count += 1;
                self.number_is_one = false;
            }
            (Phase::Digits, b'.' | b')') => self.phase = Phase::Delimiter,
            // Only a list that begins with one interrupts a paragraph.
            (Phase::Delimiter, b' ' | b'\t' | b'\n' | b'\r') if !self.paragraph || self.number_is_one => {
                return self.marker(self.count + 1);
            }
            _ => return self.ordinary(),
        }
        Head::Take
    }

    fn hashes(&mut self, byte: u8) -> Head {
        match byte {
            b'#' if self.count < 6 => {
                self.count += 1;
                Head::Take
            }
            b' ' | b'\t' | b'\r' | b'\n' => {
                self.code = 0;
                self.heading = true;
                Head::Go(LinePlace::Prose)
            }
            _ => self.ordinary(),
        }
    }

    fn opening(&mut self, byte: u8) -> Head {
        if byte == self.mark {
            self.count = self.count.saturating_add(1);
            return Head::Take;
        }
        match (self.mark, self.count) {
            (b'~', 3..) => {
                self.open_fence();
                Head::Go(LinePlace::Dead)
            }
            (b'`', 3..) => Head::Go(LinePlace::FenceInfo),
            (b'`', _) => {
                let place = if self.code > 0 { LinePlace::CodeTicks } else { LinePlace::Ticks };
                self.ticks = self.count;
                self.paragraph = true;
                Head::Go(place)
            }
            _ => self.ordinary(),
        }
    }

    fn closing(&mut self, byte: u8) -> Head {
        let length = self.fence.map_or(0, |fence| fence.length);
        match byte {
            _ if byte == self.mark && self.phase == Phase::CloseFence => {
                self.count = self.count.saturating_add(1);
            }
            b'\n' if self.count >= length => {
                self.fence = None;
                self.end_dead();
            }
            b' ' | b'\t' | b'\r' if self.count >= length => self.phase = Phase::CloseFenceTail,
            _ => return Head::Go(LinePlace::Dead),
        }
        Head::Take
    }
}
