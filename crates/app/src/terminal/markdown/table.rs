//! Tables, in columns that fit beside each other; where there are too many, a row is a list of its cells.

use super::spans::{SpanLine, Style, StyledText, natural_width, wrapped};
use crate::terminal::Look;
use pulldown_cmark::Alignment;

const BETWEEN: usize = 3;
/// A column narrower than this is not read.
const LEAST: usize = 5;

pub type Row = Vec<Vec<StyledText>>;

#[derive(Debug, Default)]
pub struct TableView {
    pub sides: Vec<Alignment>,
    pub rows: Vec<Row>,
}

impl TableView {
    pub fn lines(&self, look: Look, width: usize) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let natural: Vec<usize> = (0..columns).map(|column| self.natural(column)).collect();
        match fitting(&natural, width.saturating_sub(BETWEEN * columns.saturating_sub(1))) {
            Some(widths) => self.in_columns(look, &widths),
            None => self.as_list(look, width),
        }
    }

    fn natural(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|row| row.get(column)).map(|cell| natural_width(cell)).max().unwrap_or(0)
    }

    fn in_columns(&self, look: Look, widths: &[usize]) -> Vec<String> {
        let mut lines = Vec::new();
        let border = look.dim("│");
        for (number, row) in self.rows.iter().enumerate() {
            let cells: Vec<Vec<SpanLine>> = widths
                .iter()
                .enumerate()
                .map(|(column, width)| {
                    wrapped(row.get(column).map(Vec::as_slice).unwrap_or_default(), *width, true)
                })
                .collect();
            for height in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let cell = |(column, lines): (usize, &Vec<SpanLine>)| {
                    let side = self.sides.get(column).copied().unwrap_or(Alignment::None);
                    padded(lines.get(height), widths.get(column).copied().unwrap_or(0), side, look)
                };
                let line =
                    cells.iter().enumerate().map(cell).collect::<Vec<_>>().join(&format!(" {border} "));
                lines.push(line.trim_end().to_owned());
            }
            if number == 0 {
                let rule = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join("─┼─");
                lines.push(look.dim(&rule));
            }
        }
        lines
    }

    fn as_list(&self, look: Look, width: usize) -> Vec<String> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for row in rows {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            for (name, cell) in head.iter().zip(row) {
                let mut spans = name.clone();
                spans.push(StyledText::new(": ", Style::default()));
                spans.extend(cell.iter().cloned());
                lines.extend(wrapped(&spans, width, false).iter().map(|line| line.painted(look)));
            }
        }
        lines
    }
}

/// The widest columns become narrower until all fit.
fn fitting(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    let taken = |most: usize| natural.iter().map(|width| (*width).min(most)).sum::<usize>();
    let widest = natural.iter().copied().max().unwrap_or(0);
    if taken(widest) <= room {
        return Some(natural.to_vec());
    }
    let (mut fits, mut too_wide) = (0, widest);
    while too_wide - fits > 1 {
        let most = usize::midpoint(fits, too_wide);
        if taken(most) <= room { fits = most } else { too_wide = most }
    }
    (fits >= LEAST).then(|| natural.iter().map(|width| (*width).min(fits)).collect())
}

fn padded(line: Option<&SpanLine>, width: usize, side: Alignment, look: Look) -> String {
    let (text, used) = line.map_or((String::new(), 0), |line| (line.painted(look), line.width));
    let free = width.saturating_sub(used);
    let left = match side {
        Alignment::Right => free,
        Alignment::Center => free / 2,
        Alignment::None | Alignment::Left => 0,
    };
    format!("{}{text}{}", " ".repeat(left), " ".repeat(free - left))
}
