//! Ways to write an address that must not be reached.

/// Addresses that are out of bounds, and the forms in which each is written.
const V4: [&str; 14] = [
    "127.0.0.1",
    "127.1.2.3",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.192",
    "198.18.0.1",
    "203.0.113.7",
    "224.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
];

/// Everything that some parser takes for one of those addresses, or for a name of this machine. `PORT` stands for the
/// port that somebody listens on.
pub fn forbidden() -> Vec<String> {
    let mut all: Vec<String> = V4.iter().flat_map(|address| forms(address.parse().unwrap())).collect();
    all.extend(NAMES.iter().map(|host| format!("http://{host}:PORT/")));
    all.extend(V6.iter().map(|host| format!("http://[{host}]:PORT/")));
    all.extend(WHOLE.iter().map(|&url| url.to_owned()));
    all.sort();
    all.dedup();
    all
}

fn forms(address: std::net::Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = address.octets();
    let number = address.to_bits();
    let low16 = number & 0xffff;
    let low24 = number & 0xff_ffff;
    let hosts = [
        format!("{address}"),
        format!("{address}."),
        format!("{number}"),
        format!("{number}."),
        format!("0x{number:x}"),
        format!("0X{number:X}"),
        format!("0{number:o}"),
        format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("000{a:o}.00{b:o}.0000{c:o}.0{d:o}"),
        format!("0x000{a:x}.{b}.0{c:o}.{d}"),
        format!("{a}.{b}.{low16}"),
        format!("{a}.{low24}"),
        format!("{a}.0x{low24:x}"),
        format!("0x{a:x}.0{low24:o}"),
        percent(&address.to_string()),
        fullwidth(&address.to_string()),
        circled(&address.to_string()),
        address.to_string().replace('.', "\u{3002}"),
        address.to_string().replace('.', "\u{ff0e}"),
        address.to_string().replace('.', "%2e"),
        format!("[::ffff:{address}]"),
        format!("[::{address}]"),
        format!("[64:ff9b::{address}]"),
        format!("[2002:{:x}:{:x}::1]", number >> 16, low16),
        format!("[0:0:0:0:0:FFFF:{:04X}:{:04X}]", number >> 16, low16),
    ];
    let mut urls: Vec<String> = hosts.iter().map(|host| format!("http://{host}:PORT/")).collect();
    urls.push(format!("http://user@{address}:PORT/"));
    urls.push(format!("http://example.com@{address}:PORT/"));
    urls.push(format!("http://example.com:80@{address}:PORT/"));
    urls.push(format!("http:\\\\{address}:PORT\\"));
    urls.push(format!("http:/{address}:PORT/"));
    urls.push(format!("http:{address}:PORT/"));
    urls.push(format!("http:////{address}:PORT/"));
    urls
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

fn fullwidth(text: &str) -> String {
    let wide = |c: char| c.to_digit(10).and_then(|digit| char::from_u32(0xff10 + digit)).unwrap_or(c);
    text.chars().map(wide).collect()
}

fn circled(text: &str) -> String {
    let round = |c: char| match c.to_digit(10) {
        Some(0) => '\u{24ea}',
        Some(digit) => char::from_u32(0x2460 + digit - 1).unwrap(),
        None => c,
    };
    text.chars().map(round).collect()
}

const NAMES: [&str; 26] = [
    "localhost",
    "LOCALHOST",
    "LocalHost.",
    "localhost..",
    "%6c%6fcalhost",
    "ⓛocalhost",
    "ｌｏｃａｌｈｏｓｔ",
    "loc\u{ad}alhost",
    "local\u{200b}host",
    "loca\u{2060}lhost",
    "a.localhost",
    "a.b.LOCALHOST.",
    "localhost.localdomain",
    "localhost6",
    "ip6-localhost",
    "ip6-loopback",
    "metadata",
    "metadata.google.internal",
    "metadata.google.internal.",
    "instance-data.ec2.internal",
    "kubernetes.default.svc.cluster.local",
    "host.docker.internal",
    "gateway.docker.internal",
    "router.lan",
    "fritz.box.home.arpa",
    "broadcasthost",
];

const V6: [&str; 40] = [
    "::1",
    "::01",
    "0::1",
    "0:0:0:0:0:0:0:1",
    "0000:0000:0000:0000:0000:0000:0000:0001",
    "::0.0.0.1",
    "::",
    "::0",
    "0:0:0:0:0:0:0:0",
    "::7f00:1",
    "::7F00:0001",
    "::ffff:7f00:1",
    "::FFFF:7F00:1",
    "::ffff:0:7f00:1",
    "::ffff:0:127.0.0.1",
    "0:0:0:0:ffff:0:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::7f00:1",
    "64:FF9B::10.0.0.1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2001:0:7f00:1::1",
    "2001::f5ff:fffe",
    "2001:db8::1",
    "2001:2::1",
    "2001:10::1",
    "fc00::1",
    "fd00:ec2::254",
    "fd00::1",
    "fe80::1",
    "fe80::1%25lo",
    "fe80::1%lo",
    "::1%25lo",
    "fec0::1",
    "ff02::1",
    "100::1",
    "3fff::1",
];

const WHOLE: [&str; 48] = [
    "HTTP://127.0.0.1:PORT/",
    "hTtP://LOCALHOST:PORT/",
    "https://127.0.0.1:PORT/",
    "https://localhost:PORT/",
    "https://[::1]:PORT/",
    " http://127.0.0.1:PORT/",
    "http://127.0.0.1:PORT/ ",
    "\thttp://127.0.0.1:PORT/",
    "ht\ntp://127.0.0.1:PORT/",
    "http://127.0.\t0.1:PORT/",
    "http://127.0.0.1\r\n:PORT/",
    "http://127.0.0.1:PORT\u{0}/",
    "http://127.0.0.1:00PORT/",
    "http://127.0.0.1:PORT?x",
    "http://127.0.0.1:PORT#x",
    "http://127.0.0.1:PORT;x",
    "http://:PORT/",
    "http://@127.0.0.1:PORT/",
    "http://@@127.0.0.1:PORT/",
    "http://:@127.0.0.1:PORT/",
    "http://:x@127.0.0.1:PORT/",
    "http://example.com%40127.0.0.1:PORT/",
    "http://example.com#@127.0.0.1:PORT/",
    "http://example.com\\@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT\\@example.com/",
    "http://example.com?@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT@example.com@127.0.0.1:PORT/",
    "http://\u{202e}127.0.0.1:PORT/",
    "http://127.0.0.1\u{200b}:PORT/",
    "http://127\u{2024}0\u{2024}0\u{2024}1:PORT/",
    "http://1\u{2082}7.0.0.1:PORT/",
    "http://①②⑦.⓪.⓪.①:PORT/",
    "http://⑫7.0.0.1:PORT/",
    "http://127.0.0.1.:PORT/",
    "http://127.0.0.1..:PORT/",
    "http://127.0.0.0x1:PORT/",
    "http://127.1:PORT/",
    "http://127.0.1:PORT/",
    "http://0:PORT/",
    "http://0x:PORT/",
    "http://00:PORT/",
    "http://0.0:PORT/",
    "http://0x7f.1:PORT/",
    "http://4294967296:PORT/",
    "http://256.0.0.1:PORT/",
    "http://[::ffff:127.0.0.1%25]:PORT/",
    "http://[::1].:PORT/",
    "http://[[::1]]:PORT/",
];

/// Ways that are not HTTP at all.
pub const SCHEMES: [&str; 24] = [
    "file:///etc/passwd",
    "file://127.0.0.1/etc/passwd",
    "FILE:///etc/passwd",
    "gopher://127.0.0.1:PORT/_x",
    "dict://127.0.0.1:PORT/x",
    "ftp://127.0.0.1:PORT/",
    "sftp://127.0.0.1:PORT/",
    "ldap://127.0.0.1:PORT/",
    "tftp://127.0.0.1:PORT/",
    "ws://127.0.0.1:PORT/",
    "wss://127.0.0.1:PORT/",
    "jar:http://127.0.0.1:PORT/!/",
    "view-source:http://127.0.0.1:PORT/",
    "data:text/plain,x",
    "javascript:alert(1)",
    "blob:http://127.0.0.1:PORT/x",
    "unix:/run/docker.sock",
    "http+unix://%2frun%2fdocker.sock/",
    "//127.0.0.1:PORT/",
    "127.0.0.1:PORT",
    "localhost:PORT",
    "",
    "http://",
    "netdoc:///etc/passwd",
];
