use super::*;

#[test]
fn names_of_home_are_known_in_every_spelling() {
    for host in [
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "printer.local",
        "metadata.google.internal",
        "router",
        "nas.lan",
        "x.home.arpa",
        "db.corp.",
        "1.0.0.127.in-addr.arpa",
    ] {
        assert!(is_at_home(&canonical(host)), "{host}");
    }
    for host in ["example.com", "localhost.com", "notlocal.org", "internal.example.org", "mylan.de"] {
        assert!(!is_at_home(&canonical(host)), "{host}");
    }
}
