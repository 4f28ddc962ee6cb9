//! What a parser says, as lines that are easy to compare.

use markup::{Event, Options, Parser};

/// What was told of a text that came in these pieces. Neighbouring pieces of text are joined.
pub fn told_in_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, options: Options) -> Vec<String> {
    let mut told = Told::default();
    let mut parser = Parser::new(options);
    for piece in pieces {
        parser.push_bytes(piece, |event| told.note(&event));
    }
    parser.finish(|event| told.note(&event));
    parser.finish(|event| told.note(&event));
    told.lines()
}

pub fn told(text: &str) -> Vec<String> {
    told_in_pieces([text.as_bytes()], Options::default())
}

#[derive(Default)]
pub struct Told {
    lines: Vec<String>,
    /// The label and the content of the text that is still growing.
    open: Option<(String, String)>,
}

impl Told {
    pub fn note(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) => self.grow("text".to_owned(), text),
            Event::ElementDelta { id, text } => self.grow(format!("update {id}"), text),
            Event::ElementStart { id, parent_id, kind, attributes, executable, .. } => {
                let parent = parent_id.map(|parent| format!(" in {parent}")).unwrap_or_default();
                let attributes = attributes.iter().map(|(name, value)| format!(" {name}={value:?}"));
                let runs = if *executable { " runs" } else { "" };
                self.line(format!("start {id} {kind}{parent}{}{runs}", attributes.collect::<String>()));
            }
            Event::ElementComplete { id, kind, content, .. } => {
                self.line(format!("complete {id} {kind} {content:?}"));
            }
            Event::ElementError { id, error, .. } => {
                let id = id.map(|id| format!(" {id}")).unwrap_or_default();
                self.line(format!("error{id} {error}"));
            }
            Event::Call(call) => {
                self.line(format!(
                    "call {} {}:{} {}",
                    call.reference, call.target, call.name, call.arguments
                ));
            }
        }
    }

    fn grow(&mut self, label: String, text: &str) {
        match &mut self.open {
            Some((open, content)) if *open == label => content.push_str(text),
            _ => {
                self.settle();
                self.open = Some((label, text.to_owned()));
            }
        }
    }

    fn line(&mut self, line: String) {
        self.settle();
        self.lines.push(line);
    }

    fn settle(&mut self) {
        if let Some((label, content)) = self.open.take() {
            self.lines.push(format!("{label} {content:?}"));
        }
    }

    pub fn lines(mut self) -> Vec<String> {
        self.settle();
        self.lines
    }
}
