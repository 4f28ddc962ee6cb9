use super::*;

#[test]
fn time_zones_are_iana_names() {
    for good in ["UTC", "Europe/Athens", "America/Argentina/Buenos_Aires", "Etc/GMT+5"] {
        check_time_zone(good).unwrap_or_else(|_| panic!("{good} was refused"));
    }
    for bad in ["", "Athens", "Europe/Atlantis", "UTC ", "+02:00", "../etc/passwd", "Europe/Athens\0"] {
        assert!(check_time_zone(bad).is_err(), "{bad:?} was accepted");
    }
}

#[test]
fn languages_are_bcp_47_tags() {
    for good in ["en", "EN", "el", "pt-BR", "zh-Hant-TW", "sr-Latn-RS", "de-CH-1996", "en-u-ca-gregory"] {
        check_language(good).unwrap_or_else(|_| panic!("{good} was refused"));
    }
    let long = format!("en-{}", "abcdefgh-".repeat(4));
    for bad in
        ["", "e", "english language", "en_US", "en-", "-en", "en--US", "12", "en-u", "ελ", "en\0", &long]
    {
        assert!(check_language(bad).is_err(), "{bad:?} was accepted");
    }
}
