//! Archives and PDFs, right and wrong ones.

use flate2::{Compression, write::DeflateEncoder};
use std::io::Write;

pub fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Spaces that unpack to so many megabytes: one block that stands for a megabyte, again and again.
pub fn spaces(megabytes: usize, zlib: bool) -> Vec<u8> {
    let mut block = Vec::with_capacity(1 << 16);
    let mut compress = flate2::Compress::new(Compression::best(), false);
    compress.compress_vec(&vec![b' '; 1 << 20], &mut block, flate2::FlushCompress::Full).unwrap();
    let head: &[u8] = if zlib { b"\x78\xda" } else { b"" };
    [head, &block.repeat(megabytes), b"\x03\0"].concat()
}

/// An archive of entries that are packed already. `claimed` is the size that it says they have.
pub fn archive(entries: &[(&str, &[u8])], claimed: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut list = Vec::new();
    for (name, packed) in entries {
        let offset = out.len() as u32;
        let sizes = [(packed.len() as u32).to_le_bytes(), claimed.to_le_bytes()].concat();
        let common = [
            &[20, 0, 0, 0, 8, 0, 0, 0, 0, 0][..],
            &[0; 4],
            &sizes,
            &(name.len() as u16).to_le_bytes(),
            &[0, 0],
        ]
        .concat();
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(*packed);
        list.extend(b"PK\x01\x02\x14\0");
        list.extend(&common);
        list.extend([0; 10]);
        list.extend(offset.to_le_bytes());
        list.extend(name.as_bytes());
    }
    let (at, size) = (out.len() as u32, list.len() as u32);
    let count = (entries.len() as u16).to_le_bytes();
    out.extend(list);
    out.extend(
        [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &size.to_le_bytes(), &at.to_le_bytes(), &[0, 0]]
            .concat(),
    );
    out
}

pub fn docx(document: &[u8], claimed: u32) -> Vec<u8> {
    let types = deflated(b"<Types/>");
    archive(&[("[Content_Types].xml", &types), ("word/document.xml", document)], claimed)
}

pub fn docx_of(xml: &str) -> Vec<u8> {
    docx(&deflated(xml.as_bytes()), xml.len() as u32)
}

pub fn archive_with_mime(mime: &str, content: &str) -> Vec<u8> {
    let packed = deflated(content.as_bytes());
    let mut file = archive(&[("mimetype", mime.as_bytes()), ("content.xml", &packed)], mime.len() as u32);
    // The type is stored as it is.
    let stored = |file: &mut Vec<u8>, mark: &[u8], method: usize| {
        let at = file.windows(mark.len()).position(|window| window == mark).unwrap();
        file[at + method] = 0;
    };
    stored(&mut file, b"PK\x03\x04", 8);
    stored(&mut file, b"PK\x01\x02", 10);
    file
}

/// A PDF of these objects, with a list that is right unless `broken`.
pub fn pdf(objects: &[String], broken: bool) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    let at = if broken { 7 } else { out.len() };
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        let place = if broken { place + 13 } else { place };
        out.extend(format!("{place:010} 00000 n \n").bytes());
    }
    out.extend(
        format!("trailer\n<</Size {}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF", objects.len() + 1).bytes(),
    );
    out
}

pub const FONT: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";

pub fn pages_of(count: usize, kids: &str) -> Vec<String> {
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Count {count}/Kids[{kids}]/Resources<</Font<</F1 3 0 R>>>>>>"),
        FONT.to_owned(),
    ];
    for number in 0..count {
        let content = format!("BT /F1 12 Tf 72 720 Td (Words of page {number}) Tj ET");
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {} 0 R>>",
            5 + number * 2
        ));
        objects.push(format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()));
    }
    objects
}
