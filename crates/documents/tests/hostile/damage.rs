//! Files that are locked, cut off, changed, or deep.

use crate::{
    make::{pages_of, pdf},
    weigh::{alone, weighed},
};
use documents::{DocumentKind, Unreadable};
use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};

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
