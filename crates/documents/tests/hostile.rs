//! Files that were made to hurt: what they cost is counted, and they end with a sentence or with text, never otherwise.

use documents::{DocumentKind, Limits, Unreadable, read};
use flate2::{Compression, write::DeflateEncoder, write::ZlibEncoder};
use std::{
    fs,
    io::Write,
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// What the process holds at the moment, and the most that it held since the last time it was asked to begin anew; in bytes.
fn held(what: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    number.unwrap_or(0) << 10
}

/// One at a time, so that what is counted is of one file.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What any file may cost beyond itself.
const MOST_BYTES: usize = 256 << 20;

/// Reads it and says what became of it; fails when it cost too much.
fn weighed(bytes: &[u8], name: &str) -> Result<documents::Document, Unreadable> {
    // The system forgets the peak when it is told so; where it cannot, the peak is of all files before, too.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let before = held("VmRSS:");
    let result = read(bytes, name, &Limits::default());
    let cost = held("VmHWM:").saturating_sub(before);
    assert!(cost < MOST_BYTES, "{name} cost {} MB", cost >> 20);
    result
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Spaces that unpack to so many megabytes: one block that stands for a megabyte, again and again.
fn spaces(megabytes: usize, zlib: bool) -> Vec<u8> {
    let mut block = Vec::with_capacity(1 << 16);
    let mut compress = flate2::Compress::new(Compression::best(), false);
    compress.compress_vec(&vec![b' '; 1 << 20], &mut block, flate2::FlushCompress::Full).unwrap();
    let head: &[u8] = if zlib { b"\x78\xda" } else { b"" };
    [head, &block.repeat(megabytes), b"\x03\0"].concat()
}

/// An archive of entries that are packed already. `claimed` is the size that it says they have.
fn archive(entries: &[(&str, &[u8])], claimed: u32) -> Vec<u8> {
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

fn docx(document: &[u8], claimed: u32) -> Vec<u8> {
    let types = deflated(b"<Types/>");
    archive(&[("[Content_Types].xml", &types), ("word/document.xml", document)], claimed)
}

fn docx_of(xml: &str) -> Vec<u8> {
    docx(&deflated(xml.as_bytes()), xml.len() as u32)
}

#[test]
fn an_archive_that_is_honest_is_read() {
    let _alone = alone();
    let document = weighed(
        &docx_of("<w:document><w:p><w:r><w:t>boots &amp; &#228;</w:t></w:r></w:p></w:document>"),
        "a.docx",
    )
    .unwrap();
    assert_eq!(document.parts[0].text, "boots & ä");
}

/// THREAT[document-01] Ten gigabytes of spaces in ten megabytes, whatever size the archive claims.
#[test]
fn bombs_do_not_go_off() {
    let _alone = alone();
    let bomb = spaces(10_000, false);
    for claimed in [0, 100, u32::MAX] {
        assert_eq!(weighed(&docx(&bomb, claimed), "bomb.docx"), Err(Unreadable::TooMuch(DocumentKind::Word)));
    }
    let small = spaces(200, false);
    let types = deflated(b"<Types/>");
    // An archive in an archive is an entry like any other, and no reader opens it.
    let nested = archive(
        &[("[Content_Types].xml", &types), ("word/document.xml", &deflated(&archive(&[("x", &small)], 0)))],
        0,
    );
    assert!(weighed(&nested, "nested.docx").is_err());
    for name in ["xl/workbook.xml", "ppt/presentation.xml"] {
        let file = archive(&[("[Content_Types].xml", &types), (name, &bomb)], 0);
        assert!(matches!(weighed(&file, name), Err(Unreadable::TooMuch(_))), "{name}");
    }
}

/// Many entries that are all the same bytes: each costs when it is read, and the sum is bounded.
#[test]
fn entries_that_lie_over_each_other_cost_what_they_unpack_to() {
    let _alone = alone();
    let slide = deflated(
        format!("<p:sld><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:sld>", "x ".repeat(400_000)).as_bytes(),
    );
    let count = 3_000;
    let ids: String = (0..count).map(|number| format!("<p:sldId r:id=\"r{number}\"/>")).collect();
    let rels: String = (0..count)
        .map(|number| {
            format!("<Relationship Id=\"r{number}\" Type=\"x/slide\" Target=\"slides/s{number}.xml\"/>")
        })
        .collect();
    let main = deflated(format!("<p:presentation>{ids}</p:presentation>").as_bytes());
    let rels = deflated(format!("<Relationships>{rels}</Relationships>").as_bytes());
    let types = deflated(b"<Types/>");
    let names: Vec<String> = (0..count).map(|number| format!("ppt/slides/s{number}.xml")).collect();
    let mut entries: Vec<(&str, &[u8])> = vec![
        ("[Content_Types].xml", &types),
        ("ppt/presentation.xml", &main),
        ("ppt/_rels/presentation.xml.rels", &rels),
    ];
    entries.extend(names.iter().map(|name| (name.as_str(), slide.as_slice())));
    let mut file = archive(&entries, 0);
    // Every slide leads to the bytes of the first one.
    let first = file
        .windows(22)
        .position(|window| window == b"ppt/slides/s0.xmlPK\x03\x04\x14" as &[u8])
        .map(|at| at as u32);
    if let Some(first) = first {
        let at = file.len() - 22;
        let mut entry = u32::from_le_bytes(file[at + 16..at + 20].try_into().unwrap()) as usize;
        while file[entry..].starts_with(b"PK\x01\x02") {
            let length = usize::from(u16::from_le_bytes([file[entry + 28], file[entry + 29]]));
            if file[entry + 46..].starts_with(b"ppt/slides/") {
                file[entry + 42..entry + 46].copy_from_slice(&(first - 30).to_le_bytes());
            }
            entry += 46 + length;
        }
    }
    match weighed(&file, "overlap.pptx") {
        Ok(document) => assert!(document.cut && document.chars() <= 4 << 20),
        Err(error) => assert_eq!(error, Unreadable::TooMuch(DocumentKind::Slides)),
    }
}

/// THREAT[document-03]
#[test]
fn entities_and_depth_are_nothing() {
    let _alone = alone();
    let laughs: String =
        (1..10).map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10))).collect();
    let xml = format!(
        "<!DOCTYPE w [<!ENTITY l0 \"lol\">{laughs}<!ENTITY file SYSTEM \"file:///etc/passwd\">]><w:document><w:p><w:r><w:t>a&l9;b&file;c</w:t></w:r></w:p></w:document>"
    );
    assert_eq!(weighed(&docx_of(&xml), "laughs.docx").unwrap().parts[0].text, "abc");
    let deep = format!("<w:document>{}<w:t>x</w:t>", "<w:p>".repeat(200_000));
    assert!(weighed(&docx_of(&deep), "deep.docx").is_err());
    let wide = format!("<w:document>{}</w:document>", "<w:p/>".repeat(3_000_000));
    assert!(weighed(&docx_of(&wide), "wide.docx").is_err());
    let attributes: String = (0..200_000).map(|n| format!(" a{n}=\"x\"")).collect();
    let _ = weighed(
        &docx_of(&format!("<w:document><w:p{attributes}><w:pStyle{attributes}/></w:p></w:document>")),
        "attributes.docx",
    );
}

