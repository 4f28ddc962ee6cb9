//! What a summary leaves behind when it is made: its facts, on a page of the scratchpad. No model is asked for it.

use crate::summaries::accept::is_heading;
use domain::{
    Session, is_misleading,
    knowledge::{FLUSHED_LINES, PAGE_TITLE_CHARS},
};
use store::knowledge::SessionPage;

/// The sections whose lines are kept.
const SECTIONS: [&str; 2] = ["Decisions & Outcomes", "Key facts"];
const LINE_CHARS: usize = 500;

/// `From “Holiday plans”`.
pub(super) fn title(session: &Session) -> String {
    let Some(name) = &session.name else {
        return format!("From a conversation that began on {}", session.created_at.to_utc().date_naive());
    };
    let room = PAGE_TITLE_CHARS.saturating_sub("From “”".chars().count());
    let name: String = name.chars().filter(|character| !is_misleading(*character)).take(room).collect();
    format!("From “{name}”")
}

/// The page that a summary in sections makes; none where it has no such lines.
pub(super) fn page(title: &str, summary: &str) -> Option<SessionPage> {
    let (mut lines, mut wanted) = (Vec::new(), false);
    for line in summary.lines().map(str::trim) {
        if is_heading(line) {
            let name = line.trim_matches(|character: char| !character.is_alphanumeric());
            wanted = SECTIONS.iter().any(|section| name.eq_ignore_ascii_case(section));
        } else if let Some(said) = bullet(line).filter(|_| wanted) {
            lines.push(said);
        }
    }
    let lines = lines.split_off(lines.len().saturating_sub(FLUSHED_LINES));
    (!lines.is_empty()).then(|| SessionPage { title: title.to_owned(), lines })
}

fn bullet(line: &str) -> Option<String> {
    let said = line.strip_prefix(['-', '*', '•'])?.strip_prefix(' ')?.trim();
    let says = said.trim_matches(|character: char| !character.is_alphanumeric());
    let is_empty = says.is_empty() || says.eq_ignore_ascii_case("none");
    (!is_empty).then(|| said.chars().take(LINE_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_two_sections_are_kept() {
        let summary = "- before\n## Decisions & Outcomes\n- We go to Crete.\nno bullet\n* None.\n-\n## Pending\n- Book.\n\
                       **Key facts:**\n• Ada eats no nuts.\n  - not even walnuts\n## Errors & retries\n- 404";
        let page = page("From “Trip”", summary).unwrap();
        assert_eq!(page.lines, ["We go to Crete.", "Ada eats no nuts.", "not even walnuts"]);
        assert_eq!(super::page("x", "## Pending\n- Book."), None);
        assert_eq!(super::page("x", ""), None);
        let many: Vec<String> =
            (0..100).map(|number| format!("- fact {number} {}", "x".repeat(1_000))).collect();
        let page = super::page("x", &format!("## Key facts\n{}", many.join("\n"))).unwrap();
        assert_eq!((page.lines.len(), page.lines[0].chars().count()), (FLUSHED_LINES, LINE_CHARS));
        assert!(page.lines[0].starts_with("fact 60 "));
    }
}
