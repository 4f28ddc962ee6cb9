use super::*;
use axum::http::HeaderValue;

fn hosts() -> Hosts {
    let settings = HttpSettings {
        hosts: vec!["House.Lan".to_owned(), "box.lan:8443".to_owned(), "192.168.1.5".to_owned()],
        public_url: Some("https://home.example/majordomo".to_owned()),
        ..HttpSettings::default()
    };
    Hosts::new("127.0.0.1:7777".parse().unwrap(), &settings).unwrap()
}

fn status(hosts: &Hosts, headers: &[(&'static str, &str)], uri: &str) -> u16 {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    hosts.check(&map, &uri.parse().unwrap()).map_or_else(|problem| problem.status.as_u16(), |_| 200)
}

#[test]
fn our_own_names_are_answered_to() {
    for host in [
        "127.0.0.1:7777",
        "127.0.0.1",
        "localhost",
        "localhost:7777",
        "LOCALHOST:7777",
        "localhost.",
        "localhost.:7777",
        "[::1]",
        "[::1]:7777",
        "[0:0:0:0:0:0:0:1]:7777",
        "home.example",
        "home.example:443",
        "home.example:7777",
        "house.lan",
        "HOUSE.lan.:7777",
        "box.lan",
        "box.lan:8443",
        "192.168.1.5:7777",
    ] {
        assert_eq!(status(&hosts(), &[("host", host)], "/v1/me"), 200, "{host}");
    }
}

#[test]
fn every_other_name_is_refused() {
    for host in [
        "evil.example",
        "evil.example:7777",
        "localhost.evil.example",
        "localhost:80",
        "127.0.0.1:7778",
        "home.example:8443",
        "box.lan:8444",
        "127.0.0.2",
        "127.1",
        "0x7f.0.0.1",
        "2130706433",
        "[::ffff:127.0.0.1]",
        "::1",
        "[::1",
        "localhost:",
        "localhost:+7777",
        "localhost:99999",
        "localhost..",
        "me@localhost",
        "localhost/x",
        "localhost, evil.example",
        "",
        ".",
        "löcalhost",
    ] {
        assert_eq!(status(&hosts(), &[("host", host)], "/v1/me"), 421, "{host}");
    }
    assert_eq!(status(&hosts(), &[], "/v1/me"), 421);
    assert_eq!(status(&hosts(), &[("host", "localhost"), ("host", "localhost")], "/v1/me"), 421);
}

#[test]
fn a_whole_url_in_the_request_line_counts_as_well() {
    assert_eq!(status(&hosts(), &[("host", "localhost")], "http://localhost:7777/v1/me"), 200);
    assert_eq!(status(&hosts(), &[("host", "localhost")], "http://evil.example/v1/me"), 421);
}

#[test]
fn only_our_own_pages_may_call() {
    let with = |origin: &str| status(&hosts(), &[("host", "localhost:7777"), ("origin", origin)], "/v1/me");
    for origin in [
        "http://localhost:7777",
        "http://127.0.0.1:7777",
        "http://[::1]:7777",
        "https://home.example",
        "https://home.example:443",
        "http://house.lan:7777",
        "https://house.lan",
        "https://box.lan:8443",
    ] {
        assert_eq!(with(origin), 200, "{origin}");
    }
    for origin in [
        "null",
        "",
        "http://localhost",
        "http://localhost:3000",
        "https://localhost:7777",
        "http://home.example",
        "https://home.example:7777",
        "https://evil.example",
        "http://localhost:7777/",
        "http://localhost:7777.evil.example",
        "chrome-extension://localhost:7777",
        "localhost:7777",
    ] {
        assert_eq!(with(origin), 403, "{origin}");
    }
    let twice =
        [("host", "localhost"), ("origin", "http://localhost:7777"), ("origin", "http://localhost:7777")];
    assert_eq!(status(&hosts(), &twice, "/v1/me"), 403);
}

#[test]
fn settings_that_name_no_host_are_refused() {
    let bound = "127.0.0.1:7777".parse().unwrap();
    for bad in ["", "http://house.lan", "house lan", "house.lan:x"] {
        let settings = HttpSettings { hosts: vec![bad.to_owned()], ..HttpSettings::default() };
        let error = Hosts::new(bound, &settings).unwrap_err();
        assert!(error.to_string().contains("server.hosts"), "{bad}: {error}");
    }
    for bad in ["home.example", "ftp://home.example", "https://"] {
        let settings = HttpSettings { public_url: Some(bad.to_owned()), ..HttpSettings::default() };
        let error = Hosts::new(bound, &settings).unwrap_err();
        assert!(error.to_string().contains("public_url"), "{bad}: {error}");
    }
}
