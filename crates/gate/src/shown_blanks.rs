//! Blanks between what is seen of an argument: how they are shown, so that they push nothing out of sight (THREAT[gate-13]).

use crate::shown_arguments::{is_hidden, is_ours, runs, spell};

/// Columns of blanks inside a line that are still read as blanks; a tab has eight.
const INSIDE: usize = 8;
/// Columns at the beginning of a line that are still read as its indentation.
const INDENTATION: usize = 48;
/// Line breaks with nothing visible between them that still leave the next line in sight.
const BREAKS: usize = 3;
const TAB: usize = 8;

/// How the text of an argument is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// It has one line; a break or a tab in it is spelt out.
    OneLine,
    /// It may have several, with tabs and indentation.
    Lines,
}

/// Is nothing of this character seen where it stands?
pub(crate) fn is_gap(character: char) -> bool {
    character == ' ' || (is_hidden(character) && !is_ours(character))
}

/// Shows a whole gap: everything between two visible characters.
pub(crate) fn show_gap(shown: &mut String, gap: &str, layout: Layout) {
    // Too many breaks are counted, whatever invisible things stand between them, and make one break together.
    let last = gap.rfind('\n').filter(|_| layout == Layout::Lines && gap.matches('\n').count() > BREAKS);
    let (spelt, rest) = last.map_or(("", gap), |last| gap.split_at(last.saturating_add(1)));
    for run in runs(spelt) {
        spell_run(shown, run);
    }
    let mut begins_line = last.is_some();
    if begins_line {
        shown.push('\n');
    }
    let blank = |character: char| character == ' ' || (character == '\t' && layout == Layout::Lines);
    let mut rest = rest;
    while let Some(first) = rest.chars().next() {
        let end = match blank(first) {
            true => rest.find(|character: char| !blank(character)).unwrap_or(rest.len()),
            false => runs(rest).next().map_or(rest.len(), str::len),
        };
        let (run, after) = rest.split_at(end);
        match (first, layout) {
            _ if blank(first) => show_blanks(shown, run, if begins_line { INDENTATION } else { INSIDE }),
            ('\n', Layout::Lines) => shown.push_str(run),
            ('\n', Layout::OneLine) => {
                spell_run(shown, run);
                shown.push('\n');
            }
            _ => spell_run(shown, run),
        }
        begins_line = first == '\n' && layout == Layout::Lines;
        rest = after;
    }
}

fn show_blanks(shown: &mut String, blanks: &str, most: usize) {
    let column = |blank: char| if blank == '\t' { TAB } else { 1 };
    match blanks.chars().map(column).sum::<usize>() > most {
        true => runs(blanks).for_each(|run| spell_run(shown, run)),
        false => shown.push_str(blanks),
    }
}

fn spell_run(shown: &mut String, run: &str) {
    if let Some(character) = run.chars().next() {
        spell(shown, character, run.chars().count());
    }
}
