use super::*;

#[test]
fn it_takes_room_until_it_is_let_go_and_comes_back_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let reserve = Reserve::of(&folder.path().join("m.db"));
    assert!(reserve.is_there(), "where nothing is to be kept back, nothing is missing");
    reserve.keep(1 << 20);
    let file = folder.path().join("m.db.reserve");
    assert_eq!(fs::metadata(&file).unwrap().len(), 1 << 20);
    reserve.let_go();
    assert!(!file.exists());
    assert!(reserve.is_there(), "there is room again");
    assert_eq!(fs::metadata(&file).unwrap().len(), 1 << 20);
}

#[test]
fn more_than_the_disk_has_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let reserve = Reserve::of(&folder.path().join("m.db"));
    let free = free(&folder.path().join("m.db")).unwrap();
    reserve.keep(u64::MAX);
    let taken = fs::metadata(folder.path().join("m.db.reserve")).map_or(0, |found| found.len());
    assert!(taken <= free / PART + TIGHT, "{taken} of {free}");
    reserve.let_go();
}
