//! A page with everything taken away that a model does not read: scripts, styles, drawings, comments, most attributes, and
//! depth.
//!
//! Every tag of the result was written here, and every other `<` is text. So a parser of it sees the tags that
//! were counted here, and no others.

/// Of a page, this much is looked at, and as much is written.
pub(super) const MOST_BYTES: usize = 2 << 20;
pub(super) const MOST_TAGS: usize = 60_000;
/// Open elements; deeper tags are left out, their words stay.
const DEEPEST: usize = 96;
/// Open elements such as `<b>`: a parser opens all of them again in each paragraph that follows.
const MOST_FORMATS: usize = 8;
const LONGEST_VALUE: usize = 2_048;

const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
/// They end where the next of their kind begins, so that they never go deeper by themselves.
const SHALLOW: [&str; 14] =
    ["p", "li", "dt", "dd", "option", "tr", "td", "th", "thead", "tbody", "tfoot", "html", "head", "body"];
const FORMATS: [&str; 14] =
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
/// What is in them is not for readers.
const SILENT: [&str; 16] = [
    "script",
    "style",
    "svg",
    "math",
    "template",
    "noscript",
    "iframe",
    "object",
    "canvas",
    "textarea",
    "select",
    "xmp",
    "noembed",
    "noframes",
    "plaintext",
    "frameset",
];
const KEPT: [&str; 12] =
    ["href", "src", "alt", "title", "class", "id", "name", "property", "content", "lang", "start", "colspan"];

const BLOCKS: [&str; 24] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "caption",
    "dd",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "pre",
    "section",
    "table",
    "tr",
    "ul",
];

pub(super) fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name)
}

/// A page as a website sent it. What stands for signs here is not from there.
pub(super) fn slim(html: &str) -> String {
    match html.contains([AND, LESS]) {
        true => again(&html.replace([AND, LESS], "")),
        false => again(html),
    }
}

/// A page that was slim before, and has been changed since.
pub(super) fn again(html: &str) -> String {
    let mut end = html.len().min(MOST_BYTES);
    while !html.is_char_boundary(end) {
        end -= 1;
    }
    let mut slimmer = Slimmer {
        rest: html.get(..end).unwrap_or_default(),
        out: String::new(),
        open: Vec::new(),
        formats: 0,
        tags: 0,
    };
    slimmer.run();
    slimmer.out
}

struct Slimmer<'a> {
    rest: &'a str,
    out: String,
    /// Elements that were opened and not closed in order. Never fewer than a parser has open.
    open: Vec<String>,
    formats: usize,
    tags: usize,
}

impl<'a> Slimmer<'a> {
    fn run(&mut self) {
        while let Some(at) = self.rest.find('<').filter(|_| self.out.len() < MOST_BYTES) {
            let (words, rest) = self.rest.split_at(at);
            self.words(words);
            self.rest = rest;
            self.tag();
        }
        if self.out.len() < MOST_BYTES {
            let words = std::mem::take(&mut self.rest);
            self.words(words);
        }
    }

    fn words(&mut self, words: &str) {
        push(&mut self.out, &html_escape::decode_html_entities(words));
    }

