use super::*;

fn of(text: &str) -> Class {
    class(text.parse().unwrap())
}

#[test]
fn the_internet_is_public() {
    for address in [
        "1.1.1.1",
        "8.8.8.8",
        "93.184.216.34",
        "100.63.255.255",
        "100.128.0.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.0.1.1",
        "192.167.1.1",
        "198.17.0.1",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450:4001::1",
        "2001:4860:4860::8888",
        "64:ff9b::808:808",
    ] {
        assert_eq!(of(address), Public, "{address}");
    }
}

#[test]
fn home_is_private() {
    for address in [
        "127.0.0.1",
        "127.255.255.254",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "100.127.255.255",
        "::1",
        "fc00::1",
        "fdff::1",
    ] {
        assert!(matches!(of(address), Private(_)), "{address}");
    }
}

#[test]
fn some_addresses_are_never_a_place_to_fetch_from() {
    for address in [
        "0.0.0.0",
        "0.1.2.3",
        "169.254.169.254",
        "169.254.0.1",
        "192.0.0.1",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "100.100.100.200",
        "168.63.129.16",
        "::",
        "::7f00:1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::ffff:0:7f00:1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b::a00:1",
        "64:ff9b:1::7f00:1",
        "100::1",
        "2001::1",
        "2001:0:7f00:1::",
        "2001:2::1",
        "2001:db8::1",
        "2001:10::1",
        "2001:20::1",
        "2002:7f00:1::",
        "2002:808:808::",
        "3fff::1",
        "5f00::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "4000::1",
        "e000::1",
        "fd00:ec2::254",
        "fd20:ce::254",
        "100:0:0:1::1",
    ] {
        assert!(matches!(of(address), Never(_)), "{address}");
    }
}

#[test]
fn no_address_that_hides_a_v4_one_of_home_is_public() {
    let homes: [Ipv4Addr; 5] =
        ["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "0.0.0.0"].map(|a| a.parse().unwrap());
    for home in homes {
        let [a, b, c, d] = home.octets();
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        for hidden in [
            home.to_ipv6_mapped(),
            home.to_ipv6_compatible(),
            Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
            Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
            Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, !high, !low),
            Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low),
            Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0x5efe, high, low),
        ] {
            assert_ne!(class(hidden.into()), Public, "{hidden} hides {home}");
        }
    }
}

proptest::proptest! {
    /// The standard library knows fewer ranges, but what it knows must be known here.
    #[test]
    fn never_milder_than_the_standard_library(bits: u32) {
        let address = Ipv4Addr::from_bits(bits);
        let special = address.is_loopback() || address.is_private() || address.is_link_local() || address.is_multicast()
            || address.is_broadcast() || address.is_documentation() || address.is_unspecified();
        proptest::prop_assert!(!special || class(address.into()) != Public, "{address}");
    }
}

#[test]
fn this_machine_is_known_by_its_routes() {
    assert!(is_this_machine("127.0.0.1".parse().unwrap()));
    assert!(!is_this_machine("192.0.2.1".parse().unwrap()));
}
