use super::*;

#[test]
fn a_host_is_spelt_in_one_way() {
    let table = [
        ("https://Wiki.Example/x", Some("wiki.example")),
        ("http://wiki.example.:80/", Some("wiki.example")),
        ("https://wiki.example:8443/", Some("wiki.example:8443")),
        ("https://[::1]/", Some("[::1]")),
        ("file:///etc/passwd", None),
        ("wiki.example", None),
    ];
    for (address, spelt) in table {
        assert_eq!(host(address).as_deref(), spelt, "{address}");
    }
}
