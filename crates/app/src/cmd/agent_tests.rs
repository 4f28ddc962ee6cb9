use super::*;

#[test]
fn values_are_json_if_they_read_so_and_text_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("prompt.txt");
    std::fs::write(&file, "Be kind.\n").unwrap();
    let words = [
        "model=openai/gpt-5.1".to_owned(),
        "limits={\"steps\":3}".to_owned(),
        "handler=".to_owned(),
        "note=a=b".to_owned(),
        format!("system_prompt=@{}", file.display()),
    ];
    let expected = json!({
        "model": "openai/gpt-5.1",
        "limits": { "steps": 3 },
        "handler": null,
        "note": "a=b",
        "system_prompt": "Be kind.\n",
    });
    assert_eq!(Value::Object(given(&words).unwrap()), expected);
}

#[test]
fn what_is_no_field_is_refused_with_an_example() {
    for word in ["model", "=x", ""] {
        let refused = given(&[word.to_owned()]).unwrap_err();
        assert!(refused.advice().unwrap().contains("model=demo"), "{word}: {refused}");
    }
    assert!(given(&["system_prompt=@/nowhere/at/all".to_owned()]).is_err());
}

#[test]
fn names_in_queries_are_escaped() {
    assert_eq!(encoded("a b&ü/1"), "a%20b%26%C3%BC%2F1");
}
