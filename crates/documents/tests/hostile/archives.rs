//! Hostile archives, and the XML in them.

use crate::{
    make::{archive, archive_with_mime, deflated, docx, docx_of, spaces},
    weigh::{alone, weighed},
};
use documents::{DocumentKind, Unreadable};

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
