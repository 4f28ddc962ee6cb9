//! A condition that a person writes: `words("invoice", "bill") and hour >= 9 and not used("send_mail")`.
//!
//! THREAT[condition-01]: written by anybody, asked at every model call. Its length, its depth, its words and the size of its
//! patterns are limited when it is saved; there are no loops, and patterns are matched in time linear in the text.

use super::lexer::{Placed, Token, tokens};
use domain::Source;
use regex::{Regex, RegexBuilder};

const CHARACTERS: usize = 2_000;
const TOKENS: usize = 300;
const DEPTH: usize = 20;
const PATTERNS: usize = 10;
/// Of one compiled pattern, in bytes.
const PATTERN_SIZE: usize = 256 << 10;

/// Where a condition is wrong, and how.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {position}: {problem}")]
pub struct ConditionProblem {
    /// From 1.
    pub position: usize,
    pub problem: String,
}

impl ConditionProblem {
    /// `at` counts from 0.
    pub(super) fn new(at: usize, problem: impl Into<String>) -> Self {
        Self { position: at + 1, problem: problem.into() }
    }
}

/// A condition that was understood.
#[derive(Clone, Debug)]
pub struct Expression {
    pub(super) source: String,
    pub(super) root: Node,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Always(bool),
    Words(Vec<String>),
    Matches(Regex),
    Used(Vec<String>),
    From(Vec<String>),
    Weekday(Vec<String>),
    Number { name: Number, comparison: Comparison, value: i64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Hour,
    Minute,
    Day,
    Month,
    Step,
    Unanswered,
    Length,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
}

const NUMBERS: [(&str, Number); 7] = [
    ("hour", Number::Hour),
    ("minute", Number::Minute),
    ("day", Number::Day),
    ("month", Number::Month),
    ("step", Number::Step),
    ("unanswered", Number::Unanswered),
    ("length", Number::Length),
];
const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<", Comparison::Less),
    ("<=", Comparison::AtMost),
    (">", Comparison::More),
    (">=", Comparison::AtLeast),
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const KNOWN: &str = "words(…), matches(…), used(…), source(…), weekday(…), hour, minute, day, month, step, \
     unanswered, length, true, false, and, or, not";

impl Expression {
    /// # Errors
    /// With the place at which it cannot be understood.
    pub fn parse(source: &str) -> Result<Self, ConditionProblem> {
        if source.chars().count() > CHARACTERS {
            let problem = format!("a condition must have at most {CHARACTERS} characters");
            return Err(ConditionProblem::new(CHARACTERS, problem));
        }
        let end = source.chars().count();
        let mut parser = Parser { tokens: tokens(source, TOKENS)?, next: 0, depth: 0, patterns: 0, end };
        let root = parser.any()?;
        match parser.tokens.get(parser.next) {
            Some(_) => Err(parser.problem("the condition should end here, or continue with `and` or `or`")),
            None => Ok(Self { source: source.trim().to_owned(), root }),
        }
    }

    pub fn source(&self) -> &str {
        &self.source
    }
}

struct Parser {
    tokens: Vec<Placed>,
    next: usize,
    depth: usize,
    patterns: usize,
    /// Behind the last character.
    end: usize,
}

type Parsed<T> = Result<T, ConditionProblem>;

impl Parser {
    fn any(&mut self) -> Parsed<Node> {
        let mut nodes = vec![self.all()?];
        while self.take_word("or") {
            nodes.push(self.all()?);
        }
        Ok(one_or(nodes, Node::Any))
    }

    fn all(&mut self) -> Parsed<Node> {
        let mut nodes = vec![self.one()?];
        while self.take_word("and") {
            nodes.push(self.one()?);
        }
        Ok(one_or(nodes, Node::All))
    }

