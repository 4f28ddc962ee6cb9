use super::*;
use chrono::{NaiveDate, Offset as _};
use chrono_tz::TZ_VARIANTS;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

fn at(text: &str) -> Timestamp {
    serde_json::from_value(serde_json::Value::String(text.to_owned())).unwrap()
}

fn cron(pattern: &str) -> When {
    When::Cron { pattern: pattern.to_owned(), zone: None }
}

fn in_zone(pattern: &str, zone: &str) -> When {
    When::Cron { pattern: pattern.to_owned(), zone: Some(zone.to_owned()) }
}

fn shown(times: Vec<Timestamp>) -> Vec<String> {
    times.into_iter().map(|time| time.to_string().replace(":00.000Z", "")).collect()
}

#[test]
fn a_pattern_is_read_on_the_clock_of_the_person_or_of_the_place_it_names() {
    let now = at("2026-11-19T12:00:00Z");
    assert_eq!(
        shown(cron("0 8 * * 1-5").times(now, "Europe/Athens", 2)),
        ["2026-11-20T06:00", "2026-11-23T06:00"]
    );
    assert_eq!(
        shown(in_zone("0 8 * * *", "Asia/Tokyo").times(now, "Europe/Athens", 1)),
        ["2026-11-19T23:00"]
    );
    assert_eq!(
        shown(cron("0 8 * * *").times(now, "No/Where", 1)),
        ["2026-11-20T08:00"],
        "UTC is as good as any"
    );
    assert_eq!(
        shown(cron("30 0 9 L * *").times(now, "UTC", 2)),
        ["2026-11-30T09:00:30.000Z", "2026-12-31T09:00:30.000Z"]
    );
    assert_eq!(shown(cron("0 9 * * 5#2").times(now, "UTC", 2)), ["2026-12-11T09:00", "2027-01-08T09:00"]);
    assert_eq!(
        shown(cron("0 9 15W * *").times(now, "UTC", 3)),
        ["2026-12-15T09:00", "2027-01-15T09:00", "2027-02-15T09:00"]
    );
}

#[test]
fn a_time_in_the_gap_comes_once_after_it_and_one_that_is_shown_twice_comes_at_the_first() {
    let before_gap = at("2027-03-27T12:00:00Z");
    let berlin =
        |pattern: &str, from, most| shown(in_zone(pattern, "Europe/Berlin").times(from, "UTC", most));
    assert_eq!(berlin("30 2 * * *", before_gap, 2), ["2027-03-28T01:00", "2027-03-29T00:30"]);
    assert_eq!(
        berlin("0,30 2,3 * * 0", before_gap, 3),
        ["2027-03-28T01:00", "2027-03-28T01:30", "2027-04-04T00:00"]
    );
    let before_overlap = at("2027-10-30T12:00:00Z");
    assert_eq!(berlin("30 2 * * *", before_overlap, 2), ["2027-10-31T00:30", "2027-11-01T01:30"]);
    // Between the two times at which the clock shows it: it has been.
    assert_eq!(berlin("30 2 * * *", at("2027-10-31T01:10:00Z"), 1), ["2027-11-01T01:30"]);
    assert_eq!(
        berlin("0 * * * *", at("2027-10-30T23:30:00Z"), 3),
        ["2027-10-31T00:00", "2027-10-31T01:00", "2027-10-31T02:00"]
    );
    assert_eq!(berlin("0 * * * *", at("2027-03-28T00:30:00Z"), 2), ["2027-03-28T01:00", "2027-03-28T02:00"]);
    // The gap is the last hour of the Saturday: after it, it is Sunday.
    let nuuk = in_zone("30 23 * * 6", "America/Nuuk").times(at("2027-03-26T00:00:00Z"), "UTC", 2);
    assert_eq!(shown(nuuk), ["2027-03-28T01:00", "2027-04-04T00:30"]);
}

