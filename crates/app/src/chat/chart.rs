//! A chart on a terminal: one bar for each row, as long as its first number, and all of its numbers beside it.

const BAR: usize = 24;
const ROWS: usize = 40;
const LABEL: usize = 24;

/// The rows of CSV as bars. What holds no number is given back as it is.
pub(super) fn bars(csv: &str, unit: &str) -> String {
    let rows: Vec<Vec<&str>> =
        csv.lines().skip(1).filter(|line| !line.trim().is_empty()).map(fields).collect();
    let number =
        |row: &[&str]| row.get(1).and_then(|text| text.parse::<f64>().ok()).filter(|n| n.is_finite());
    let most = rows.iter().filter_map(|row| number(row)).map(f64::abs).fold(0.0, f64::max);
    if most <= 0.0 {
        return csv.to_owned();
    }
    let width = rows
        .iter()
        .map(|row| row.first().map_or(0, |label| label.chars().count()))
        .max()
        .unwrap_or(0)
        .min(LABEL);
    let mut lines: Vec<String> =
        rows.iter().take(ROWS).map(|row| bar(row, number(row), most, width, unit)).collect();
    if rows.len() > ROWS {
        lines.push(format!("… {} more rows", rows.len() - ROWS));
    }
    lines.join("\n")
}

fn bar(row: &[&str], number: Option<f64>, most: f64, width: usize, unit: &str) -> String {
    let label: String = row.first().unwrap_or(&"").chars().take(width).collect();
    let length = (number.unwrap_or(0.0).abs() / most * BAR as f64).round() as usize;
    let numbers = row.get(1..).unwrap_or_default().join(", ");
    let line = format!("{label:width$} {:BAR$} {numbers} {unit}", "█".repeat(length));
    line.trim_end().to_owned()
}

fn fields(line: &str) -> Vec<&str> {
    let sign = [';', '\t'].into_iter().find(|sign| line.contains(*sign)).unwrap_or(',');
    line.split(sign).map(|field| field.trim().trim_matches('"')).collect()
}

#[cfg(test)]
mod tests {
    use super::bars;

    #[test]
    fn each_row_has_a_bar_as_long_as_its_first_number() {
        let drawn = bars("Day,Rain,Sun\nMon,3,8\nTuesday,6,1\nWed,,2", "mm");
        let lengths: Vec<usize> = drawn.lines().map(|line| line.matches('█').count()).collect();
        assert_eq!(lengths, [12, 24, 0], "{drawn}");
        assert!(drawn.lines().next().is_some_and(|line| line.ends_with("3, 8 mm")), "{drawn}");
    }

    #[test]
    fn what_holds_no_number_is_given_back() {
        assert_eq!(bars("just words", ""), "just words");
        assert_eq!(bars("a,b\nx,NaN\ny,inf", ""), "a,b\nx,NaN\ny,inf");
    }

    #[test]
    fn many_rows_are_cut_and_counted() {
        let csv = format!("a,b\n{}", "x,1\n".repeat(50));
        assert!(bars(&csv, "").ends_with("… 10 more rows"));
    }
}
