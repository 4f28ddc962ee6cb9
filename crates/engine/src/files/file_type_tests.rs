use super::*;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const WEBP: &[u8] = b"RIFF\x24\0\0\0WEBPVP8 ";

/// Told in pieces of one byte and as a whole, which must be the same.
fn decided(bytes: &[u8], declared: Option<&str>) -> std::result::Result<String, &'static str> {
    let mut whole = Sniffer::default();
    whole.push(bytes);
    let mut pieces = Sniffer::default();
    bytes.iter().for_each(|byte| pieces.push(&[*byte]));
    let code = |sniffer: &Sniffer| {
        sniffer.decide(declared).map_err(|error| match error {
            Error::UnsupportedMedia { code, .. } => code,
            _ => "another error",
        })
    };
    assert_eq!(code(&whole), code(&pieces), "{bytes:?} {declared:?}");
    code(&whole)
}

#[test]
fn what_bytes_and_sender_agree_on_is_believed() {
    for (bytes, declared, kind) in [
        (PNG, Some("image/png"), "image/png"),
        (PNG, Some("Image/PNG; charset=x"), "image/png"),
        (PNG, None, "image/png"),
        (PNG, Some("application/octet-stream"), "image/png"),
        (b"\xff\xd8\xff\xe0", Some("image/jpeg"), "image/jpeg"),
        (b"GIF89a....", Some("image/gif"), "image/gif"),
        (WEBP, Some("image/webp"), "image/webp"),
        (b"%PDF-1.7\n", Some("application/pdf"), "application/pdf"),
        (b"{\"a\": 1}", Some("application/json"), "application/json"),
        ("größe,maß\n".as_bytes(), Some("text/csv"), "text/csv"),
        (b"<script>alert(1)</script>", Some("text/html"), "text/html"),
        (b"", Some("text/plain"), "text/plain"),
        (b"", None, "text/plain"),
    ] {
        assert_eq!(decided(bytes, declared).as_deref(), Ok(kind), "{bytes:?} {declared:?}");
    }
}

#[test]
fn a_type_that_the_bytes_do_not_bear_out_is_refused() {
    for (bytes, declared) in [
        (b"<script>alert(1)</script>".as_slice(), "image/png"),
        (PNG, "image/jpeg"),
        (PNG, "text/plain"),
        (b"GIF89a = 1; alert(1)", "text/javascript"),
        (b"{}", "application/pdf"),
        (b"%PDF-1.7\n", "application/json"),
    ] {
        assert_eq!(decided(bytes, Some(declared)), Err("type_mismatch"), "{bytes:?} {declared}");
    }
}

#[test]
fn what_is_not_known_is_refused() {
    for (bytes, declared) in [
        (b"<svg xmlns='x'/>".as_slice(), Some("image/svg+xml")),
        (b"plain", Some("application/x-sh")),
        (b"plain", Some("text/")),
        (b"plain", Some("text/<b>")),
        (b"plain", Some("nonsense")),
        (b"\x7fELF\x02\x01\x01\0", None),
        (b"MZ\x90\0", Some("application/octet-stream")),
        (b"text with \0 inside", Some("text/plain")),
        (b"latin \xe9", Some("text/plain")),
        (b"cut off \xe2\x82", Some("text/plain")),
        (b"\xed\xa0\x80", Some("text/plain")),
    ] {
        assert_eq!(decided(bytes, declared), Err("unsupported_file"), "{bytes:?} {declared:?}");
    }
}