    /// At a `<`.
    fn tag(&mut self) {
        let after = self.rest.get(1..).unwrap_or_default();
        if let Some(comment) = after.strip_prefix("!--") {
            return self.rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
        }
        if after.starts_with(['!', '?']) {
            return self.rest = after.split_once('>').map_or("", |(_, rest)| rest);
        }
        let (closes, after) = after.strip_prefix('/').map_or((false, after), |after| (true, after));
        if !after.starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.out.push(LESS);
            return self.rest = self.rest.get(1..).unwrap_or_default();
        }
        let length = after.find(|c: char| c.is_whitespace() || c == '/' || c == '>').unwrap_or(after.len());
        let (name, after) = after.split_at(length);
        let name = name.to_ascii_lowercase();
        let (attributes, rest) = attributes(after);
        self.rest = rest;
        match closes {
            true => self.close(&name),
            false => self.start(&name, attributes),
        }
    }

    fn start(&mut self, name: &str, attributes: Vec<(&'static str, &'a str)>) {
        if SILENT.contains(&name) {
            return self.skip(name);
        }
        self.tags += 1;
        let counted = !VOID.contains(&name) && !SHALLOW.contains(&name);
        let formats = FORMATS.contains(&name);
        let full = counted && self.open.len() >= DEEPEST || formats && self.formats >= MOST_FORMATS;
        if full || self.tags > MOST_TAGS || !is_plain(name) {
            return self.out.push(' ');
        }
        if counted {
            self.open.push(name.to_owned());
            self.formats += usize::from(formats);
        }
        self.out.push('<');
        self.out.push_str(name);
        for (name, value) in attributes {
            self.out.push_str(&format!(" {name}=\""));
            for piece in html_escape::decode_html_entities(shortened(value)).split_inclusive(['"', '>']) {
                push(&mut self.out, piece.trim_end_matches(['"', '>']));
                self.out.push_str(match piece.bytes().last() {
                    Some(b'"') => "&quot;",
                    Some(b'>') => "&gt;",
                    _ => "",
                });
            }
            self.out.push('"');
        }
        self.out.push('>');
    }

    /// Only what is closed in order counts as closed: everything else a parser may or may not close.
    fn close(&mut self, name: &str) {
        if !is_plain(name) || VOID.contains(&name) || self.tags > MOST_TAGS {
            return;
        }
        if self.open.last().is_some_and(|last| last == name) {
            self.open.pop();
            self.formats -= usize::from(FORMATS.contains(&name)).min(self.formats);
        }
        self.out.push_str(&format!("</{name}>"));
    }

    /// Up to its end tag, whatever stands in between.
    fn skip(&mut self, name: &str) {
        let end = format!("</{name}");
        let mut from = 0;
        while let Some(at) = self.rest.get(from..).and_then(|rest| rest.find("</")).map(|at| from + at) {
            let found = self.rest.as_bytes().get(at..at + end.len());
            if found.is_some_and(|found| found.eq_ignore_ascii_case(end.as_bytes())) {
                let rest = self.rest.get(at..).unwrap_or_default();
                self.rest = rest.split_once('>').map_or("", |(_, rest)| rest);
                return;
            }
            from = at + 2;
        }
        self.rest = "";
    }
}

/// What stands for `&` and `<` among the words of a slim page, and is them again when it has become words ([`plain`]).
///
/// THREAT[html-03]: of a text with many references a parser makes as many pieces, and takes time in the square of them.
const AND: char = '\u{e000}';
const LESS: char = '\u{e001}';

/// THREAT[html-02]: a parser makes an error and a piece of text of its own out of each zero, so none comes to it.
fn push(out: &mut String, words: &str) {
    out.extend(words.chars().filter_map(|character| match character {
        '\0' => None,
        '&' => Some(AND),
        '<' => Some(LESS),
        '\r' => Some('\n'),
        other => Some(other),
    }));
}

/// Words that were made of a slim page, with their own signs.
pub(super) fn plain(words: String) -> String {
    match words.contains([AND, LESS]) {
        true => words.replace(AND, "&").replace(LESS, "<"),
        false => words,
    }
}

fn is_plain(name: &str) -> bool {
    name.len() <= 32 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn shortened(value: &str) -> &str {
    let mut end = value.len().min(LONGEST_VALUE);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    value.get(..end).unwrap_or_default()
}

/// Those attributes of a tag that are kept, each as it stands there first, and what comes after the end of the tag.
fn attributes(mut rest: &str) -> (Vec<(&'static str, &str)>, &str) {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if let Some(rest) = rest.strip_prefix('>') {
            return (found, rest);
        }
        if rest.is_empty() {
            return (found, rest);
        }
        // A name may begin with `=`; it ends before the next one.
        let ends = |(at, c): (usize, char)| at > 0 && c == '=' || c.is_whitespace() || c == '/' || c == '>';
        let length = rest.char_indices().find(|&found| ends(found)).map_or(rest.len(), |(at, _)| at);
        let (name, after) = rest.split_at(length);
        let Some(after) = after.trim_start().strip_prefix('=') else {
            rest = after;
            continue;
        };
        let (value, after) = value(after.trim_start());
        if let Some(name) = KEPT.into_iter().find(|kept| kept.eq_ignore_ascii_case(name))
            && !found.iter().any(|(known, _)| *known == name)
        {
            found.push((name, value));
        }
        rest = after;
    }
}

fn value(rest: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(rest) = rest.strip_prefix(quote) {
            return rest.split_once(quote).unwrap_or((rest, ""));
        }
    }
    rest.split_at(rest.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(rest.len()))
}
