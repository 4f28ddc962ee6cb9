//! What the next step sees of a message: the agent's own text without its interactions, and nothing twice.

use crate::{Event, Options, Parser};
use domain::Origin;
use std::{borrow::Cow, collections::HashSet};

/// Interactions are taken out (their results come back as feedback), three or more line breaks become two, and a paragraph
/// that was there before is left out. Elements and tool patterns stay; so does everything inside of code fences.
pub fn seen_by_next_step(text: &str, options: Options) -> String {
    let without = without_interactions(text, options);
    if !without.contains("\n\n") {
        // One paragraph, as most messages are.
        return without.trim().to_owned();
    }
    let mut seen = HashSet::new();
    let mut kept: Vec<&str> = Vec::new();
    let mut in_fence = false;
    for paragraph in paragraphs(&without) {
        let fences = paragraph.lines().filter(|line| line.trim_start().starts_with("```")).count();
        let is_code = in_fence || fences > 0;
        in_fence ^= fences % 2 == 1;
        let trimmed = paragraph.trim();
        if is_code || (!trimmed.is_empty() && seen.insert(trimmed)) {
            kept.push(paragraph);
        }
    }
    kept.join("\n\n").trim().to_owned()
}

/// Split where two or more line breaks follow each other, and nowhere else.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").map(|paragraph| paragraph.trim_matches('\n')).filter(|paragraph| !paragraph.is_empty())
}

fn without_interactions(text: &str, options: Options) -> Cow<'_, str> {
    // An interaction is an element, or begins with an @.
    if !text.contains(['<', '@']) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    let mut cut = |event: Event<'_>| {
        if let Event::Call(call) = event
            && call.origin == Origin::Interaction
            && call.span.start >= from
        {
            kept.push_str(text.get(from..call.span.start).unwrap_or_default());
            from = call.span.end;
        }
    };
    let mut parser = Parser::new(options);
    parser.push(text, &mut cut);
    parser.finish(&mut cut);
    kept.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(kept)
}
