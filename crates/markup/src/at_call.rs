//! `@target(method, {…})` at the beginning of a line.

use crate::{
    Target,
    json::{Dialect, Reader, Step},
};
use serde_json::Value;

#[derive(Debug)]
enum Phase {
    Target,
    BeforeMethod,
    Method,
    /// A comma, the object or the end.
    AfterMethod,
    BeforeObject,
    Object(Box<Reader>),
    AfterObject,
}

#[derive(Debug)]
pub(crate) struct AtScan {
    phase: Phase,
    target: String,
    method: String,
    arguments: Value,
}

#[derive(Debug)]
pub(crate) enum AtStep {
    More,
    NotACall,
    Call { target: Target, method: String, arguments: Value },
}

const TARGETS: [&str; 3] = ["@system", "@user", "@agent"];

impl AtScan {
    /// Behind the `@`.
    pub(crate) fn new() -> Self {
        let arguments = Value::Object(serde_json::Map::new());
        Self { phase: Phase::Target, target: "@".to_owned(), method: String::new(), arguments }
    }

    pub(crate) fn step(&mut self, byte: u8) -> AtStep {
        let space = byte.is_ascii_whitespace();
        let word = byte.is_ascii_alphanumeric() || byte == b'_';
        let next = match (&mut self.phase, byte) {
            (Phase::Target, b'(') if TARGETS.contains(&self.target.as_str()) => Phase::BeforeMethod,
            (Phase::Target, _) => return self.target_letter(byte),
            (Phase::BeforeMethod | Phase::AfterMethod | Phase::BeforeObject | Phase::AfterObject, _)
                if space =>
            {
                return AtStep::More;
            }
            (Phase::BeforeMethod | Phase::Method, _)
                if word && !(self.method.is_empty() && byte.is_ascii_digit()) =>
            {
                self.method.push(char::from(byte));
                Phase::Method
            }
            (Phase::Method, _) if space => Phase::AfterMethod,
            (Phase::Method | Phase::AfterMethod, b',') => Phase::BeforeObject,
            (Phase::Method | Phase::AfterMethod | Phase::BeforeObject, b'{') => {
                let mut reader = Box::new(Reader::new(Dialect::Json5));
                let _ = reader.step(byte);
                Phase::Object(reader)
            }
            (Phase::Method | Phase::AfterMethod | Phase::BeforeObject | Phase::AfterObject, b')') => {
                return self.call();
            }
            (Phase::Object(reader), _) => match reader.step(byte) {
                Step::More => return AtStep::More,
                Step::Fail => return AtStep::NotACall,
                Step::Done => {
                    self.arguments = reader.take();
                    Phase::AfterObject
                }
            },
            _ => return AtStep::NotACall,
        };
        self.phase = next;
        AtStep::More
    }

    fn target_letter(&mut self, byte: u8) -> AtStep {
        self.target.push(char::from(byte));
        let possible = TARGETS.iter().any(|target| target.starts_with(&self.target));
        if possible { AtStep::More } else { AtStep::NotACall }
    }

    fn call(&mut self) -> AtStep {
        AtStep::Call {
            target: Target::parse(&self.target),
            method: std::mem::take(&mut self.method),
            arguments: self.arguments.take(),
        }
    }
}
