//! How a number of a sheet is shown: as a date, a time, a share of a hundred, or as itself.

use crate::{
    limits::Remaining,
    xml::{Xml, XmlEvent},
};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Plain,
    Percent,
    Date,
    Time,
    DateTime,
}

pub(crate) struct Formats {
    styles: Vec<Shown>,
    /// Days are counted from 1904, as old Macs did.
    from_1904: bool,
}

impl Formats {
    pub(crate) fn read(styles: &str, workbook: &str, remaining: &mut Remaining) -> Self {
        let mut own: HashMap<String, String> = HashMap::new();
        let mut found = Vec::new();
        let mut inside = false;
        let mut xml = Xml::new(styles);
        while let Some(event) = xml.next(remaining) {
            match event {
                XmlEvent::Open(tag) => match tag.name() {
                    "numFmt" => {
                        own.insert(
                            tag.get("numFmtId").unwrap_or_default(),
                            tag.get("formatCode").unwrap_or_default(),
                        );
                    }
                    "cellXfs" => inside = true,
                    "xf" if inside => {
                        let id = tag.get("numFmtId").unwrap_or_default();
                        found.push(own.get(&id).map_or_else(|| usual(&id), |code| by_code(code)));
                    }
                    _ => {}
                },
                XmlEvent::Close(name) if name == "cellXfs" => inside = false,
                _ => {}
            }
        }
        let from_1904 = ["date1904=\"1\"", "date1904=\"true\""].iter().any(|mark| workbook.contains(mark));
        Self { styles: found, from_1904 }
    }

    pub(crate) fn shown(&self, value: &str, style: usize) -> String {
        let Ok(number) = value.parse::<f64>() else { return value.to_owned() };
        let days = if self.from_1904 { number + 1_462.0 } else { number };
        let seconds = (days.fract() * 86_400.0).round() as i64;
        let clock = format!("{:02}:{:02}:{:02}", seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        match self.styles.get(style).copied().unwrap_or(Shown::Plain) {
            Shown::Date if (1.0..3_000_000.0).contains(&days) => date(days as i64),
            Shown::DateTime if (1.0..3_000_000.0).contains(&days) => format!("{} {clock}", date(days as i64)),
            Shown::Time if (0.0..1.0).contains(&days) => clock,
            Shown::Percent => format!("{}%", plain(number * 100.0)),
            _ => plain(number),
        }
    }
}

/// Without the noise that binary fractions leave in the last places.
fn plain(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return format!("{number:.0}");
    }
    let rounded: f64 = format!("{number:.12e}").parse().unwrap_or(number);
    format!("{rounded}")
}

/// The formats that every program knows by number.
fn usual(id: &str) -> Shown {
    match id.parse().unwrap_or(0) {
        9 | 10 => Shown::Percent,
        14..=17 | 27..=31 | 36 | 50..=58 => Shown::Date,
        18..=21 | 45..=47 => Shown::Time,
        22 => Shown::DateTime,
        _ => Shown::Plain,
    }
}

/// By the letters of a format, outside of quotes and brackets.
fn by_code(code: &str) -> Shown {
    let (mut quoted, mut bracket, mut escaped) = (false, false, false);
    let mut letters = String::new();
    for sign in code.chars() {
        match sign {
            _ if std::mem::take(&mut escaped) => {}
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            '[' if !quoted => bracket = true,
            ']' if !quoted => bracket = false,
            ';' if !quoted => break,
            sign if !quoted && !bracket => letters.push(sign.to_ascii_lowercase()),
            _ => {}
        }
    }
    let (day, hour) = (letters.contains(['y', 'd']), letters.contains(['h', 's']));
    match (day, hour) {
        _ if letters.contains('%') => Shown::Percent,
        (true, true) => Shown::DateTime,
        (true, false) => Shown::Date,
        (false, true) => Shown::Time,
        (false, false) => Shown::Plain,
    }
}

/// The date that is so many days after the last one of 1899, which the programs count from; they believe in a 29 February
/// 1900.
fn date(days: i64) -> String {
    let days = if days < 60 { days + 1 } else { days };
    let z = days - 25_569 + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    let year = yoe + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
#[path = "sheet_format_tests.rs"]
mod tests;
