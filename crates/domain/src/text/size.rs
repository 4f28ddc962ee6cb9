//! Sizes as people read them.

const STEP: u64 = 1_024;
const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];

/// `1.5 MB` instead of a count of bytes. Cut off after one digit, so that a limit is never shown larger than it is.
pub fn size_words(bytes: u64) -> String {
    if bytes < STEP {
        return format!("{bytes} bytes");
    }
    let mut unit_size = STEP;
    let mut units = UNITS.iter();
    let mut unit = units.next().copied().unwrap_or_default();
    for larger in units {
        let next = unit_size.saturating_mul(STEP);
        if bytes < next {
            break;
        }
        (unit_size, unit) = (next, larger);
    }
    let whole = bytes.checked_div(unit_size).unwrap_or_default();
    let rest = bytes.checked_rem(unit_size).unwrap_or_default();
    let tenth = rest.saturating_mul(10).checked_div(unit_size).unwrap_or_default();
    if whole >= 100 || tenth == 0 { format!("{whole} {unit}") } else { format!("{whole}.{tenth} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_need_no_division() {
        let known = [
            (0, "0 bytes"),
            (1_023, "1023 bytes"),
            (1_024, "1 KB"),
            (1_536, "1.5 KB"),
            (16_777_216, "16 MB"),
            (250 << 20, "250 MB"),
            (5 << 30, "5 GB"),
            (3 << 40, "3 TB"),
            (u64::MAX, "16777215 TB"),
        ];
        for (bytes, words) in known {
            assert_eq!(size_words(bytes), words);
        }
    }
}
