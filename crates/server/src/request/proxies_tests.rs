use super::*;

fn is_in(network: &str, address: &str) -> bool {
    network.parse::<ProxyNetwork>().unwrap().contains(address.parse().unwrap())
}

#[test]
fn a_network_has_the_addresses_that_begin_like_it() {
    for (network, inside, outside) in [
        ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
        ("172.16.0.0/12", "172.31.255.255", "172.32.0.0"),
        ("172.30.7.2/32", "172.30.7.2", "172.30.7.3"),
        ("10.0.0.0/8", "::ffff:10.9.8.7", "11.0.0.0"),
        ("128.0.0.0/1", "255.0.0.1", "127.0.0.1"),
        ("fd00::/8", "fdff::1", "fe00::1"),
        ("::1", "::1", "127.0.0.1"),
    ] {
        assert!(is_in(network, inside), "{network} {inside}");
        assert!(!is_in(network, outside), "{network} {outside}");
        assert_eq!(network.parse::<ProxyNetwork>().unwrap().to_string(), network.trim_end_matches("/32"));
    }
    let local =
        |address: &str| ProxyNetwork::LOOPBACK.iter().any(|own| own.contains(address.parse().unwrap()));
    assert!(local("127.0.0.1") && local("127.8.8.8") && local("::1") && local("::ffff:127.0.0.1"));
    assert!(!local("128.0.0.1") && !local("::2"));
}

#[test]
fn what_is_no_network_is_refused() {
    for odd in
        ["", "proxy", "192.0.2", "192.0.2.0/33", "192.0.2.0/x", "0.0.0.0/0", "::/0", "fd00::/129", "1.2.3.4/"]
    {
        assert!(odd.parse::<ProxyNetwork>().is_err(), "{odd}");
    }
}
