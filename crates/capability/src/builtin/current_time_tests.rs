use super::*;
use crate::fixture::{NOW, context_at, failure, run};
use domain::Timestamp;

/// EVERRUNS-04
#[tokio::test]
async fn the_offset_is_that_of_the_zone() {
    let answer = run(&GetCurrentTime, json!({"timezone": "America/New_York"})).await.unwrap();
    assert_eq!(
        answer,
        json!({"datetime": "2026-11-15T03:00:00-05:00", "format": "iso8601", "timezone": "America/New_York"})
    );
}

#[tokio::test]
async fn summer_time_is_known() {
    let july = Timestamp::from_millis(1_783_065_600_000);
    let answer = GetCurrentTime.run(&context_at(july, "Europe/Athens"), json!({})).await.unwrap();
    assert_eq!(answer["datetime"], "2026-07-03T11:00:00+03:00");
    let answer = GetCurrentTime.run(&context_at(NOW, "Europe/Athens"), json!({})).await.unwrap();
    assert_eq!(answer["datetime"], "2026-11-15T10:00:00+02:00");
}

#[tokio::test]
async fn without_a_zone_it_is_the_person_s_own_or_utc() {
    for (own, expected) in [("Asia/Tokyo", "Asia/Tokyo"), ("", "UTC"), ("Nowhere/City", "UTC")] {
        let answer = GetCurrentTime.run(&context_at(NOW, own), json!({})).await.unwrap();
        assert_eq!(answer["timezone"], expected);
    }
    let utc = run(&GetCurrentTime, json!({})).await.unwrap();
    assert_eq!(utc["datetime"], "2026-11-15T08:00:00+00:00");
}

#[tokio::test]
async fn unix_and_human() {
    let unix = run(&GetCurrentTime, json!({"format": "unix"})).await.unwrap();
    assert_eq!(unix, json!({"timestamp": 1_794_729_600, "format": "unix", "timezone": "UTC"}));
    let human = run(&GetCurrentTime, json!({"format": "human"})).await.unwrap();
    assert_eq!(human["datetime"], "Sunday, November 15, 2026 at 08:00:00 UTC");
    let new_york = json!({"format": "human", "timezone": "America/New_York"});
    let human = run(&GetCurrentTime, new_york).await.unwrap();
    assert_eq!(human["datetime"], "Sunday, November 15, 2026 at 03:00:00 EST");
}

/// EVERRUNS-04
#[tokio::test]
async fn an_unknown_zone_is_named_with_an_example() {
    let words = failure(&GetCurrentTime, json!({"timezone": "Mars/Olympus"})).await;
    assert_eq!(words, "unknown time zone `Mars/Olympus`: use an IANA name such as America/New_York");
    let words = failure(&GetCurrentTime, json!({"timezone": "x".repeat(1_000_000)})).await;
    assert!(words.len() < 200, "{} bytes", words.len());
    failure(&GetCurrentTime, json!({"timezone": 5})).await;
    failure(&GetCurrentTime, json!({"timezone": ""})).await;
    failure(&GetCurrentTime, json!({"format": "stardate"})).await;
}

#[tokio::test]
async fn a_clock_at_the_ends_of_time_does_not_panic() {
    for millis in [i64::MIN, i64::MAX, -1] {
        for format in FORMATS {
            for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago"] {
                let context = context_at(Timestamp::from_millis(millis), zone);
                assert!(GetCurrentTime.run(&context, json!({"format": format})).await.is_ok());
            }
        }
    }
}
