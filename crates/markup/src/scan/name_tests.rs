use super::{LONGEST, Names, class};

#[test]
fn every_name_fits_the_table() {
    let names = Names::known();
    assert!(names.tags.len() <= 64, "a set of names has 64 bits");
    for (name, _) in &names.tags {
        assert!(name.len() <= LONGEST, "{name}");
        assert!(name.bytes().all(|byte| class(byte) < 28 && !byte.is_ascii_uppercase()), "{name}");
        assert_eq!(names.tags.iter().filter(|(other, _)| other == name).count(), 1, "{name}");
    }
}

#[test]
fn a_name_is_narrowed_down_letter_by_letter() {
    let names = Names::known();
    for (name, _) in &names.tags {
        let letters = name.bytes().enumerate();
        let set = letters.fold(u64::MAX, |set, (at, byte)| names.narrow(set, at, byte.to_ascii_uppercase()));
        assert_eq!(names.whole(set, name.len()).map(|(found, _)| found), Some(*name));
        assert!(names.whole(set, name.len() - 1).is_none());
        assert_eq!(names.narrow(set, name.len(), b'!'), 0);
    }
}
