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
    assert!(
        few.contains("At most 4096 files can be open at once, which is enough for 3520 connections."),
        "{few}"
    );
    assert!(few.contains("connections.total = 6000 needs 6576 open files. Raise LimitNOFILE="), "{few}");
    let enough = told(6_576);
    assert!(enough.contains("✓ Up to 6576 files can be open at once.\n"), "{enough}");
}
