//! How wide and high a picture is, read off its first bytes while it passes.
//!
//! THREAT[content-04]: a picture that a vendor refuses is in a conversation for good. So what can be known of it before
//! it is stored is checked then.

/// Where the other formats have their size.
const HEAD: usize = 32;

/// Looks at a file while it passes.
#[derive(Default)]
pub(crate) struct Ruler {
    head: Vec<u8>,
    jpeg: Jpeg,
}

impl Ruler {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let missing = HEAD.saturating_sub(self.head.len());
        self.head.extend(bytes.iter().take(missing));
        self.jpeg.push(bytes);
    }

    /// Width and height, if the picture says both and neither is nothing.
    pub(crate) fn size(&self, mime_type: &str) -> Option<(u32, u32)> {
        let size = match mime_type {
            "image/png" => self.png(),
            "image/gif" => Some((self.little(6, 2)?, self.little(8, 2)?)),
            "image/webp" => self.webp(),
            "image/jpeg" => self.jpeg.size,
            _ => None,
        };
        size.filter(|(width, height)| *width > 0 && *height > 0)
    }

    fn png(&self) -> Option<(u32, u32)> {
        let is_header = self.head.get(12..16)? == b"IHDR";
        is_header.then_some((self.big(16)?, self.big(20)?))
    }

    fn webp(&self) -> Option<(u32, u32)> {
        match self.head.get(12..16)? {
            b"VP8 " if self.head.get(23..26)? == b"\x9d\x01\x2a" => {
                Some((self.little(26, 2)? & 0x3fff, self.little(28, 2)? & 0x3fff))
            }
            b"VP8L" if self.head.get(20)? == &0x2f => {
                let bits = self.little(21, 4)?;
                Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
            }
            b"VP8X" => Some((self.little(24, 3)? + 1, self.little(27, 3)? + 1)),
            _ => None,
        }
    }

    fn big(&self, at: usize) -> Option<u32> {
        self.head.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
    }

    fn little(&self, at: usize, length: usize) -> Option<u32> {
        let bytes = self.head.get(at..at + length)?;
        Some(bytes.iter().rev().fold(0, |number, byte| (number << 8) | u32::from(*byte)))
    }
}

/// A JPEG has its size in a segment of its own, behind any number of others: the camera's notes, a small preview.
#[derive(Default)]
struct Jpeg {
    at: At,
    size: Option<(u32, u32)>,
}

#[derive(Default)]
enum At {
    /// Before the byte that announces a marker.
    #[default]
    Mark,
    /// Before the marker itself.
    Code,
    /// In the first bytes of a segment: its length and, in that of the frame, the size.
    Segment {
        frame: bool,
        read: Vec<u8>,
    },
    /// In the rest of a segment that says nothing of interest.
    Within(usize),
    Done,
}

impl Jpeg {
    fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((byte, after)) = rest.split_first() {
            match &mut self.at {
                At::Done => return,
                At::Within(left) if *left > rest.len() => {
                    *left -= rest.len();
                    return;
                }
                At::Within(left) => {
                    rest = rest.get(*left..).unwrap_or_default();
                    self.at = At::Mark;
                }
                _ => {
                    self.step(*byte);
                    rest = after;
                }
            }
        }
    }

    fn step(&mut self, byte: u8) {
        let next = match &mut self.at {
            At::Mark if byte == 0xff => At::Code,
            At::Code => match byte {
                0xff => At::Code,
                // Markers without a segment.
                0x01 | 0xd0..=0xd8 => At::Mark,
                // The pixels, or the end, before any size.
                0x00 | 0xd9 | 0xda => At::Done,
                code => At::Segment { frame: is_frame(code), read: Vec::new() },
            },
            At::Segment { frame, read } => {
                read.push(byte);
                match (*frame, read.as_slice()) {
                    (true, [_, _, _, a, b, c, d]) => {
                        let number = |high: &u8, low: &u8| u32::from(u16::from_be_bytes([*high, *low]));
                        self.size = Some((number(c, d), number(a, b)));
                        At::Done
                    }
                    (false, [high, low]) => match usize::from(u16::from_be_bytes([*high, *low])) {
                        0 | 1 => At::Done,
                        length => At::Within(length - 2),
                    },
                    _ => return,
                }
            }
            _ => At::Done,
        };
        self.at = next;
    }
}

/// The segments that begin a picture, of every way to code one.
fn is_frame(code: u8) -> bool {
    matches!(code, 0xc0..=0xcf) && !matches!(code, 0xc4 | 0xc8 | 0xcc)
}

#[cfg(test)]
#[path = "picture_size_tests.rs"]
mod tests;
