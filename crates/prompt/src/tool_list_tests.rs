use super::words;
use domain::ToolSpec;
use serde_json::json;

/// TIDGI-44
#[test]
fn a_tool_is_told_with_its_parameters_and_an_example_that_is_read_as_a_call() {
    let tool = ToolSpec {
        name: "find".to_owned(),
        description: "Finds notes.".to_owned(),
        parameters: json!({ "type": "object", "required": ["words", "kind"], "properties": {
            "words": { "type": "string", "description": "What to look for" },
            "kind": { "enum": ["note", "page"] },
            "limit": { "type": "integer" },
        } }),
    };
    let told = words(&[tool.into()]);
    assert!(told.contains("## find\n\nFinds notes.\n\n"), "{told}");
    assert!(told.contains("- words (string, Required): What to look for"), "{told}");
    assert!(told.contains("- kind (\"note\" | \"page\", Required)\n"), "{told}");
    assert!(told.contains("- limit (integer, Optional)\n"), "{told}");
    let example = told.lines().last().unwrap();
    let options = markup::Options { mode: markup::Mode::On, ..markup::Options::default() };
    let calls = markup::read(example, options).calls;
    assert_eq!(calls.len(), 1, "{example}");
    assert_eq!(calls[0].name, "find");
}

#[test]
fn without_tools_nothing_is_said() {
    assert_eq!(words(&[]), "");
}
