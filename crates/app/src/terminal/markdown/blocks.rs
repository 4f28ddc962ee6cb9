//! Blocks of Markdown as lines.

use super::{
    OPTIONS,
    spans::{Style, StyledText, wrapped},
    table::TableView,
};
use crate::terminal::{Look, neutral, one_line};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

/// What is nested deeper is not indented further.
const DEEPEST: usize = 8;
/// However narrow the terminal is.
const LEAST_WIDTH: usize = 10;
const LANGUAGE: usize = 40;

/// The lines of a text, each with its end.
pub fn render(text: &str, look: Look, width: usize) -> String {
    let parser = Parser::new_ext(text, OPTIONS);
    // Where they are used may have been shown before: nothing that was written is kept back.
    let mut known: Vec<(usize, String)> = parser
        .reference_definitions()
        .iter()
        .map(|(label, known)| (known.span.start, format!("[{label}]: {}", known.dest)))
        .collect();
    known.sort();
    let mut page = Page::new(look, width);
    for event in parser {
        page.take(event);
    }
    page.flush();
    for (number, (_, line)) in known.into_iter().enumerate() {
        if number == 0 {
            page.begin_block();
        }
        page.inline.push(StyledText::new(&line, Style::DIM));
        page.write_inline();
    }
    page.out
}

/// A line of code, with its end. It is not wrapped: what is copied is what was written.
pub fn code_line(look: Look, line: &str) -> String {
    let line = neutral(line).replace('\t', "    ");
    match line.trim_end() {
        "" => "\n".to_owned(),
        line => format!("    {}\n", look.painted("36", line)),
    }
}

/// Above code: its language, if it says one.
pub fn code_head(look: Look, language: &str) -> String {
    match one_line(language, LANGUAGE).as_str() {
        "" => String::new(),
        language => format!("  {}\n", look.dim(language)),
    }
}

/// What holds blocks: the page, a quote, an item.
#[derive(Debug, Default)]
struct Container {
    /// Before the first line, and before all others.
    first: String,
    further: String,
    width: usize,
    is_begun: bool,
    blocks: usize,
}

struct Page {
    look: Look,
    width: usize,
    out: String,
    containers: Vec<Container>,
    /// The next number of each open list; none has bullets.
    lists: Vec<Option<u64>>,
    inline: Vec<StyledText>,
    styles: Vec<Style>,
    addresses: Vec<(String, usize)>,
    code: Option<String>,
    table: Option<TableView>,
}

impl Page {
    fn new(look: Look, width: usize) -> Self {
        Self {
            look,
            width,
            out: String::new(),
            containers: vec![Container::default()],
            lists: Vec::new(),
            inline: Vec::new(),
            styles: Vec::new(),
            addresses: Vec::new(),
            code: None,
            table: None,
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => self.code_span(&text),
            Event::InlineMath(text) => self.text(&format!("${text}$")),
            Event::DisplayMath(text) => self.text(&format!("$${text}$$")),
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::FootnoteReference(name) => self.text(&format!("[^{name}]")),
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.inline.push(StyledText::line_end()),
            Event::Rule => {
                self.begin_block();
                let rule = self.look.dim(&"─".repeat(self.room()));
                self.line(&rule);
            }
            Event::TaskListMarker(done) => {
                if let Some(item) = self.containers.last_mut() {
                    item.first = if done { "☑ " } else { "☐ " }.to_owned();
                    item.further = "  ".to_owned();
                    item.width = 2;
                }
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis => return self.styles.push(Style::ITALIC),
            Tag::Strong => return self.styles.push(Style::BOLD),
            Tag::Strikethrough => return self.styles.push(Style::STRUCK),
            Tag::Link { dest_url, .. } => {
                self.addresses.push((dest_url.into_string(), self.inline.len()));
                return self.styles.push(Style::LINK);
            }
            Tag::Image { dest_url, .. } => {
                self.text("image: ");
                self.addresses.push((dest_url.into_string(), self.inline.len()));
                return self.styles.push(Style::LINK);
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
                let style = if matches!(tag, Tag::TableHead) { Style::BOLD } else { Style::default() };
                return self.styles.push(style);
            }
            Tag::TableCell => return,
            _ => self.flush(),
        }
        match tag {
            Tag::Heading { level, .. } => self.heading(level),
            Tag::CodeBlock(kind) => self.begin_code(&kind),
            Tag::HtmlBlock => self.code = Some(String::new()),
            Tag::BlockQuote(_) => {
                self.begin_block();
                let mark = format!("{} ", self.look.dim("│"));
                self.open(mark.clone(), mark, 2);
            }
            Tag::List(first) => {
                // A list belongs to the words above it.
                if self.lists.is_empty() || self.containers.len() == 1 {
                    self.begin_block();
                } else if let Some(item) = self.containers.last_mut() {
                    item.blocks += 1;
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::FootnoteDefinition(name) => {
                self.begin_block();
                let mark = one_line(&format!("[^{name}] "), LANGUAGE) + " ";
                self.open(mark, "  ".to_owned(), 2);
            }
            Tag::Table(sides) => self.table = Some(TableView { sides, rows: Vec::new() }),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::TableHead | TagEnd::TableRow => drop(self.styles.pop()),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                let lines: String = code.lines().map(|line| code_line(self.look, line)).collect();
                self.lines(&lines);
            }
            TagEnd::HtmlBlock => {
                self.begin_block();
                let code = self.code.take().unwrap_or_default();
                self.lines(&neutral(&code).replace('\t', "    "));
            }
            TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => self.close(),
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                let table = self.table.take().unwrap_or_default();
                self.begin_block();
                for line in table.lines(self.look, self.room()) {
                    self.line(&line);
                }
            }
            _ => self.flush(),
        }
    }

    fn begin_code(&mut self, kind: &CodeBlockKind<'_>) {
        self.begin_block();
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        let head = code_head(self.look, language);
        self.lines(&head);
        self.code = Some(String::new());
    }

    fn heading(&mut self, level: HeadingLevel) {
        let style = match level {
            HeadingLevel::H1 => Style::BOLD.with(Style::LINK),
            _ => Style::BOLD,
        };
        self.styles.push(style);
        // Without colours nothing else tells it from a paragraph.
        if !self.look.is_coloured() {
            self.text(&format!("{} ", "#".repeat(level as usize)));
        }
    }

    fn item(&mut self) {
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ => "• ".to_owned(),
        };
        let width = mark.chars().count();
        self.open(mark, " ".repeat(width), width);
    }