#[test]
fn one_moment_comes_once_and_at_once_where_it_is_over() {
    let (now, later) = (at("2026-11-19T12:00:00Z"), at("2026-11-19T12:00:01Z"));
    let once = When::Once { at: now };
    assert_eq!(
        (once.first(later, "UTC"), once.next(later, "UTC"), once.next(now, "UTC")),
        (Some(now), None, None)
    );
    assert_eq!(once.next(now.plus_millis(-1), "UTC"), Some(now));
    assert!(once.is_once() && !cron("* * * * *").is_once());
}

#[test]
fn an_interval_counts_from_its_anchor() {
    let anchor = at("2026-11-19T12:00:00Z");
    let every = When::Every { seconds: 90, anchor };
    assert_eq!(every.next(anchor.plus_millis(-5 * DAY), "UTC"), Some(anchor));
    assert_eq!(every.next(anchor, "UTC"), Some(anchor.plus_millis(90_000)));
    assert_eq!(every.next(anchor.plus_millis(89_999), "UTC"), Some(anchor.plus_millis(90_000)));
    assert_eq!(every.next(anchor.plus_millis(90_000), "UTC"), Some(anchor.plus_millis(180_000)));
    assert_eq!(every.next(Timestamp::from_millis(i64::MAX), "UTC"), None);
    assert_eq!(every.next(LAST.plus_millis(-1), "UTC"), None);
}

#[test]
fn what_cannot_be_is_refused() {
    let now = at("2026-11-19T12:00:00Z");
    let refused = |when: When| when.check(now, "UTC").unwrap_err();
    for never in ["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *"] {
        assert_eq!(refused(cron(never)), WhenProblem::NeverComes, "{never}");
    }
    for often in ["* * * * * *", "*/30 * * * * *", "0,30 0 8 * * *", "0-1 * * * * *"] {
        assert_eq!(refused(cron(often)), WhenProblem::TooOften, "{often}");
    }
    for fields in ["", "8", "@daily", "0 8 * *", "0 0 8 * * * 2027", "\u{202e}"] {
        assert_eq!(refused(cron(fields)), WhenProblem::Fields, "{fields}");
    }
    for bad in [
        "99 8 * * *",
        "0 25 * * *",
        "0 8 0 * *",
        "0 8 * 13 *",
        "0 8 * * 9",
        "a b c d e",
        "*/0 * * * *",
        "5-1 * * * *",
    ] {
        assert!(matches!(refused(cron(bad)), WhenProblem::Pattern(_)), "{bad}");
    }
    assert_eq!(refused(cron(&"*".repeat(10_240))), WhenProblem::TooLong);
    for zone in ["", "Europe/Atlantis", "../../etc/passwd", &"x".repeat(10_000)] {
        assert_eq!(refused(in_zone("0 8 * * *", zone)), WhenProblem::Zone, "{zone:?}");
    }
    for year in ["0000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z"] {
        assert_eq!(refused(When::Once { at: at(year) }), WhenProblem::Year, "{year}");
        assert_eq!(refused(When::Every { seconds: 60, anchor: at(year) }), WhenProblem::Year, "{year}");
    }
    assert_eq!(refused(When::Every { seconds: 59, anchor: now }), WhenProblem::TooOften);
    assert_eq!(refused(When::Every { seconds: u64::MAX, anchor: now }), WhenProblem::TooSeldom);
    for good in
        ["* * * * *", "*/5 * * * *", "0 0 29 2 *", "59 59 23 31 12 *", "0 9 * * MON-FRI", "0 9 * * FRIL"]
    {
        assert_eq!(cron(good).check(now, "UTC"), Ok(()), "{good}");
    }
}

#[test]
fn a_clock_that_is_wrong_finds_nothing_and_does_not_panic() {
    for now in [i64::MIN, -1, 0, LAST.as_millis() - 1, LAST.as_millis(), i64::MAX] {
        let now = Timestamp::from_millis(now);
        for zone in ["Pacific/Kiritimati", "Pacific/Niue", "Europe/Athens"] {
            for pattern in ["0 8 * * *", "*/7 * * * *"] {
                let next = in_zone(pattern, zone).next(now, "UTC");
                assert!(next.is_none_or(|next| next > now && next < LAST), "{pattern} {zone} {now}");
            }
        }
    }
}

