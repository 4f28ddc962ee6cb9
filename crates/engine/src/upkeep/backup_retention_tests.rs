use super::*;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// 2026-01-01T00:00:00Z.
const NEW_YEAR: i64 = 1_767_225_600_000;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// What is left when each backup is followed by a clearing-out, as it happens.
fn left(made: impl IntoIterator<Item = i64>) -> Vec<String> {
    let mut kept: Vec<Timestamp> = Vec::new();
    for millis in made {
        kept.push(at(millis));
        let gone = surplus(&kept);
        kept.retain(|at| !gone.contains(at));
    }
    kept.into_iter().map(|at| at.to_string().get(..16).unwrap().to_owned()).collect()
}

#[test]
fn nothing_goes_while_there_are_few() {
    assert_eq!(surplus(&[]), []);
    let few: Vec<Timestamp> = (0..24).map(|hour| at(NEW_YEAR + hour * HOUR)).collect();
    assert_eq!(surplus(&few), []);
}

#[test]
fn the_twenty_fifth_of_a_day_pushes_out_the_second() {
    let many: Vec<Timestamp> = (0..26).map(|number| at(NEW_YEAR + number * HOUR / 2)).collect();
    // The first is the oldest of its day, its month and its year.
    assert_eq!(surplus(&many), [at(NEW_YEAR + HOUR / 2)]);
}

#[test]
fn order_and_repetition_do_not_count() {
    let mut many: Vec<Timestamp> = (0..100).map(|number| at(NEW_YEAR + number * HOUR)).collect();
    let gone = surplus(&many);
    many.reverse();
    many.push(at(NEW_YEAR));
    assert_eq!(surplus(&many), gone);
}

#[test]
fn a_year_of_daily_backups() {
    let kept = left((0..365).map(|day| NEW_YEAR + day * DAY));
    // 30 days, and the first of each of the twelve months, of which none is among them.
    assert_eq!(kept.len(), 30 + 12);
    assert_eq!(kept[..3], ["2026-01-01T00:00", "2026-02-01T00:00", "2026-03-01T00:00"]);
    assert_eq!(kept[10..13], ["2026-11-01T00:00", "2026-12-01T00:00", "2026-12-02T00:00"]);
    assert_eq!(kept.last().unwrap(), "2026-12-31T00:00");
}

#[test]
fn three_years_of_hourly_backups() {
    let kept = left((0..3 * 365 * 24).map(|hour| NEW_YEAR + hour * HOUR));
    let of = |start: &str| kept.iter().filter(|at| at.starts_with(start)).count();
    assert_eq!((of("2026-"), of("2027-")), (1, 1), "{kept:?}");
    assert_eq!(of("2028-12-30"), 24, "the last day is whole");
    assert_eq!(of("2028-12-20"), 1);
    // A year has 12 months; the first of each, 30 days, and the other hours of the last day.
    assert_eq!(kept.len(), 2 + 12 + 29 + 23, "{kept:?}");
}

#[test]
fn a_house_that_was_closed_keeps_what_it_had() {
    let before: Vec<i64> = (0..10).map(|day| NEW_YEAR + day * DAY).collect();
    let kept = left(before.iter().copied().chain([NEW_YEAR + 800 * DAY]));
    assert_eq!(kept.len(), 11);
}
