use super::*;
use axum::http::HeaderValue;

fn forwarded(values: &[&str]) -> HeaderMap {
    let name = axum::http::HeaderName::from_static("x-forwarded-for");
    values.iter().map(|value| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
}

#[test]
fn only_our_own_proxy_is_believed() {
    let settings = |public_url: Option<&str>| HttpSettings {
        public_url: public_url.map(str::to_owned),
        ..HttpSettings::default()
    };
    let (behind, alone) = (settings(Some("https://home.example")), settings(None));
    let loopback = Peer("127.0.0.1".parse().ok());
    let outside = Peer("192.0.2.9".parse().ok());
    let claimed = forwarded(&["198.51.100.1, 203.0.113.7"]);
    assert_eq!(address(loopback, &claimed, &behind), "203.0.113.7".parse().ok());
    // The control: without a public address there is no proxy, and from outside no client is one.
    assert_eq!(address(loopback, &claimed, &alone), loopback.0);
    assert_eq!(address(outside, &claimed, &behind), outside.0);
    for odd in [&["unknown"][..], &[""], &["203.0.113.7, x"], &[]] {
        assert_eq!(address(loopback, &forwarded(odd), &behind), loopback.0, "{odd:?}");
    }
    assert_eq!(
        address(loopback, &forwarded(&["198.51.100.1", "203.0.113.8"]), &behind),
        "203.0.113.8".parse().ok()
    );
}

#[test]
fn a_proxy_on_another_machine_is_believed_where_it_is_listed() {
    let (proxy, beside) = (Peer("172.30.7.2".parse().ok()), Peer("172.30.7.3".parse().ok()));
    let claimed = forwarded(&["203.0.113.7"]);
    let listed = HttpSettings {
        public_url: Some("https://home.example".to_owned()),
        proxies: vec!["172.30.7.2".parse().unwrap()],
        ..HttpSettings::default()
    };
    assert_eq!(address(proxy, &claimed, &listed), "203.0.113.7".parse().ok());
    assert_eq!(address(beside, &claimed, &listed), beside.0);
    // The list says it all: what is on this machine is as strange then as what is elsewhere.
    let loopback = Peer("127.0.0.1".parse().ok());
    assert_eq!(address(loopback, &claimed, &listed), loopback.0);
    let usual = HttpSettings { proxies: HttpSettings::default().proxies, ..listed };
    assert_eq!(address(proxy, &claimed, &usual), proxy.0);
}
