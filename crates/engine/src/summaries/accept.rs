//! Is an answer a summary? A blank one would wipe a memory, the whole text again would save nothing, and an excuse is no
//! summary at all.

use provider::{Model, Stop};

/// The sections of a summary.
pub(super) const SECTIONS: [&str; 5] =
    ["Decisions & Outcomes", "Pending", "Key facts", "Errors & retries", "Current conversation"];

/// What a model said when it was asked for a summary.
pub(super) struct SummaryReply {
    pub(super) text: String,
    pub(super) stop: Stop,
}

/// What a summary may weigh at most, in tokens of this model.
pub(super) fn most(model: &Model, replaced: u64) -> u64 {
    let share = (model.window() / 8).clamp(200, 6_000);
    share.min(replaced.saturating_mul(3) / 4)
}

/// A summary in sections, as it was asked for: at least one heading, in whatever language, something below it, and nothing was
/// cut off.
pub(super) fn sections(model: &Model, answer: &SummaryReply, replaced: u64) -> Option<String> {
    let text = answer.text.trim();
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    // Headings alone say nothing, and neither do words before the first one.
    let said = lines().skip_while(|line| !is_heading(line)).any(|line| !is_heading(line));
    let whole = answer.stop == Stop::Completed;
    (whole && said && fits(model, text, replaced)).then(|| text.to_owned())
}

/// Markdown has two ways to make a line one, besides saying one of ours.
pub(super) fn is_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    let marked = title.len() < line.len() && title.starts_with(char::is_whitespace);
    let bold = line.strip_prefix("**").and_then(|rest| rest.trim_end_matches(':').strip_suffix("**"));
    let bold = bold.is_some_and(|title| !title.is_empty() && !title.contains("**"));
    let plain = line.trim_matches(|c: char| !c.is_alphanumeric());
    marked && !title.trim().is_empty()
        || bold
        || SECTIONS.iter().any(|known| plain.eq_ignore_ascii_case(known))
}

/// Bullets: what is no bullet is left out; one that was cut off, too.
pub(super) fn bullets(model: &Model, answer: &SummaryReply, replaced: u64) -> Option<String> {
    let mut lines: Vec<&str> = answer.text.lines().map(str::trim_end).collect();
    if answer.stop != Stop::Completed {
        lines.pop();
    }
    let is_bullet = |line: &&&str| {
        let line = line.trim_start();
        let rest = line.strip_prefix(['-', '*', '•']);
        rest.is_some_and(|rest| rest.starts_with(' ') && !rest.trim().is_empty())
    };
    let text = lines.iter().filter(is_bullet).copied().collect::<Vec<_>>().join("\n");
    (!text.is_empty() && fits(model, &text, replaced)).then_some(text)
}

fn fits(model: &Model, text: &str, replaced: u64) -> bool {
    !text.trim().is_empty() && model.estimate(text) <= most(model, replaced)
}
