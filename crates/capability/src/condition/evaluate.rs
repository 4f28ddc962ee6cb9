//! Does a condition hold?

use super::{
    ConditionContext,
    parse::{Comparison, Expression, Node, Number},
};
use crate::time;
use chrono::{Datelike, Timelike};

/// As much of a message as is looked at, in bytes.
const LOOKED_AT: usize = 64 << 10;

impl Expression {
    pub fn holds(&self, context: &ConditionContext) -> bool {
        let message = context.message.as_str();
        let end = message.floor_char_boundary(LOOKED_AT);
        let message = message.get(..end).unwrap_or_default();
        Facts { context, message, lower: message.to_lowercase() }.hold(&self.root)
    }
}

struct Facts<'a> {
    context: &'a ConditionContext,
    message: &'a str,
    lower: String,
}

impl Facts<'_> {
    fn hold(&self, node: &Node) -> bool {
        match node {
            Node::All(nodes) => nodes.iter().all(|node| self.hold(node)),
            Node::Any(nodes) => nodes.iter().any(|node| self.hold(node)),
            Node::Not(node) => !self.hold(node),
            Node::Always(holds) => *holds,
            Node::Words(words) => words.iter().any(|word| has_word(&self.lower, word)),
            Node::Matches(pattern) => pattern.is_match(self.message),
            Node::Used(tools) => tools.iter().any(|tool| self.context.recent_tools.contains(tool)),
            Node::From(sources) => sources.iter().any(|source| source == self.context.source.as_str()),
            Node::Weekday(days) => days.contains(&self.weekday()),
            Node::Number { name, comparison, value } => compare(self.number(*name), *comparison, *value),
        }
    }

    fn weekday(&self) -> String {
        let now = time::local(self.context.at, &self.context.time_zone);
        now.format("%A").to_string().to_lowercase()
    }

    fn number(&self, name: Number) -> i64 {
        let now = time::local(self.context.at, &self.context.time_zone);
        let count = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        match name {
            Number::Hour => i64::from(now.hour()),
            Number::Minute => i64::from(now.minute()),
            Number::Day => i64::from(now.day()),
            Number::Month => i64::from(now.month()),
            Number::Step => i64::from(self.context.step),
            Number::Unanswered => count(self.context.unanswered.len()),
            Number::Length => count(self.context.message.chars().count()),
        }
    }
}

fn compare(left: i64, comparison: Comparison, right: i64) -> bool {
    match comparison {
        Comparison::Equal => left == right,
        Comparison::Unequal => left != right,
        Comparison::Less => left < right,
        Comparison::AtMost => left <= right,
        Comparison::More => left > right,
        Comparison::AtLeast => left >= right,
    }
}

/// As a word of its own: not as a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let joins = |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|text| text.chars().next());
        !joins(before) && !joins(after)
    })
}
