use super::*;

#[test]
fn a_name_leads_nowhere_and_shows_what_it_is() {
    for (given, clean) in [
        ("cat.png", "cat.png"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ada\\cat.png", "cat.png"),
        ("/", "file"),
        ("", "file"),
        ("..", "file"),
        (".bashrc", "bashrc"),
        ("a\0b\r\nc.txt", "abc.txt"),
        ("evil\u{202e}gnp.exe", "evilgnp.exe"),
        ("Größe \u{1f408}.txt", "Größe \u{1f408}.txt"),
    ] {
        assert_eq!(clean_name(given), clean, "{given:?}");
    }
    assert_eq!(clean_name(&"x".repeat(5_000)).len(), NAME_CHARS);
}