#[test]
fn macros_and_remote_parts_do_nothing() {
    let _alone = alone();
    let types = deflated(b"<Types/>");
    let body = deflated(b"<w:document><w:p><w:r><w:t>words</w:t><w:instrText>INCLUDETEXT http://example.com</w:instrText></w:r></w:p></w:document>");
    let rels = deflated(b"<Relationships><Relationship Id=\"r1\" Type=\"x/attachedTemplate\" Target=\"http://example.com/t.dotm\" TargetMode=\"External\"/><Relationship Id=\"r2\" Type=\"x/footnotes\" Target=\"../../../../etc/passwd\"/></Relationships>");
    let file = archive(
        &[
            ("[Content_Types].xml", &types),
            ("word/document.xml", &body),
            ("word/_rels/document.xml.rels", &rels),
            ("word/vbaProject.bin", &types),
        ],
        0,
    );
    let document = weighed(&file, "macro.docm").unwrap();
    assert_eq!(document.parts.len(), 1);
    assert_eq!(document.parts[0].text, "words");
}

/// Cells that claim to be a million, and one that is far away.
#[test]
fn sheets_are_no_larger_than_their_words() {
    let _alone = alone();
    let types = deflated(b"<Types/>");
    let book = deflated(b"<workbook><sheets><sheet name=\"A\" r:id=\"r1\"/></sheets></workbook>");
    let rels = deflated(
        b"<Relationships><Relationship Id=\"r1\" Type=\"x/worksheet\" Target=\"s.xml\"/></Relationships>",
    );
    let sheet = deflated(b"<worksheet><sheetData><row r=\"1048576\"><c r=\"A1048576\"><v>1</v></c><c r=\"XFD1048576\"><v>2</v></c><c r=\"B1\" t=\"s\"><v>99999999999</v></c></row></sheetData></worksheet>");
    let file = archive(
        &[
            ("[Content_Types].xml", &types),
            ("xl/workbook.xml", &book),
            ("xl/_rels/workbook.xml.rels", &rels),
            ("xl/s.xml", &sheet),
        ],
        0,
    );
    assert!(weighed(&file, "far.xlsx").unwrap().chars() < 100);
    let content = "<office:document-content><table:table table:name=\"T\"><table:table-row table:number-rows-repeated=\"1048576\"><table:table-cell table:number-columns-repeated=\"16384\"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:document-content>";
    let ods = [&archive_with_mime("application/vnd.oasis.opendocument.spreadsheet", content)[..]].concat();
    assert!(weighed(&ods, "wide.ods").unwrap().chars() < 1_000);
}

