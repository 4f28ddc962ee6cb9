use super::*;
use axum::http::HeaderValue;

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
        assert_eq!(bearer(&headers(&[good])).unwrap(), "mjd_abc", "{good}");
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
        assert_eq!(bearer(&headers(case)).unwrap_err().status, StatusCode::UNAUTHORIZED, "{case:?}");
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
