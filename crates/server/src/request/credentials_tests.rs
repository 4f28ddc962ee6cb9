use super::*;
use axum::http::{HeaderValue, StatusCode};

fn headers(values: &[&str]) -> HeaderMap {
    let value = |text: &&str| (header::AUTHORIZATION, HeaderValue::from_bytes(text.as_bytes()).unwrap());
    let mut map = HeaderMap::new();
    for (name, value) in values.iter().map(value) {
        map.append(name, value);
    }
    map
}

#[test]
fn a_key_comes_in_one_header_of_one_form() {
    for good in ["Bearer mjd_abc", "bearer mjd_abc", "BEARER  mjd_abc "] {
        assert_eq!(key(&headers(&[good]), false).unwrap(), "mjd_abc", "{good}");
    }
    let long = format!("Bearer {}", "a".repeat(KEY_BYTES + 1));
    let cases: [&[&str]; 10] = [
        &[],
        &[""],
        &["Bearer"],
        &["Bearer "],
        &["mjd_abc"],
        &["Basic mjd_abc"],
        &["Bearer a b"],
        &["Bearer schlüssel"],
        &["Bearer mjd_abc", "Bearer mjd_abc"],
        &[&long],
    ];
    for case in cases {
        assert_eq!(key(&headers(case), false).unwrap_err().status, StatusCode::UNAUTHORIZED, "{case:?}");
    }
}

#[test]
fn a_key_in_a_url_is_refused() {
    for uri in ["/v1/me?token=x", "/v1/me?limit=1&access_token=x", "/v1/me?API_KEY=x", "/v1/me?key"] {
        assert_eq!(refuse_key_in_query(&uri.parse().unwrap()).unwrap_err().code, "key_in_query", "{uri}");
    }
    for uri in ["/v1/me", "/v1/me?limit=1", "/v1/me?cursor=token"] {
        assert_eq!(refuse_key_in_query(&uri.parse().unwrap()), Ok(()), "{uri}");
    }
}

#[test]
fn basic_is_a_key_only_where_the_route_says_so() {
    let encoded = |text: &str| headers(&[&format!("Basic {}", BASE64_STANDARD.encode(text))]);
    for name in ["", "anybody", "key"] {
        let sent = encoded(&format!("{name}:mjd_abc"));
        assert_eq!(key(&sent, true).unwrap(), "mjd_abc");
        assert_eq!(key(&sent, false).unwrap_err().status, StatusCode::UNAUTHORIZED);
    }
    assert_eq!(key(&encoded("mjd_abc"), true).unwrap(), "mjd_abc", "without a colon the whole is the key");
    for bad in [encoded(""), encoded("a:"), encoded("a:b c"), headers(&["Basic !"]), headers(&["Basic "])] {
        assert_eq!(key(&bad, true).unwrap_err().status, StatusCode::UNAUTHORIZED);
    }
    for (site, admitted) in
        [("none", true), ("same-origin", true), ("same-site", false), ("cross-site", false)]
    {
        let mut sent = encoded("a:mjd_abc");
        sent.insert("sec-fetch-site", HeaderValue::from_static(site));
        assert_eq!(key(&sent, true).is_ok(), admitted, "{site}");
    }
}

#[test]
fn a_key_counts_before_a_cookie() {
    let secret = "a".repeat(43);
    let mut sent = headers(&["Bearer mjd_abc"]);
    sent.insert(header::COOKIE, HeaderValue::from_str(&format!("sid={secret}")).unwrap());
    let plain = Connection::default();
    assert_eq!(presented(&sent, plain, false), Ok(Presented::Key("mjd_abc".into())));
    sent.remove(header::AUTHORIZATION);
    assert_eq!(presented(&sent, plain, false), Ok(Presented::Login(&secret)));
    let secure = Connection { secure: true, ..plain };
    assert!(presented(&sent, secure, false).is_err());
}