fn archive_with_mime(mime: &str, content: &str) -> Vec<u8> {
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
fn pdf(objects: &[String], broken: bool) -> Vec<u8> {
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

const FONT: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";

fn pages_of(count: usize, kids: &str) -> Vec<String> {
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

fn five_hundred() -> Vec<String> {
    let kids: String = (0..500).map(|number| format!("{} 0 R ", 4 + number * 2)).collect();
    pages_of(500, &kids)
}

#[test]
fn five_hundred_pages_are_read_also_without_a_list() {
    let _alone = alone();
    for broken in [false, true] {
        let document = weighed(&pdf(&five_hundred(), broken), "long.pdf").unwrap();
        assert_eq!(document.parts.len(), 500);
        assert_eq!(document.parts[499].text, "Words of page 499");
        assert_eq!(document.parts[499].title.as_deref(), Some("Page 500"));
    }
}

#[test]
fn a_tree_of_pages_that_leads_back_ends() {
    let _alone = alone();
    let mut objects = pages_of(1, "4 0 R 2 0 R 6 0 R 4 0 R");
    objects.push("<</Type/Pages/Kids[2 0 R 6 0 R 4 0 R]/Parent 6 0 R>>".to_owned());
    assert_eq!(weighed(&pdf(&objects, false), "cycle.pdf").unwrap().parts.len(), 1);
    // Objects that are only each other, and a form that shows itself.
    let mut objects = pages_of(1, "4 0 R");
    objects[2] = "3 0 R".to_owned();
    objects[4] = "<</Length 6 0 R>>\nstream\n/X Do\nendstream".to_owned();
    objects.push("7 0 R".to_owned());
    objects.push("6 0 R".to_owned());
    assert!(weighed(&pdf(&objects, false), "self.pdf").is_err());
    let mut objects = pages_of(1, "4 0 R");
    objects[1] = objects[1].replace("/Font", "/XObject<</X 6 0 R>>/Font");
    objects[4] = "<</Length 5>>\nstream\n/X Do\nendstream".to_owned();
    let content = "/X Do /X Do /X Do /X Do /X Do /X Do /X Do /X Do BT /F1 9 Tf (again) Tj ET";
    objects.push(format!(
        "<</Type/XObject/Subtype/Form/Length {}>>\nstream\n{content}\nendstream",
        content.len()
    ));
    let document = weighed(&pdf(&objects, false), "form.pdf").unwrap();
    assert!(document.cut && document.chars() <= 4 << 20, "eight to the twelfth forms are cut");
}

/// Packed content, packed twice, packed lists of objects: none unpacks beyond its bound.
#[test]
fn packed_streams_of_a_pdf_are_bounded() {
    let _alone = alone();
    let once = spaces(2_000, true);
    let twice = {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&once).unwrap();
        encoder.finish().unwrap()
    };
    for (packed, filter) in [
        (&once, "/FlateDecode"),
        (&twice, "[/FlateDecode/FlateDecode]"),
        (&once, "[/FlateDecode/LZWDecode]"),
        (&once, "[/FlateDecode/RunLengthDecode]"),
    ] {
        for dict in ["", "/Type/ObjStm/N 1000000/First 10", "/Type/XRef/W[1 1 1]/Size 100000000/Root 1 0 R"] {
            let mut file = pdf(&pages_of(1, "4 0 R"), true);
            let at = file.len();
            file.extend(
                format!("\n9 0 obj\n<<{dict}/Length {}/Filter {filter}>>\nstream\n", packed.len()).bytes(),
            );
            file.extend(packed.iter());
            file.extend(format!("\nendstream\nendobj\nstartxref\n{}\n%%EOF", at + 1).bytes());
            let document = weighed(&file, "packed.pdf");
            assert!(
                document.is_ok_and(|document| document.parts[0].text == "Words of page 0"),
                "{filter} {dict}"
            );
        }
    }
}

#[test]
fn what_is_locked_says_so() {
    let _alone = alone();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files/locked");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let error = weighed(&fs::read(&path).unwrap(), "locked.pdf").unwrap_err();
        assert_eq!(error, Unreadable::Locked(DocumentKind::Pdf), "{path:?}");
        assert_eq!(
            error.to_string(),
            "This PDF is locked with a password. Remove the password and attach it again."
        );
        count += 1;
    }
    assert_eq!(count, 2);
    let old = [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &[0; 600]].concat();
    assert_eq!(weighed(&old, "old.doc"), Err(Unreadable::OldOffice));
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(weighed(&[old.as_slice(), &name].concat(), "new.docx"), Err(Unreadable::LockedOffice));
}

#[test]
fn lists_and_groups_without_end_are_no_recursion() {
    let _alone = alone();
    for piece in ["[", "<<", "<</A", "(", "[<</B["] {
        let mut objects = pages_of(1, "4 0 R");
        objects[2] = piece.repeat(300_000);
        let _ = weighed(&pdf(&objects, false), "deep.pdf");
        let content = piece.repeat(300_000);
        objects[4] = format!("<</Length {}>>\nstream\n{content}\nendstream", content.len());
        let _ = weighed(&pdf(&objects, true), "deep.pdf");
    }
    let _ = weighed(format!("{{\\rtf1 {}x", "{".repeat(2_000_000)).as_bytes(), "deep.rtf");
    let _ = weighed(format!("<html>{}x", "<div>".repeat(2_000_000)).as_bytes(), "deep.html");
    let _ = weighed("[".repeat(5_000_000).as_bytes(), "deep.json");
}

fn made() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files/made");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .filter(|(_, bytes)| bytes.len() < 120_000)
        .collect();
    files.sort();
    files
}