#[test]
fn it_is_said_in_words() {
    assert_eq!(
        in_zone("0 8 * * 1-5", "Europe/Athens").describe("UTC"),
        "At 08:00, on Monday, Tuesday, Wednesday, Thursday, and Friday (Europe/Athens)"
    );
    assert_eq!(
        When::Once { at: at("2026-11-19T22:30:00Z") }.describe("Europe/Athens"),
        "Once, on 2026-11-20 at 00:30 (Europe/Athens)"
    );
    let every = |seconds| When::Every { seconds, anchor: at("2026-11-19T22:30:00Z") }.describe("UTC");
    assert_eq!(
        [60, 90, 900, 21_600, 86_400].map(every),
        ["Every minute", "Every 90 seconds", "Every 15 minutes", "Every 6 hours", "Every day"]
    );
}

/// A change of clocks: when, and how far the clock is from UTC before and after.
type ClockChange = (i64, i32, i32);

fn offset(zone: Tz, millis: i64) -> i32 {
    zone.offset_from_utc_datetime(&Timestamp::from_millis(millis).to_utc().naive_utc())
        .fix()
        .local_minus_utc()
}

fn changes(zone: Tz, from: i64, to: i64) -> Vec<ClockChange> {
    let mut found = Vec::new();
    let (mut day, mut before) = (from, offset(zone, from));
    while day < to {
        // A change and back within a day are not looked for: Morocco has weeks between them.
        let after = offset(zone, day + DAY);
        if after != before {
            let (mut low, mut high) = (day, day + DAY);
            while high - low > MINUTE {
                let middle = low + (high - low) / 2 / MINUTE * MINUTE;
                if offset(zone, middle) == before { low = middle } else { high = middle }
            }
            found.push((high, before, after));
        }
        (day, before) = (day + DAY, after);
    }
    found
}

fn ten_years() -> (i64, i64) {
    (at("2026-01-01T00:00:00Z").as_millis(), at("2036-01-01T00:00:00Z").as_millis())
}

/// One zone for each way in which clocks are changed in ten years.
fn zones() -> Vec<(Tz, Vec<ClockChange>)> {
    let (from, to) = ten_years();
    let mut by_changes = BTreeMap::new();
    for zone in TZ_VARIANTS {
        by_changes.entry(changes(zone, from, to)).or_insert(zone);
    }
    assert!(by_changes.len() > 20, "only {} ways of changing clocks", by_changes.len());
    by_changes.into_iter().map(|(changes, zone)| (zone, changes)).collect()
}

/// What the clock shows, minute by minute around a change.
fn minutes(zone: Tz, around: i64) -> Vec<(i64, NaiveDateTime)> {
    let minutes = (around - 2 * DAY) / MINUTE..(around + 2 * DAY) / MINUTE;
    let show = |minute: i64| {
        let utc = Timestamp::from_millis(minute * MINUTE).to_utc();
        (minute * MINUTE, utc.with_timezone(&zone).naive_local())
    };
    minutes.map(show).collect()
}

fn between(clock: &WallClock, from: i64, to: i64) -> Vec<i64> {
    let next = |before: &Timestamp| clock.next(*before);
    let first = clock.next(Timestamp::from_millis(from - 1));
    std::iter::successors(first, next).map(Timestamp::as_millis).take_while(|time| *time < to).collect()
}