    fn text(&mut self, text: &str) {
        match &mut self.code {
            Some(code) => code.push_str(text),
            None => self.inline.push(StyledText::new(text, self.style())),
        }
    }

    fn code_span(&mut self, text: &str) {
        let style = self.style().with(Style::CODE);
        let span = if self.look.is_coloured() {
            StyledText::new(text, style)
        } else {
            StyledText::new(&format!("`{text}`"), style)
        };
        self.inline.push(span);
    }

    fn style(&self) -> Style {
        self.styles.iter().fold(Style::default(), |all, style| all.with(*style))
    }

    /// The address stands behind the words, unless they say it themselves.
    fn end_link(&mut self) {
        self.styles.pop();
        let Some((address, from)) = self.addresses.pop() else { return };
        let said: String = self.inline.get(from..).unwrap_or_default().iter().map(StyledText::text).collect();
        let bare = address.strip_prefix("mailto:").unwrap_or(&address);
        if !address.is_empty() && said != bare && said != address {
            let style = self.style().with(Style::DIM);
            self.inline.push(StyledText::new(&format!(" ({address})"), style));
        }
    }

    fn open(&mut self, first: String, further: String, width: usize) {
        // Deeper than that there is no room for the words.
        let is_deep = self.containers.len() > DEEPEST;
        let (further, width) = if is_deep { (String::new(), 0) } else { (further, width) };
        self.containers.push(Container { first, further, width, is_begun: false, blocks: 0 });
    }

    fn close(&mut self) {
        self.flush();
        // An empty item is an item.
        if self.containers.last().is_some_and(|container| !container.is_begun) {
            self.line("");
        }
        if self.containers.len() > 1 {
            self.containers.pop();
        }
    }

    /// Blocks are a line apart.
    fn begin_block(&mut self) {
        let Some(container) = self.containers.last_mut() else { return };
        let is_further = container.blocks > 0;
        container.blocks += 1;
        if is_further {
            self.line("");
        }
    }

    /// What was said so far is a paragraph.
    fn flush(&mut self) {
        if !self.inline.is_empty() {
            self.begin_block();
            self.write_inline();
        }
    }

    fn write_inline(&mut self) {
        let spans = std::mem::take(&mut self.inline);
        for line in wrapped(&spans, self.room(), false) {
            self.line(&line.painted(self.look));
        }
    }

    fn room(&self) -> usize {
        let taken: usize = self.containers.iter().map(|container| container.width).sum();
        self.width.saturating_sub(taken).max(LEAST_WIDTH)
    }

    fn lines(&mut self, text: &str) {
        for line in text.lines() {
            self.line(line);
        }
    }

    fn line(&mut self, text: &str) {
        let start = self.out.len();
        for container in &mut self.containers {
            let is_begun = std::mem::replace(&mut container.is_begun, true);
            self.out.push_str(if is_begun { &container.further } else { &container.first });
        }
        self.out.push_str(text);
        let end = self.out.get(start..).map_or(start, |line| start + line.trim_end().len());
        self.out.truncate(end);
        self.out.push('\n');
    }
}