/// A reader that panics would be caught and told as damage: here it must not come to that.
fn quiet<T>(what: impl FnOnce() -> T, name: &str) -> T {
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            usual(info);
        }));
    });
    let before = PANICS.load(Ordering::SeqCst);
    let result = what();
    assert_eq!(PANICS.load(Ordering::SeqCst), before, "{name} made a reader panic");
    result
}

#[test]
fn half_a_file_is_no_trouble() {
    let _alone = alone();
    for (name, bytes) in made() {
        for share in 1..24 {
            let half = &bytes[..bytes.len() * share / 24];
            let _ = quiet(|| weighed(half, &name), &name);
        }
    }
}

/// Bytes changed by chance, the same chance each time.
#[test]
fn changed_bytes_are_no_trouble() {
    let _alone = alone();
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(12);
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut chance = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    for (name, bytes) in made() {
        for round in 0..rounds {
            let mut changed = bytes.clone();
            for _ in 0..=chance(1 << (round % 8)) {
                let at = chance(changed.len());
                match chance(4) {
                    0 => changed[at] ^= 1 << chance(8),
                    1 => changed[at] = chance(256) as u8,
                    2 => changed[at] = b"0<>[]()/\\{}"[chance(11)],
                    _ => {
                        let length = chance(40).min(changed.len() - at);
                        changed.drain(at..at + length);
                    }
                }
                if changed.is_empty() {
                    break;
                }
            }
            let _ = quiet(|| weighed(&changed, &name), &name);
        }
    }
}