    fn one(&mut self) -> Parsed<Node> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.problem(format!("`not` and `(` can be nested at most {DEPTH} times")));
        }
        let node = if self.take_word("not") {
            Node::Not(Box::new(self.one()?))
        } else if self.take_sign("(") {
            let inner = self.any()?;
            self.expect(")")?;
            inner
        } else {
            self.fact()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn fact(&mut self) -> Parsed<Node> {
        let word = match self.tokens.get(self.next) {
            Some((Token::Word(word), _)) => word.to_lowercase(),
            _ => return Err(self.problem(format!("a fact is missing here; known facts are {KNOWN}"))),
        };
        if let Some((_, name)) = NUMBERS.iter().find(|(known, _)| *known == word) {
            self.next += 1;
            return self.comparison(*name);
        }
        match word.as_str() {
            "true" | "false" => {
                self.next += 1;
                Ok(Node::Always(word == "true"))
            }
            "words" | "used" | "source" | "weekday" | "matches" => {
                let at = self.next;
                self.next += 1;
                let texts = self.texts()?;
                self.function(&word, at, texts)
            }
            _ => {
                let word = crate::arguments::shorten(&word, 40);
                Err(self.problem(format!("`{word}` is not known; known facts are {KNOWN}")))
            }
        }
    }

    fn function(&mut self, word: &str, at: usize, texts: Vec<String>) -> Parsed<Node> {
        let lower: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
        let only = |known: fn(&str) -> bool, all: &str| match lower.iter().find(|text| !known(text)) {
            Some(other) => {
                let other = crate::arguments::shorten(other, 40);
                Err(self.problem_at(at, format!("`{other}` is not known; choose from {all}")))
            }
            None => Ok(lower.clone()),
        };
        match word {
            "words" if lower.iter().any(|text| text.trim().is_empty()) => {
                Err(self.problem_at(at, "the text is empty"))
            }
            "words" => Ok(Node::Words(lower)),
            "used" => Ok(Node::Used(texts)),
            "source" => Ok(Node::From(only(|text| Source::parse(text).is_some(), &sources().join(", "))?)),
            "weekday" => Ok(Node::Weekday(only(|text| WEEKDAYS.contains(&text), &WEEKDAYS.join(", "))?)),
            _ => self.pattern(at, texts),
        }
    }

    fn pattern(&mut self, at: usize, texts: Vec<String>) -> Parsed<Node> {
        let [pattern] = texts.as_slice() else {
            return Err(self.problem_at(at, "matches needs exactly one pattern"));
        };
        self.patterns += 1;
        if self.patterns > PATTERNS {
            return Err(self.problem_at(at, format!("there can be at most {PATTERNS} patterns")));
        }
        let built = RegexBuilder::new(pattern)
            .case_insensitive(true)
            .size_limit(PATTERN_SIZE)
            .dfa_size_limit(PATTERN_SIZE)
            .nest_limit(50)
            .build();
        built.map(Node::Matches).map_err(|error| {
            let words = error.to_string();
            let last = words.lines().last().unwrap_or_default().trim();
            self.problem_at(
                at,
                format!("the pattern cannot be used: {}", crate::arguments::shorten(last, 200)),
            )
        })
    }

    fn comparison(&mut self, name: Number) -> Parsed<Node> {
        let found = match self.tokens.get(self.next) {
            Some((Token::Sign(sign), _)) => COMPARISONS.iter().find(|(known, _)| known == sign),
            _ => None,
        };
        let Some((_, comparison)) = found else {
            return Err(self.problem("a number must be compared with ==, !=, <, <=, > or >="));
        };
        self.next += 1;
        match self.tokens.get(self.next) {
            Some((Token::Number(value), _)) => {
                let value = *value;
                self.next += 1;
                Ok(Node::Number { name, comparison: *comparison, value })
            }
            _ => Err(self.problem("a whole number is missing here")),
        }
    }

    /// `("one", "two")`, at least one.
    fn texts(&mut self) -> Parsed<Vec<String>> {
        self.expect("(")?;
        let mut texts = Vec::new();
        loop {
            match self.tokens.get(self.next) {
                Some((Token::Text(text), _)) => texts.push(text.clone()),
                _ => return Err(self.problem("a text in quotes is missing here")),
            }
            self.next += 1;
            if !self.take_sign(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(texts)
    }

    fn expect(&mut self, sign: &'static str) -> Parsed<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.problem(format!("`{sign}` is missing here"))) }
    }

    fn take_sign(&mut self, wanted: &str) -> bool {
        let found = matches!(self.tokens.get(self.next), Some((Token::Sign(sign), _)) if *sign == wanted);
        self.next += usize::from(found);
        found
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        let found = matches!(self.tokens.get(self.next), Some((Token::Word(word), _)) if word.eq_ignore_ascii_case(wanted));
        self.next += usize::from(found);
        found
    }

    fn problem(&self, words: impl Into<String>) -> ConditionProblem {
        self.problem_at(self.next, words)
    }

    fn problem_at(&self, token: usize, words: impl Into<String>) -> ConditionProblem {
        let position = self.tokens.get(token).map_or(self.end + 1, |(_, position)| *position);
        ConditionProblem { position, problem: words.into() }
    }
}

/// The sources that a condition may name; what agents ask of one another is not told apart.
fn sources() -> Vec<&'static str> {
    let people = Source::ALL.iter().filter(|source| !source.is_part_of_turn());
    people.map(|source| source.as_str()).collect()
}

fn one_or(mut nodes: Vec<Node>, join: fn(Vec<Node>) -> Node) -> Node {
    match (nodes.len(), nodes.pop()) {
        (1, Some(only)) => only,
        (_, Some(last)) => {
            nodes.push(last);
            join(nodes)
        }
        (_, None) => Node::Always(true),
    }
}
