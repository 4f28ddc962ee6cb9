use super::*;

fn quarter(at: &str, cost_microusd: u64, unknown_calls: u64) -> UsageSum {
    let at = DateTime::parse_from_rfc3339(at).unwrap().timestamp_millis();
    UsageSum {
        key: at.to_string(),
        calls: 1,
        input_tokens: 10,
        output_tokens: 5,
        cached_tokens: 2,
        cost_microusd,
        unknown_calls,
        estimated_calls: 0,
    }
}

#[test]
fn days_begin_at_the_readers_midnight() {
    let quarters = || {
        vec![
            quarter("2026-03-28T21:45:00Z", 1, 0),
            quarter("2026-03-28T22:00:00Z", 10, 0),
            quarter("2026-03-29T20:45:00Z", 100, 0),
            quarter("2026-03-29T21:00:00Z", 1_000, 1),
        ]
    };
    let costs = |zone: Tz| -> Vec<(String, Option<u64>)> {
        days(quarters(), zone).into_iter().map(|line| (line.key, line.usage.cost_microusd)).collect()
    };
    let day = |day: &str, cost| (format!("2026-03-{day}"), cost);
    // The night in which the clocks of Athens go forward.
    assert_eq!(costs(Tz::Europe__Athens), [day("28", Some(1)), day("29", Some(110)), day("30", None)]);
    assert_eq!(costs(Tz::UTC), [day("28", Some(11)), day("29", None)]);
}

#[test]
fn a_day_is_whole_and_a_moment_is_exact() {
    let now = Timestamp::from_millis(
        DateTime::parse_from_rfc3339("2026-03-29T12:00:00Z").unwrap().timestamp_millis(),
    );
    let ask = |from: Option<&str>, to: Option<&str>| {
        let question = UsageQuestion { by: None, from: from.map(str::to_owned), to: to.map(str::to_owned) };
        span(&question, Tz::Europe__Athens, now).map(|(from, to)| (from.to_string(), to.to_string()))
    };
    let (from, to) = ask(Some("2026-03-29"), Some("2026-03-29")).unwrap();
    assert_eq!((from.as_str(), to.as_str()), ("2026-03-28T22:00:00.000Z", "2026-03-29T21:00:00.000Z"));
    let (from, _) = ask(Some("2026-03-29T01:02:03+02:00"), None).unwrap();
    assert_eq!(from, "2026-03-28T23:02:03.000Z");
    assert_eq!(ask(None, None).unwrap().0, "2026-02-27T22:00:00.000Z");
    for (from, to) in
        [("yesterday", "2026-01-01"), ("2026-02-30", "2026-03-01"), ("2020-01-01", "2026-01-01")]
    {
        assert!(
            matches!(ask(Some(from), Some(to)), Err(Error::Invalid { code: "bad_query", .. })),
            "{from} {to}"
        );
    }
}
