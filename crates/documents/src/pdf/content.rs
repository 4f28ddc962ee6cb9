//! The operators of a page, as far as they show text.

use super::{
    FontShelf,
    file::PdfFile,
    font::Font,
    lines::Lines,
    object::{Dict, Lexer, Object, PdfToken, is_space},
};
use crate::{kind::find, limits::Remaining};
use encoding_rs::{UTF_8, UTF_16BE, WINDOWS_1252};
use std::rc::Rc;

/// Forms within forms.
const DEEPEST_FORM: usize = 12;
/// States that are saved within each other.
const MOST_SAVED: usize = 500;
/// Operands before an operator.
const MOST_OPERANDS: usize = 1_000;

/// `[a b c d e f]`: x' = a·x + c·y + e, y' = b·x + d·y + f.
pub(super) type Matrix = [f64; 6];

const UNCHANGED: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

fn times(first: &Matrix, then: &Matrix) -> Matrix {
    let [a, b, c, d, e, f] = first;
    let [g, h, i, j, k, l] = then;
    [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l]
}

#[derive(Clone)]
struct State {
    place: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

/// A page while its text is read.
pub(super) struct Page<'a, 'f> {
    file: &'a PdfFile<'f>,
    fonts: &'a mut FontShelf,
    state: State,
    saved: Vec<State>,
    text: Matrix,
    line: Matrix,
    /// Marked pieces that are open, with the words that stand for what is shown in them.
    marked: Vec<Option<String>>,
    lines: Lines,
}

impl<'a, 'f> Page<'a, 'f> {
    pub(super) fn new(file: &'a PdfFile<'f>, fonts: &'a mut FontShelf) -> Self {
        let state = State {
            place: UNCHANGED,
            font: None,
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        Self {
            file,
            fonts,
            state,
            saved: Vec::new(),
            text: UNCHANGED,
            line: UNCHANGED,
            marked: Vec::new(),
            lines: Lines::default(),
        }
    }

    pub(super) fn text(mut self, page: &Dict, resources: Dict, remaining: &mut Remaining) -> String {
        let contents = page.get("Contents");
        let mut whole = Vec::new();
        match self.file.resolve(contents, remaining) {
            Object::Array(pieces) => {
                for piece in pieces.iter() {
                    if let Some(bytes) = self.file.stream(piece, remaining) {
                        whole.extend(bytes);
                        whole.push(b'\n');
                    }
                    if remaining.cut() || whole.len() > remaining.limits.entry {
                        break;
                    }
                }
            }
            _ => whole = self.file.stream(contents, remaining).unwrap_or_default(),
        }
        self.run(&whole, &resources, 0, remaining);
        self.lines.finish()
    }

    fn run(&mut self, content: &[u8], resources: &Dict, depth: usize, remaining: &mut Remaining) {
        let mut lexer = Lexer::new(content, 0);
        let mut operands: Vec<Object> = Vec::new();
        while let Some(token) = lexer.token() {
            if !remaining.step() {
                return;
            }
            match token {
                PdfToken::Object(object) if operands.len() < MOST_OPERANDS => operands.push(object),
                PdfToken::Object(_) => operands.clear(),
                PdfToken::Keyword(word) => {
                    match word.as_ref() {
                        b"BI" => skip_picture(&mut lexer),
                        b"Do" => self.form(&operands, resources, depth, remaining),
                        b"Tf" => self.font(&operands, resources, remaining),
                        b"BDC" => self.mark(&operands, resources, remaining),
                        word => self.operator(word, &operands, remaining),
                    }
                    operands.clear();
                }
            }
        }
    }

    fn operator(&mut self, word: &[u8], operands: &[Object], remaining: &mut Remaining) {
        let number = |index: usize| operands.get(index).and_then(Object::number).unwrap_or(0.0);
        match word {
            b"q" if self.saved.len() < MOST_SAVED => self.saved.push(self.state.clone()),
            b"Q" => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            b"cm" => self.state.place = times(&matrix(operands), &self.state.place),
            b"BT" => (self.text, self.line) = (UNCHANGED, UNCHANGED),
            b"Tc" => self.state.char_space = number(0),
            b"Tw" => self.state.word_space = number(0),
            b"Tz" => self.state.stretch = number(0) / 100.0,
            b"TL" => self.state.leading = number(0),
            b"Ts" => self.state.rise = number(0),
            b"Td" => self.next_line(number(0), number(1)),
            b"TD" => {
                self.state.leading = -number(1);
                self.next_line(number(0), number(1));
            }
            b"Tm" => {
                self.line = matrix(operands);
                self.text = self.line;
            }
            b"T*" => self.next_line(0.0, -self.state.leading),
            b"Tj" => self.show(operands.first(), remaining),
            b"'" => {
                self.next_line(0.0, -self.state.leading);
                self.show(operands.first(), remaining);
            }
            b"\"" => {
                (self.state.word_space, self.state.char_space) = (number(0), number(1));
                self.next_line(0.0, -self.state.leading);
                self.show(operands.get(2), remaining);
            }
            b"TJ" => {
                for item in operands.first().map(Object::items).unwrap_or_default() {
                    match item {
                        Object::Number(back) => {
                            self.advance(-back / 1_000.0 * self.state.size * self.state.stretch);
                        }
                        item => self.show(Some(item), remaining),
                    }
                }
            }
            b"BMC" => self.marked.push(None),
            b"EMC" => {
                if let Some(Some(words)) = self.marked.pop() {
                    self.stand_in(&words);
                }
            }
            _ => {}
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = times(&[1.0, 0.0, 0.0, 1.0, x, y], &self.line);
        self.text = self.line;
    }

    fn advance(&mut self, x: f64) {
        self.text = times(&[1.0, 0.0, 0.0, 1.0, x, 0.0], &self.text);
    }

    /// Where the next sign stands on the page, and how large it is.
    fn at(&self) -> Matrix {
        let State { size, stretch, rise, .. } = self.state;
        let shape = [size * stretch, 0.0, 0.0, size, 0.0, rise];
        times(&times(&shape, &self.text), &self.state.place)
    }

    fn show(&mut self, string: Option<&Object>, remaining: &mut Remaining) {
        let Some(bytes) = string.and_then(Object::bytes) else { return };
        let Some(font) = self.state.font.clone() else { return };
        let silent = self.marked.iter().any(Option::is_some);
        if !remaining.steps(bytes.len() as u64) {
            return;
        }
        for glyph in font.glyphs(bytes) {
            let at = self.at();
            let State { size, char_space, word_space, stretch, .. } = self.state;
            let width = glyph.width / 1_000.0;
            let spaces = char_space + if glyph.is_space { word_space } else { 0.0 };
            if silent {
                self.lines.pass(&at, width);
            } else {
                self.lines.show(&glyph.text, &at, width);
            }
            self.advance((width * size + spaces) * stretch);
        }
    }

    /// Words that stand for what was just shown.
    fn stand_in(&mut self, words: &str) {
        if !self.marked.iter().any(Option::is_some) {
            self.lines.stand_in(words);
        }
    }

    fn font(&mut self, operands: &[Object], resources: &Dict, remaining: &mut Remaining) {
        let [Object::Name(name), size] = operands else { return };
        let fonts = self.file.resolve(resources.get("Font"), remaining);
        let name = String::from_utf8_lossy(name);
        let object = fonts.dict().map_or(Object::Null, |fonts| fonts.get(&name).clone());
        self.state.font = self.fonts.get(&object, self.file, remaining);
        self.state.size = size.number().unwrap_or(0.0);
    }

    fn mark(&mut self, operands: &[Object], resources: &Dict, remaining: &mut Remaining) {
        let properties = match operands.get(1) {
            Some(Object::Name(name)) => {
                let all = self.file.resolve(resources.get("Properties"), remaining);
                let found = all.dict().map(|all| all.get(&String::from_utf8_lossy(name)).clone());
                self.file.resolve(&found.unwrap_or(Object::Null), remaining)
            }
            Some(other) => other.clone(),
            None => Object::Null,
        };
        let words = properties.dict().map(|dict| self.file.resolve(dict.get("ActualText"), remaining));
        let words = words.as_ref().and_then(Object::bytes).map(text_string);
        if words.is_some() && self.marked.iter().all(Option::is_none) {
            self.lines.mark();
        }
        if self.marked.len() < MOST_SAVED {
            self.marked.push(words);
        }
    }

    fn form(&mut self, operands: &[Object], resources: &Dict, depth: usize, remaining: &mut Remaining) {
        let Some(Object::Name(name)) = operands.first() else { return };
        let forms = self.file.resolve(resources.get("XObject"), remaining);
        let Some(object) = forms.dict().map(|forms| forms.get(&String::from_utf8_lossy(name)).clone()) else {
            return;
        };
        let found = self.file.resolve(&object, remaining);
        let Some(dict) = found.dict().filter(|dict| dict.get("Subtype").is_name("Form")) else { return };
        // A form costs what it unpacks to each time it is shown, so that one that is shown a million times ends.
        if depth >= DEEPEST_FORM || !remaining.steps(1_000) {
            return;
        }
        let Some(content) = self.file.stream(&object, remaining) else { return };
        let own = self.file.resolve(dict.get("Resources"), remaining);
        let resources = own.dict().cloned().unwrap_or_else(|| resources.clone());
        let (state, saved) = (self.state.clone(), std::mem::take(&mut self.saved));
        let (text, line) = (self.text, self.line);
        let moved = self.file.resolve(dict.get("Matrix"), remaining);
        if moved.items().len() == 6 {
            self.state.place = times(&matrix(moved.items()), &self.state.place);
        }
        self.run(&content, &resources, depth + 1, remaining);
        (self.state, self.saved, self.text, self.line) = (state, saved, text, line);
    }
}

fn matrix(items: &[Object]) -> Matrix {
    let mut matrix = UNCHANGED;
    for (to, item) in matrix.iter_mut().zip(items) {
        *to = item.number().unwrap_or(0.0);
    }
    matrix
}

/// A picture in the middle of a page: its bytes are no operators.
fn skip_picture(lexer: &mut Lexer<'_>) {
    let rest = lexer.bytes.get(lexer.at..).unwrap_or_default();
    let Some(data) = find(rest, b"ID") else { return lexer.at = lexer.bytes.len() };
    let mut at = data + 2;
    while let Some(found) = rest.get(at..).and_then(|rest| find(rest, b"EI")).map(|found| at + found) {
        let space = |index: usize| rest.get(index).is_none_or(|byte| is_space(*byte));
        at = found + 2;
        if space(found.wrapping_sub(1)) && space(found + 2) {
            break;
        }
    }
    lexer.at += at;
}

/// A string that is text for people.
pub(super) fn text_string(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => UTF_16BE.decode_without_bom_handling(rest).0.into_owned(),
        [0xef, 0xbb, 0xbf, rest @ ..] => UTF_8.decode_without_bom_handling(rest).0.into_owned(),
        bytes => WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}
