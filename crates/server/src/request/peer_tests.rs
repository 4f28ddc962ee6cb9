use super::*;
use axum::http::HeaderValue;

fn forwarded(values: &[&str]) -> HeaderMap {
    let name = axum::http::HeaderName::from_static("x-forwarded-for");
    values.iter().map(|value| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
}

#[test]
fn only_our_own_proxy_is_believed() {
    let loopback = Peer("127.0.0.1".parse().ok());
    let outside = Peer("192.0.2.9".parse().ok());
    let claimed = forwarded(&["198.51.100.1, 203.0.113.7"]);
    assert_eq!(address(loopback, &claimed, true), "203.0.113.7".parse().ok());
    // The control: without a public address there is no proxy, and from outside no client is one.
    assert_eq!(address(loopback, &claimed, false), loopback.0);
    assert_eq!(address(outside, &claimed, true), outside.0);
    for odd in [&["unknown"][..], &[""], &["203.0.113.7, x"], &[]] {
        assert_eq!(address(loopback, &forwarded(odd), true), loopback.0, "{odd:?}");
    }
    assert_eq!(
        address(loopback, &forwarded(&["198.51.100.1", "203.0.113.8"]), true),
        "203.0.113.8".parse().ok()
    );
}
