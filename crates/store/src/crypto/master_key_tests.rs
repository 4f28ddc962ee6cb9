use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_fresh_database_gets_a_key_that_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    // What a start that was killed half-way leaves behind.
    fs::write(folder.path().join("master.key.new"), "half").unwrap();
    let made = MasterKey::load_or_create(&path, true).unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
    let again = MasterKey::load_or_create(&path, false).unwrap();
    assert_eq!(made.secret(), again.secret());
    let fresh_again = MasterKey::load_or_create(&path, true).unwrap();
    assert_eq!(made.secret(), fresh_again.secret(), "an existing key is never replaced");
}

#[test]
fn an_old_database_never_gets_a_new_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    let refused = MasterKey::load_or_create(&path, false).unwrap_err();
    assert!(refused.to_string().contains("missing"), "{refused}");
    assert!(!path.exists());
}

#[test]
fn a_file_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    MasterKey::load_or_create(&path, true).unwrap();
    for open in [0o640, 0o604, 0o660] {
        fs::set_permissions(&path, fs::Permissions::from_mode(open)).unwrap();
        let refused = MasterKey::load(&path).unwrap_err().to_string();
        assert!(refused.contains(&format!("chmod 600 {}", path.display())), "{refused}");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    MasterKey::load(&path).unwrap().unwrap();
}

#[test]
fn both_spellings_of_a_key_are_read() {
    let hex = "00ff".repeat(16);
    let bytes: [u8; 32] = std::array::from_fn(|i| if i % 2 == 0 { 0 } else { 0xff });
    let base64 = BASE64_STANDARD.encode(bytes);
    for text in [hex.clone(), hex.to_uppercase(), format!(" {hex}\n"), base64] {
        assert_eq!(MasterKey::parse(&text).unwrap().secret().as_slice(), bytes);
    }
    for bad in ["", "00", &"0".repeat(63), &"0".repeat(66), &"g".repeat(64), "ключ"] {
        assert!(MasterKey::parse(bad).is_err(), "{bad:?} was accepted");
    }
}

#[test]
fn a_key_does_not_show_itself() {
    assert_eq!(format!("{:?}", MasterKey::from_bytes([7; 32])), "MasterKey");
}
