use super::*;
use crate::terminal::Look;

#[test]
fn too_few_open_files_are_told_with_what_they_are_enough_for() {
    let told = |most: u64| {
        let mut report = Report::default();
        report.section("settings");
        open_files(&mut report, Capacity::default(), most);
        report.to_text(Look::PLAIN)
    };
    let few = told(4_096);
    assert!(few.contains("4096 files may be open at once, which is room for 3520 connections"), "{few}");
    assert!(few.contains("connections.total = 6000 needs 6576: raise LimitNOFILE="), "{few}");
    let enough = told(6_576);
    assert!(enough.contains("✓ 6576 files may be open at once\n"), "{enough}");
}