#[test]
fn around_every_change_of_clocks_each_time_comes_as_often_as_its_rule_says() {
    let mut tried = BTreeSet::new();
    for (zone, changes) in zones() {
        for change in changes {
            if !tried.insert(change) {
                continue;
            }
            let shown = minutes(zone, change.0);
            let (from, to) = (change.0 - DAY, change.0 + DAY);
            let said: Vec<NaiveDateTime> = shown.iter().map(|(_, shown)| *shown).collect();
            let inside = |time: &i64| (from..to).contains(time);
            for minute in [0, 30] {
                // As often as the clock shows it.
                let clock = WallClock::read(&format!("{minute} * * * *"), Some(zone.name()), "UTC").unwrap();
                let is_due =
                    |(_, shown): &&(i64, NaiveDateTime)| shown.and_utc().timestamp() / 60 % 60 == minute;
                let expected: Vec<i64> =
                    shown.iter().filter(is_due).map(|(time, _)| *time).filter(inside).collect();
                assert_eq!(between(&clock, from, to), expected, "{minute} * in {zone} at {change:?}");
            }
            for hour in 0..24 {
                // Once on each day: when the clock shows it first or, where it never does, as soon as it shows more.
                let clock = WallClock::read(&format!("30 {hour} * * *"), Some(zone.name()), "UTC").unwrap();
                let mut expected = BTreeSet::new();
                let mut day: NaiveDate = said[0].date().succ_opt().unwrap();
                while day < said[said.len() - 1].date() {
                    let wanted = day.and_hms_opt(hour, 30, 0).unwrap();
                    let first = said.iter().position(|shown| *shown == wanted);
                    let first = first.or_else(|| said.iter().position(|shown| *shown > wanted)).unwrap();
                    expected.insert(shown[first].0);
                    day = day.succ_opt().unwrap();
                }
                let expected: Vec<i64> = expected.into_iter().filter(inside).collect();
                assert_eq!(between(&clock, from, to), expected, "30 {hour} in {zone} at {change:?}");
            }
        }
    }
    assert!(tried.len() > 100, "only {} changes of clocks", tried.len());
}

/// Days, Sundays and months of ten years.
#[test]
fn in_ten_years_each_rule_comes_as_often_as_the_calendar_says() {
    let (from, to) =
        (NaiveDate::from_ymd_opt(2026, 1, 1).unwrap(), NaiveDate::from_ymd_opt(2036, 1, 1).unwrap());
    let midnight = |zone: Tz, date: NaiveDate| {
        let clock = WallClock { cron: CronParser::new().parse("0 0 * * *").unwrap(), zone, fixed: true };
        clock.first_moment(date.and_hms_opt(0, 0, 0).unwrap()).unwrap().as_millis()
    };
    for (zone, _) in zones() {
        let (from, to) = (midnight(zone, from), midnight(zone, to));
        for (pattern, times) in
            [("30 2 * * *", 3_652), ("15 0 * * 0", 522), ("0 12 L * *", 120), ("45 23 * * 6#1", 120)]
        {
            let clock = WallClock::read(pattern, Some(zone.name()), "UTC").unwrap();
            assert_eq!(between(&clock, from, to).len(), times, "{pattern} in {zone}");
        }
    }
}

proptest! {
    /// Whatever is written: it is refused, or it has a next time, which is later.
    #[test]
    fn a_pattern_is_refused_or_comes(pattern in "[0-9*/,LW# ?+-]{0,24}( [0-9*,-]{1,4}){0,6}", now in 0_i64..4_000_000_000_000) {
        let (when, now) = (cron(&pattern), Timestamp::from_millis(now));
        if when.check(now, "Europe/Athens").is_ok() {
            let times = when.times(now, "Europe/Athens", SHOWN_TIMES);
            prop_assert!(!times.is_empty());
            prop_assert!(times.iter().zip(times.iter().skip(1)).all(|(one, next)| next.as_millis() - one.as_millis() >= 60_000));
            prop_assert!(times.iter().all(|time| *time > now));
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(pattern in "\\PC{0,60}", zone in "\\PC{0,20}") {
        let _ = in_zone(&pattern, &zone).check(at("2026-11-19T12:00:00Z"), &zone);
        let _ = cron(&pattern).describe(&zone);
    }
}
