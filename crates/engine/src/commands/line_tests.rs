use super::*;

fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Words::new(line);
    let mut found = Vec::new();
    while let Some(word) = words.next()? {
        found.push(word);
    }
    Ok(found)
}

#[test]
fn words_are_separated_by_spaces_and_held_together_by_quotes() {
    for (line, expected) in [
        ("", vec![]),
        ("   \t\n ", vec![]),
        ("a  b\tc\nd", vec!["a", "b", "c", "d"]),
        ("'a b' \"c d\"", vec!["a b", "c d"]),
        ("name='a b'c", vec!["name=a bc"]),
        (r#""say \"hi\"" \ x"#, vec!["say \"hi\"", " x"]),
        (r"'a\b' c\", vec![r"a\b", r"c\"]),
        ("''", vec![""]),
        ("é 👋🏽", vec!["é", "👋🏽"]),
    ] {
        assert_eq!(words(line).unwrap(), expected, "{line}");
    }
}

#[test]
fn an_open_quote_is_told() {
    for line in ["'", "a \"b c", "it's"] {
        assert!(words(line).unwrap_err().contains("is not closed"), "{line}");
    }
}

#[test]
fn what_is_left_is_taken_as_it_stands() {
    for (line, expected) in [
        ("x Tom's  plan", Ok("Tom's  plan")),
        ("x 'a b'", Ok("a b")),
        ("x 'a' 'b'", Ok("'a' 'b'")),
        ("x {\"a\": \"b\"}", Ok("{\"a\": \"b\"}")),
        ("x 'a b", Err(())),
    ] {
        let mut rest = Words::new(line);
        rest.next().unwrap();
        assert_eq!(rest.remainder().map_err(drop).as_deref(), expected.as_deref(), "{line}");
    }
}
