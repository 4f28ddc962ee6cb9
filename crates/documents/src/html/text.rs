//! A slim page as plain text.

use super::slim::is_block;

/// Words as they are read, with a line per block and a dash before each item of a list.
pub(super) fn text(slim: &str) -> String {
    let mut out = Lines::default();
    for piece in slim.split_inclusive('>') {
        // Every `<` is a tag's: the page was written that way.
        let (words, tag) = piece.split_once('<').unwrap_or((piece, ""));
        out.words(&html_escape::decode_html_entities(words));
        let closes = tag.starts_with('/');
        let name = tag.trim_start_matches('/').split([' ', '>']).next().unwrap_or_default();
        match name {
            "" => {}
            "title" if !closes => out.break_line(2),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "p" | "title" => out.break_line(2),
            "li" if !closes => {
                out.break_line(1);
                out.words("- ");
            }
            "td" | "th" if closes => out.words(" "),
            name if is_block(name) => out.break_line(1),
            _ => {}
        }
    }
    out.text.trim().to_owned()
}

#[derive(Default)]
struct Lines {
    text: String,
    space: bool,
}

impl Lines {
    fn words(&mut self, words: &str) {
        for character in words.chars() {
            if character.is_whitespace() {
                self.space = true;
                continue;
            }
            if std::mem::take(&mut self.space) && !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push(' ');
            }
            self.text.push(character);
        }
    }

    fn break_line(&mut self, count: usize) {
        self.space = false;
        while !self.text.is_empty() && !self.text.ends_with(if count > 1 { "\n\n" } else { "\n" }) {
            self.text.push('\n');
        }
    }
}
