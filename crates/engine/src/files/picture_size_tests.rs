use super::*;

fn jpeg() -> Vec<u8> {
    let mut bytes = b"\xff\xd8\xff\xe1\x00\x06Exif".to_vec();
    // A preview inside a segment is no frame of this picture.
    bytes.extend(b"\xff\xe2\x00\x0b\xff\xc0\x00\x11\x08\x00\x01\x00\x01");
    bytes.extend(b"\xff\xff\xdb\x00\x03\x07");
    bytes.extend(b"\xff\xc2\x00\x11\x08\x01\x02\x03\x04\x03");
    bytes
}

fn pictures() -> Vec<(&'static str, Vec<u8>, (u32, u32))> {
    vec![
        ("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06".to_vec(), (640, 480)),
        ("image/gif", b"GIF89a\x40\x01\xc8\0\xf7\0\0".to_vec(), (320, 200)),
        (
            "image/webp",
            b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\x30\x01\0\x9d\x01\x2a\x20\x41\x10\0".to_vec(),
            (288, 16),
        ),
        ("image/webp", b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x1f\xc1\x03\0\0".to_vec(), (288, 16)),
        ("image/webp", b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x1f\x01\0\x0f\0\0".to_vec(), (288, 16)),
        ("image/jpeg", jpeg(), (772, 258)),
    ]
}

#[test]
fn every_format_says_its_size_however_it_is_cut() {
    for (kind, bytes, size) in pictures() {
        for cut in 1..=bytes.len() {
            let mut ruler = Ruler::default();
            bytes.chunks(cut).for_each(|chunk| ruler.push(chunk));
            assert_eq!(ruler.size(kind), Some(size), "{kind} in pieces of {cut}");
        }
    }
}

#[test]
fn what_breaks_off_or_is_empty_has_no_size() {
    for (kind, bytes, _) in pictures() {
        for length in 0..bytes.len() {
            let mut ruler = Ruler::default();
            ruler.push(&bytes[..length]);
            // What follows the size does not matter here.
            let enough = match kind {
                "image/png" => 24,
                "image/gif" => 10,
                "image/jpeg" => bytes.len() - 1,
                _ if bytes[15] == b'L' => 25,
                _ => 30,
            };
            assert_eq!(ruler.size(kind).is_some(), length >= enough, "{kind}, {length} bytes");
        }
    }
    let mut ruler = Ruler::default();
    ruler.push(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\0\0");
    assert_eq!(ruler.size("image/png"), None);
}

#[test]
fn no_bytes_are_too_strange() {
    let mut seed = 7_u32;
    for _ in 0..2_000 {
        let mut bytes = b"\xff\xd8".to_vec();
        for _ in 0..200 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Markers are likely, so that the scanner gets about.
            bytes.push(if seed & 0x300 == 0 { 0xff } else { (seed >> 24) as u8 });
        }
        let (mut whole, mut cut) = (Ruler::default(), Ruler::default());
        whole.push(&bytes);
        bytes.chunks(3).for_each(|chunk| cut.push(chunk));
        assert_eq!(whole.size("image/jpeg"), cut.size("image/jpeg"));
    }
}
