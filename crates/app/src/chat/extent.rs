//! How much of the screen a half-typed line takes, so that it can be taken off and put back.

use unicode_width::UnicodeWidthChar as _;

/// What stands before the first line, and before each further one.
#[derive(Clone, Copy, Debug)]
pub struct Marks<'a> {
    pub first: &'a str,
    pub further: &'a str,
}

/// How many rows the cursor is below the row where the prompt begins, on a terminal so many columns wide.
pub fn rows_above_cursor(marks: Marks<'_>, before_cursor: &str, columns: u16) -> u16 {
    let columns = usize::from(columns.max(1));
    let (mut row, mut column) = (0_u16, 0);
    for (number, line) in before_cursor.split('\n').enumerate() {
        let mark = if number == 0 { marks.first } else { marks.further };
        if number > 0 {
            (row, column) = (row.saturating_add(1), 0);
        }
        for letter in mark.chars().chain(line.chars()) {
            let width = letter.width().unwrap_or(0);
            // A wide letter that does not fit goes to the next row as a whole.
            if column + width > columns {
                (row, column) = (row.saturating_add(1), 0);
            }
            column += width;
        }
    }
    // The cursor does not stay behind the last column.
    if column >= columns { row.saturating_add(1) } else { row }
}

/// Takes the prompt off the screen: to its first row, and everything from there on is gone.
pub fn erasing(rows_above: u16) -> String {
    let up = if rows_above == 0 { String::new() } else { format!("\u{1b}[{rows_above}A") };
    format!("{up}\r\u{1b}[J")
}

#[cfg(test)]
#[path = "extent_tests.rs"]
mod tests;
