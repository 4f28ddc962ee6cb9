use super::*;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

#[test]
fn home_is_recognised() {
    for home in [
        "http://127.0.0.1:1",
        "http://localhost",
        "http://LOCALHOST.",
        "http://[::1]:80",
        "http://10.1.2.3",
        "http://172.16.0.1",
        "http://192.168.1.9:11434",
        "http://169.254.1.1",
        "http://[fd00::1]",
        "http://[fe80::1]",
        "http://[::ffff:10.0.0.1]",
        "http://ollama:11434",
        "http://nas.local",
        "http://box.lan",
        "http://host.docker.internal",
        "http://0.0.0.0:1",
        "http://2130706433/",
    ] {
        assert!(is_private(&url(home)), "{home}");
    }
    for outside in [
        "https://api.openai.com",
        "http://8.8.8.8",
        "http://172.32.0.1",
        "http://[2001:db8::1]",
        "http://127.0.0.1.example.com",
        "http://localhost.example.com",
    ] {
        assert!(!is_private(&url(outside)), "{outside}");
    }
}

#[test]
fn a_password_in_the_address_is_not_shown() {
    assert_eq!(shown(&url("http://me:pass@host.example:8080/v1/?key=secret")), "http://host.example:8080/v1");
    assert_eq!(shown(&url("https://api.openai.com/v1")), "https://api.openai.com/v1");
}
