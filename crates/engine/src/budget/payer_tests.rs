use super::*;

#[test]
fn money_is_written_as_people_write_it() {
    let written = [0, 1, 10_000, 123_456, 1_000_000, 1_500_000, 12_340_001].map(dollars);
    assert_eq!(written, ["$0.00", "$0.000001", "$0.01", "$0.123456", "$1.00", "$1.50", "$12.340001"]);
}

#[test]
fn a_day_is_the_persons() {
    let now = Timestamp::from_millis(1_763_240_000_000); // 2025-11-15T20:53:20Z
    let (from, to) = day_of("UTC", now);
    assert_eq!((from.as_millis() % 86_400_000, to.as_millis() - from.as_millis()), (0, 86_400_000));
    let (tokyo, _) = day_of("Asia/Tokyo", now);
    assert_eq!(tokyo.as_millis() - from.as_millis(), 15 * 3_600_000, "there it is the next day already");
    assert_eq!(day_of("Nowhere/At_All", now), (from, to));
    // The day on which the clocks go back is longer.
    let (from, to) = day_of("Europe/Athens", Timestamp::from_millis(1_761_480_000_000));
    assert_eq!(to.as_millis() - from.as_millis(), 25 * 3_600_000);
}

#[test]
fn what_the_house_says_holds_and_people_may_lower_it() {
    let budget = |day| Budget { per_day_microusd: day, ..Budget::NONE };
    let of = |house, own| of_person(Allowance { house: budget(house), own: budget(own) }, budget(Some(10)));
    assert_eq!(of(None, None), budget(Some(10)), "the configuration");
    assert_eq!(of(Some(50), None), budget(Some(50)), "an admin may give somebody more");
    assert_eq!(of(None, Some(5)), budget(Some(5)));
    assert_eq!(of(None, Some(99)), budget(Some(10)), "nobody raises their own");
    assert_eq!(of_person(Allowance::default(), Budget::NONE), Budget::NONE);
}
