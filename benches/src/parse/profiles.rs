//! Replies to be read: the same every time, a megabyte or so of each kind.

/// A generator of numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }
}

const WORDS: [&str; 48] = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "a",
    "is",
    "that",
    "for",
    "it",
    "as",
    "was",
    "with",
    "be",
    "by",
    "on",
    "not",
    "this",
    "are",
    "or",
    "from",
    "at",
    "which",
    "but",
    "have",
    "an",
    "they",
    "you",
    "were",
    "there",
    "been",
    "their",
    "one",
    "all",
    "we",
    "can",
    "more",
    "when",
    "will",
    "about",
    "café",
    "naïve",
    "“quoted”",
    "→",
    "日本",
    "€",
    "however,",
    "because",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Paragraphs, lists, headings; no markup at all.
    Prose,
    /// What an agent at work writes: mostly prose, some code, an element every 650 bytes or so.
    Mixed,
    /// Code fences full of angle brackets.
    Code,
    /// One element after the other.
    Dense,
}

pub const ALL: [Profile; 4] = [Profile::Prose, Profile::Mixed, Profile::Code, Profile::Dense];

/// A reply of at least this many bytes, ending with a whole paragraph.
pub fn reply(profile: Profile, bytes: usize) -> String {
    let mut dice = Dice(7);
    let mut text = String::with_capacity(bytes + 4096);
    while text.len() < bytes {
        match profile {
            Profile::Prose => prose(&mut text, &mut dice),
            Profile::Mixed => {
                prose(&mut text, &mut dice);
                prose(&mut text, &mut dice);
                if dice.roll(8) == 0 {
                    code(&mut text, &mut dice);
                } else {
                    element(&mut text, &mut dice);
                }
            }
            Profile::Code => code(&mut text, &mut dice),
            Profile::Dense => element(&mut text, &mut dice),
        }
    }
    text
}

fn sentence(text: &mut String, dice: &mut Dice) {
    for _ in 0..8 + dice.roll(10) {
        text.push_str(WORDS.get(dice.roll(WORDS.len())).copied().unwrap_or_default());
        text.push(' ');
    }
    text.push_str("and so on. ");
}

fn prose(text: &mut String, dice: &mut Dice) {
    match dice.roll(6) {
        0 => text.push_str("## A heading\n\n"),
        1 => text.push_str("- an item with `code`\n- **another** one\n\n"),
        _ => {}
    }
    for line in 0..3 + dice.roll(5) {
        sentence(text, dice);
        if line % 2 == 1 {
            text.push('\n');
        }
    }
    text.push_str("\n\n");
}

fn code(text: &mut String, dice: &mut Dice) {
    text.push_str("```rust\n");
    for line in 0..4 + dice.roll(8) {
        text.push_str(&format!("    if a < b && c > {line} {{ map.insert::<Vec<u8>>(\"<bash>\", x); }}\n"));
    }
    text.push_str("```\n\n");
}

fn element(text: &mut String, dice: &mut Dice) {
    match dice.roll(6) {
        0 => {
            text.push_str("<todo title=\"Next\">\n");
            for status in ["completed", "pending"] {
                text.push_str(&format!("<item status=\"{status}\">"));
                sentence(text, dice);
                text.push_str("</item>\n");
            }
            text.push_str("</todo>");
        }
        1 => text.push_str(&format!("<progress value=\"{}\" max=\"100\">Reading</progress>", dice.roll(100))),
        2 => text.push_str("<bash>grep -rn \"needle\" src | sort | head -5</bash>"),
        3 => text.push_str("<link href=\"https://example.org/page?a=1&amp;b=2\">the page</link>"),
        4 => {
            text.push_str("<thinking>");
            sentence(text, dice);
            sentence(text, dice);
            text.push_str("</thinking>");
        }
        _ => text.push_str("<copy label='Copy'>12 Station Road</copy>"),
    }
    text.push_str("\n\n");
}

/// The text in pieces of at least this many bytes, none of which ends inside of a character.
pub fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::with_capacity(text.len() / size.max(1) + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let end = (size..rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        pieces.push(piece);
        rest = after;
    }
    pieces
}
