use super::*;
use reqwest::header::HeaderValue;

fn wait(name: &'static str, value: &'static str, now: u64) -> Option<Duration> {
    let mut headers = HeaderMap::new();
    headers.insert(name, HeaderValue::from_static(value));
    retry_after(&headers, UNIX_EPOCH + Duration::from_secs(now))
}

#[test]
fn both_forms_of_the_header_are_understood() {
    assert_eq!(wait("retry-after", "7", 0), Some(Duration::from_secs(7)));
    assert_eq!(wait("retry-after", "0.5", 0), Some(Duration::from_millis(500)));
    assert_eq!(wait("retry-after-ms", "1500", 0), Some(Duration::from_millis(1_500)));
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    assert_eq!(wait("retry-after", date, 784_111_777 - 30), Some(Duration::from_secs(30)));
    assert_eq!(wait("retry-after", date, 784_111_777 + 30), Some(Duration::ZERO));
}

#[test]
fn nonsense_is_no_wait_and_an_age_is_capped() {
    for nonsense in ["", "soon", "-3", "NaN", "Sun, 99 Nov 1994 08:49:37 GMT"] {
        assert_eq!(wait("retry-after", nonsense, 0), None, "{nonsense}");
    }
    assert_eq!(wait("retry-after", "99999999999999999999999", 0), Some(LONGEST));
    assert_eq!(wait("retry-after", "inf", 0), Some(LONGEST));
    assert_eq!(
        wait("retry-after-ms", "1e300", 0),
        Some(LONGEST.min(Duration::from_secs(u64::from(u32::MAX)) / 1_000))
    );
}
