use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_794_729_600_000);

#[test]
fn a_time_from_now_a_date_or_a_timestamp() {
    assert_eq!(moment("30d", NOW).unwrap().as_millis(), NOW.as_millis() + 30 * 86_400_000);
    assert_eq!(moment("2027-01-01", NOW).unwrap().to_string(), "2027-01-01T00:00:00.000Z");
    assert_eq!(moment("2027-01-01T02:00:00+02:00", NOW).unwrap().to_string(), "2027-01-01T00:00:00.000Z");
}

#[test]
fn the_past_and_nonsense_are_refused_with_an_example() {
    for text in ["2020-01-01", "0s", "soon", "", "2027-13-01", "99999999999999d"] {
        let error = moment(text, NOW).unwrap_err();
        assert!(error.to_string().contains("--expires"), "{error}");
        assert!(error.advice().is_some());
    }
}

#[test]
fn a_bridge_is_named_by_its_option_and_only_by_its_own_key() {
    for (scope, source) in [(Scope::Bridge, None), (Scope::Full, Some("telegram"))] {
        let error = check_source(scope, source).unwrap_err();
        assert!(error.to_string().contains("--source"), "{error}");
        assert!(error.advice().is_some_and(|advice| advice.contains("--s")), "{error}");
    }
    assert!(check_source(Scope::Bridge, Some("telegram")).is_ok());
    assert!(check_source(Scope::Chat, None).is_ok());
}
