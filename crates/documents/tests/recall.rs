//! Files that real programs wrote, read again: the words that went in come out, in their order.
//!
//! `tests/files/make.py` makes them; `list.tsv` says of each what it is and which text went in.

#![cfg(test)]

use documents::{Limits, kind, read};
use std::{collections::HashSet, fs, path::PathBuf};

const LEAST: f64 = 0.99;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

/// Words in any script; of scripts without spaces each sign counts.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut open = String::new();
    for sign in text.chars() {
        let alone = matches!(sign, '\u{3400}'..='\u{9fff}');
        if alone || !sign.is_alphanumeric() {
            words.extend(Some(std::mem::take(&mut open)).filter(|word| !word.is_empty()));
        }
        match () {
            () if alone => words.push(sign.to_string()),
            () if sign.is_alphanumeric() => open.push(sign),
            () => {}
        }
    }
    words.extend(Some(open).filter(|word| !word.is_empty()));
    words
}

/// How many words the longest common sequence of both has.
fn in_order(went_in: &[String], came_out: &[String]) -> usize {
    let mut row = vec![0_usize; came_out.len() + 1];
    for word in went_in {
        let mut corner = 0;
        for (index, other) in came_out.iter().enumerate() {
            let above = row[index + 1];
            row[index + 1] = if word == other { corner + 1 } else { above.max(row[index]) };
            corner = above;
        }
    }
    row[came_out.len()]
}

#[test]
fn what_went_in_comes_out() {
    let list = fs::read_to_string(folder().join("list.tsv")).unwrap();
    let (mut kinds, mut count, mut bad) = (HashSet::new(), 0, Vec::new());
    let mut worst = 1.0_f64;
    for line in list.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, kind, source] = fields.as_slice() else { panic!("{line}") };
        let bytes = fs::read(folder().join("made").join(name)).unwrap();
        let document = match read(&bytes, name, &Limits::default()) {
            Ok(document) => document,
            Err(error) => {
                bad.push(format!("{name}: {error}"));
                continue;
            }
        };
        let told = serde_json::to_value(document.kind).unwrap();
        assert_eq!(told, *kind, "{name}");
        assert!(!document.cut, "{name}");
        let text: Vec<&str> = document
            .parts
            .iter()
            .flat_map(|part| [part.title.as_deref().unwrap_or_default(), "\n", part.text.as_str(), "\n"])
            .collect();
        let went_in = words(&fs::read_to_string(folder().join(format!("{source}.txt"))).unwrap());
        let came_out = words(&text.concat());
        let recall = in_order(&went_in, &came_out) as f64 / went_in.len() as f64;
        let extra = came_out.len() as f64 / went_in.len() as f64;
        println!("{recall:.4} {extra:.2} {name} ({} parts)", document.parts.len());
        worst = worst.min(recall);
        if recall < LEAST || (extra > 1.35 && *source != "prices-words") {
            bad.push(format!("{name}: {recall:.4} of the words, {extra:.2} times as many"));
        }
        kinds.insert(told.to_string());
        count += 1;
    }
    println!("{count} files of {} kinds, the worst has {worst:.4}", kinds.len());
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(count >= 60 && kinds.len() >= 15, "{count} files of {} kinds", kinds.len());
}

/// Where something stands: pages, sheets, slides and chapters have names.
#[test]
fn parts_have_names() {
    for (name, title) in [
        ("german-libreoffice.pdf", "Page 1"),
        ("prices-openpyxl.xlsx", "Sheet \"Costs & more\""),
        ("prices-odfpy.ods", "Sheet \"Bericht\""),
        ("english-pandoc.pptx", "Slide 1"),
        ("english-pandoc.odp", "Slide 1"),
        ("russian-python.epub", "Старый дом у реки"),
        ("german-pandoc.docx", "Der Kessel im Keller"),
        ("german-pandoc.odt", "Der Kessel im Keller"),
    ] {
        let bytes = fs::read(folder().join("made").join(name)).unwrap();
        let document = read(&bytes, name, &Limits::default()).unwrap();
        let titles: Vec<&str> = document.parts.iter().filter_map(|part| part.title.as_deref()).collect();
        assert!(titles.contains(&title), "{name}: {titles:?}");
    }
}

/// THREAT[document-02] The name says nothing where the bytes do.
#[test]
fn a_file_that_lies_is_read_as_what_it_is() {
    for name in [
        "german-libreoffice.pdf",
        "german-pandoc.docx",
        "prices-openpyxl.xlsx",
        "german-pandoc.rtf",
        "english-pandoc.epub",
    ] {
        let bytes = fs::read(folder().join("made").join(name)).unwrap();
        let honest = read(&bytes, name, &Limits::default()).unwrap();
        for lie in ["picture.png", "notes.txt", "page.html", "data.json", "x.pdf", "x.docx", ""] {
            assert_eq!(kind(&bytes, lie), Some(honest.kind), "{name} as {lie}");
            assert_eq!(read(&bytes, lie, &Limits::default()).unwrap(), honest, "{name} as {lie}");
        }
    }
    for (bytes, name) in [
        (b"\x89PNG\r\n\x1a\n\0\0".as_slice(), "letter.docx"),
        (b"\x7fELF\x02\0", "letter.pdf"),
        (b"MZ\x90\0", "a.txt"),
    ] {
        assert_eq!(read(bytes, name, &Limits::default()), Err(documents::Unreadable::Unknown), "{name}");
    }
}
