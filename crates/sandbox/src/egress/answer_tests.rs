use super::*;

#[test]
fn names_come_without_folders() {
    for (value, name) in [
        ("attachment; filename=report.pdf", Some("report.pdf")),
        ("attachment; filename=\"../../etc/passwd\"", Some("passwd")),
        ("attachment; filename=\"..\\\\..\\\\boot.ini\"", Some("boot.ini")),
        ("attachment; filename=x.txt; filename*=UTF-8''%e2%82%ac%20rates.txt", Some("€ rates.txt")),
        ("attachment; filename*=UTF-8''..%2f..%2f.bashrc", Some("bashrc")),
        ("attachment; filename=\"..\"", None),
        ("attachment; filename=", None),
        ("inline", None),
        ("attachment; filename=\"a\u{7}b\"", Some("ab")),
    ] {
        assert_eq!(disposition(value).as_deref(), name, "{value}");
    }
    assert_eq!(base_name(&"é".repeat(300)).unwrap().len(), 254);
}
