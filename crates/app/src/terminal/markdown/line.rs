//! What a line may begin, without reading what stands around it.

/// How a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Blank,
    Indented,
    Quote,
    Bullet(char),
    Number(char),
    /// A heading, a fence, a rule, raw HTML: something that may begin a block.
    Mark,
    Words,
}

impl LineKind {
    pub fn of(line: &str) -> Self {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let mut letters = text.chars();
        match letters.next() {
            _ if text.trim().is_empty() => Self::Blank,
            _ if indent > 3 => Self::Indented,
            Some('\t') => Self::Indented,
            Some('>') => Self::Quote,
            Some(mark @ ('-' | '*' | '+')) if matches!(letters.next(), None | Some(' ' | '\t')) => {
                Self::Bullet(mark)
            }
            Some('#' | '`' | '~' | '<' | '-' | '*' | '_' | '[') => Self::Mark,
            Some('0'..='9') => numbered(text).map_or(Self::Words, Self::Number),
            _ => Self::Words,
        }
    }

    pub fn is_list(self) -> bool {
        matches!(self, Self::Bullet(_) | Self::Number(_))
    }

    /// Surely belongs to the block whose first line is of that kind.
    pub fn goes_on(self, first: Self, after_blank: bool) -> bool {
        match self {
            Self::Indented => true,
            Self::Words => !after_blank,
            Self::Quote => first == self && !after_blank,
            Self::Bullet(_) | Self::Number(_) => first == self,
            Self::Blank | Self::Mark => false,
        }
    }
}

fn numbered(text: &str) -> Option<char> {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let mut letters = rest.chars();
    let mark = letters.next().filter(|mark| matches!(mark, '.' | ')'))?;
    matches!(letters.next(), None | Some(' ' | '\t')).then_some(mark)
}

/// Code between two lines of backticks or tildes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeFence {
    mark: char,
    length: usize,
    indent: usize,
    info: String,
}

impl CodeFence {
    pub fn opened_by(line: &str) -> Option<Self> {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let length = text.len() - info.len();
        let is_code_span = mark == '`' && info.contains('`');
        (indent < 4 && length >= 3 && !is_code_span).then(|| Self {
            mark,
            length,
            indent,
            info: info.trim().to_owned(),
        })
    }

    pub fn language(&self) -> &str {
        self.info.split_whitespace().next().unwrap_or_default()
    }

    pub fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim_start_matches(' ');
        let rest = text.trim_start_matches(self.mark);
        line.len() - text.len() < 4 && text.len() - rest.len() >= self.length && rest.trim().is_empty()
    }

    /// As much as the fence itself is indented by.
    pub fn without_indent<'a>(&self, line: &'a str) -> &'a str {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        line.get(spaces.min(self.indent)..).unwrap_or(line)
    }
}
