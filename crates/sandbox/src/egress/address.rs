//! Which addresses are out of bounds: everything that the registries of special-purpose addresses list, and every
//! form that hides one address inside another.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// On the internet, for everybody.
    Public,
    /// At home. Out of bounds unless the owner named the host.
    Private(&'static str),
    /// Never a place to fetch from.
    Never(&'static str),
}

use Class::{Never, Private, Public};

/// (first address, length of the prefix, what it is)
type Range4 = (Ipv4Addr, u32, Class);
type Range6 = (Ipv6Addr, u32, Class);

const fn v4(a: u8, b: u8, c: u8, d: u8) -> Ipv4Addr {
    Ipv4Addr::new(a, b, c, d)
}

const fn v6(a: u16, b: u16, c: u16, d: u16) -> Ipv6Addr {
    Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)
}

const RANGES4: [Range4; 20] = [
    (v4(0, 0, 0, 0), 8, Never("this network")),
    (v4(10, 0, 0, 0), 8, Private("a private network")),
    (v4(100, 64, 0, 0), 10, Private("shared by customers of a provider")),
    (v4(127, 0, 0, 0), 8, Private("this machine")),
    (v4(169, 254, 0, 0), 16, Never("an address where clouds keep their secrets")),
    (v4(172, 16, 0, 0), 12, Private("a private network")),
    // The registry's exceptions in here are services of the network itself, none of them a web server.
    (v4(192, 0, 0, 0), 24, Never("reserved for network protocols")),
    (v4(192, 0, 2, 0), 24, Never("for examples in documents only")),
    (v4(192, 31, 196, 0), 24, Never("reserved for name servers (AS112)")),
    (v4(192, 52, 193, 0), 24, Never("reserved for multicast tunnels (AMT)")),
    (v4(192, 88, 99, 0), 24, Never("a tunnel to another address (6to4)")),
    (v4(192, 168, 0, 0), 16, Private("a private network")),
    (v4(192, 175, 48, 0), 24, Never("reserved for name servers (AS112)")),
    (v4(198, 18, 0, 0), 15, Never("for measurements only")),
    (v4(198, 51, 100, 0), 24, Never("for examples in documents only")),
    (v4(203, 0, 113, 0), 24, Never("for examples in documents only")),
    // Inside a cloud these answer like its metadata service does.
    (v4(168, 63, 129, 16), 32, Never("an internal service of a cloud")),
    (v4(100, 100, 100, 200), 32, Never("an internal service of a cloud (metadata)")),
    (v4(224, 0, 0, 0), 4, Never("for sending to many machines at once (multicast)")),
    (v4(240, 0, 0, 0), 4, Never("reserved, or for sending to all machines (broadcast)")),
];

const RANGES6: [Range6; 17] = [
    (v6(0x64, 0xff9b, 1, 0), 48, Never("an address that is translated inside a network")),
    (v6(0x100, 0, 0, 0), 64, Never("an address that discards everything")),
    (v6(0x100, 0, 0, 1), 64, Never("reserved")),
    (v6(0x2001, 0, 0, 0), 32, Never("a tunnel to another address (Teredo)")),
    (v6(0x2001, 2, 0, 0), 48, Never("for measurements only")),
    (v6(0x2001, 0xdb8, 0, 0), 32, Never("for examples in documents only")),
    (v6(0x2001, 0, 0, 0), 23, Never("reserved for network protocols")),
    (v6(0x2002, 0, 0, 0), 16, Never("a tunnel to another address (6to4)")),
    (v6(0x2620, 0x4f, 0x8000, 0), 48, Never("reserved for name servers (AS112)")),
    (v6(0x3fff, 0, 0, 0), 20, Never("for examples in documents only")),
    (v6(0x5f00, 0, 0, 0), 16, Never("for routing inside a network")),
    (v6(0xfc00, 0, 0, 0), 7, Private("a private network")),
    (v6(0xfe80, 0, 0, 0), 10, Never("for one network cable or radio only (link-local)")),
    (v6(0xfec0, 0, 0, 0), 10, Never("an old kind of private network (site-local)")),
    (v6(0xff00, 0, 0, 0), 8, Never("for sending to many machines at once (multicast)")),
    // THREAT[ssrf-03]: the metadata service of a cloud also has an address among the unique-local ones.
    (
        Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
        128,
        Never("an internal service of a cloud (metadata)"),
    ),
    (
        Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
        128,
        Never("an internal service of a cloud (metadata)"),
    ),
];

/// The worst that any of the lists says about an address.
#[must_use]
pub fn class(address: IpAddr) -> Class {
    match address {
        IpAddr::V4(address) => class4(address),
        IpAddr::V6(address) => class6(address),
    }
}

fn class4(address: Ipv4Addr) -> Class {
    let inside = |&(first, length, _): &Range4| {
        let shift = 32_u32.saturating_sub(length);
        address.to_bits().checked_shr(shift) == first.to_bits().checked_shr(shift)
    };
    worst(RANGES4.iter().filter(|range| inside(range)).map(|range| range.2))
}

fn class6(address: Ipv6Addr) -> Class {
    if address == Ipv6Addr::LOCALHOST {
        return Private("this machine");
    }
    // THREAT[ssrf-02]: one address can hide in another. Nobody needs the mapped and compatible forms to fetch
    // a page, so none of them is public, whatever it hides.
    if address.to_bits() >> 48 == 0 {
        return Never("an IPv4 address written as an IPv6 address");
    }
    if let Some(inner) = translated(address) {
        return match class4(inner) {
            Public => Public,
            Private(what) | Never(what) => Never(what),
        };
    }
    // Only 2000::/3 is handed out at all.
    let unassigned = (address.to_bits() >> 125 != 1).then_some(Never("not in use on the internet"));
    let inside = |&(first, length, _): &Range6| {
        let shift = 128_u32.saturating_sub(length);
        address.to_bits().checked_shr(shift) == first.to_bits().checked_shr(shift)
    };
    let listed: Vec<Class> = RANGES6.iter().filter(|range| inside(range)).map(|range| range.2).collect();
    match (listed.is_empty(), unassigned) {
        (true, Some(unassigned)) => unassigned,
        _ => worst(listed.into_iter()),
    }
}

/// The IPv4 address behind one that a network without IPv4 makes up (RFC 6052). Public ones are how such a network
/// reaches half of the internet, so these are judged by what is inside.
fn translated(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let well_known = address.to_bits() >> 32 == Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0).to_bits() >> 32;
    let last = u32::try_from(address.to_bits() & u128::from(u32::MAX)).ok()?;
    well_known.then_some(Ipv4Addr::from_bits(last))
}

/// Would what is sent there stay on this machine? The routes of the system know; nothing is sent to ask them.
pub(crate) fn is_this_machine(address: IpAddr) -> bool {
    let any: IpAddr = match address {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let from = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect((address, 9))?;
        socket.local_addr()
    });
    from.is_ok_and(|from| from.ip() == address)
}

fn worst(classes: impl Iterator<Item = Class>) -> Class {
    classes.fold(Public, |worst, class| match (worst, class) {
        (Never(_), _) | (Private(_), Private(_) | Public) => worst,
        (Private(_), Never(_)) | (Public, _) => class,
    })
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
