use super::*;
use serde_json::json;
use std::collections::HashSet;

fn read(line: &str) -> Result<(&'static str, Value)> {
    parse(line).map(|(command, arguments)| (command.about().name, arguments))
}

fn refused(line: &str) -> (&'static str, String) {
    match read(line) {
        Err(Error::Invalid { code, detail }) => (code, detail),
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn a_line_becomes_the_arguments_of_its_command() {
    for (line, name, arguments) in [
        ("/help", "help", json!({})),
        ("help", "help", json!({})),
        ("  /HELP  read .* file ", "help", json!({ "filter": "read .* file" })),
        ("/help category=tools add", "help", json!({ "category": "tools", "filter": "add" })),
        ("/?", "help", json!({})),
        ("/new", "clear", json!({})),
        ("/session", "session", json!({})),
        ("/sessions", "session", json!({ "action": "list" })),
        ("/sessions archived=true", "session", json!({ "action": "list", "archived": "true" })),
        ("/session LIST", "session", json!({ "action": "list" })),
        ("/session rename Tom's plan", "session", json!({ "action": "rename", "name": "Tom's plan" })),
        ("/session rename 'a b'", "session", json!({ "action": "rename", "name": "a b" })),
        (
            "/session create agent='the gardener' Roses",
            "session",
            json!({ "action": "create", "agent": "the gardener", "name": "Roses" }),
        ),
        ("/archive x", "session", json!({ "action": "archive", "id": "x" })),
        (
            "/agent configure main model=a/b system_prompt=\"Be brief.\"",
            "agent",
            json!({ "action": "configure", "agent": "main", "settings": "model=a/b system_prompt=\"Be brief.\"" }),
        ),
        ("/command_session list", "session", json!({ "action": "list" })),
        ("/remember Tom's \"key\" is blue", "remember", json!({ "text": "Tom's \"key\" is blue" })),
        ("/forget 3", "forget", json!({ "number": "3" })),
        ("/forget page 3", "forget", json!({ "action": "page", "number": "3" })),
        ("/memory", "memory", json!({})),
        ("/memory review", "memory", json!({ "action": "review" })),
    ] {
        assert_eq!(read(line).unwrap(), (name, arguments), "{line}");
    }
}

#[test]
fn a_line_says_what_it_asks_of_the_server() {
    for (line, work) in [
        ("/start", LineWork::BeginsTurn),
        ("/RETRY", LineWork::BeginsTurn),
        ("/a_prompt_of_ones_own with words", LineWork::BeginsTurn),
        ("/compact", LineWork::AwaitsModel),
        ("/stop", LineWork::Little),
        ("/help", LineWork::Little),
        ("/session rename", LineWork::Little),
    ] {
        assert_eq!(work_of(line), work, "{line}");
    }
}

#[test]
fn what_is_no_command_gets_the_nearest_names() {
    for (line, near) in [
        ("/hlep", "Did you mean /help?"),
        ("/sesion list", "Did you mean one of these: /session, /sessions?"),
        ("/helpme", "Did you mean /help?"),
        ("/sto", "Did you mean /stop?"),
        ("/nope", "Type /help"),
        ("/", "Type /help"),
        ("", "Type /help"),
    ] {
        let (code, detail) = refused(line);
        assert_eq!(code, "unknown_command", "{line}");
        assert!(detail.contains(near) && detail.contains("Unknown command"), "{line}: {detail}");
    }
    let (_, detail) = refused("/zzzzzz");
    assert!(!detail.contains("Did you mean"), "{detail}");
    let (_, detail) = refused(&format!("/{}", "x`\u{1f44b}".repeat(1_000)));
    assert!(detail.len() < 400, "{detail}");
}

#[test]
fn what_is_written_wrongly_is_told_how_it_is_written() {
    for (line, problem) in [
        ("/clear now", "\"now\" is one word too many"),
        ("/session archive a b", "\"b\" is one word too many"),
        ("/session rename 'a", "is not closed"),
        ("/session create agent=a agent=b", "agent is given twice"),
        ("/agent", "an action is missing"),
        ("/agent dance", "there is no action \"dance\""),
        ("/agent \"", "is not closed"),
    ] {
        let (code, detail) = refused(line);
        assert_eq!(code, "bad_command", "{line}");
        assert!(detail.contains(problem) && detail.contains("Write it like this: /"), "{line}: {detail}");
    }
}

#[test]
fn a_line_has_an_end() {
    let longest = format!("/help {}", "x".repeat(LINE_BYTES - 6));
    assert!(read(&longest).is_ok());
    assert!(matches!(read(&format!("{longest}x")), Err(Error::TooLarge(_))));
    assert!(read(&format!("/session rename {}", "\\".repeat(10_000))).is_ok());
}

#[test]
fn every_command_describes_itself() {
    let mut names = HashSet::new();
    for command in all() {
        let about = command.about();
        assert!(names.insert(about.name), "{} is used twice", about.name);
        assert!(
            !about.summary.is_empty() && !about.category.is_empty() && !about.forms.is_empty(),
            "{}",
            about.name
        );
        let schema = command.parameters();
        assert_eq!(schema["additionalProperties"], false, "{}", about.name);
        for form in about.forms {
            assert!(form.usage.starts_with(&format!("/{}", about.name)), "{}", form.usage);
            for argument in form.words.iter().chain(form.named).chain(form.rest.iter()) {
                assert!(schema["properties"].get(argument).is_some(), "{}: {argument}", form.usage);
            }
            let action = Value::from(form.action);
            let known = schema["properties"]["action"]["enum"].as_array();
            assert!(
                form.action.is_empty() || known.is_some_and(|known| known.contains(&action)),
                "{}",
                form.usage
            );
        }
    }
    for (alias, meant) in ALIASES {
        assert!(named(alias).is_none() && read(&format!("/{meant}")).is_ok(), "{alias}");
    }
}

#[test]
fn what_changes_something_is_not_an_agents_to_do_alone() {
    let alone = |command: &&&dyn Command| command.permission() == Permission::Allow;
    let names: Vec<&str> = all().iter().filter(alone).map(|command| command.about().name).collect();
    assert!(names.contains(&"help"));
    for name in ["session", "agent", "clear"] {
        assert!(!names.contains(&name), "{name}");
        assert_eq!(named(name).unwrap().class(), EffectClass::Effect);
    }
}

/// THREAT[memory-01] What these write counts as their person's own words, and undoing keeps words for them.
#[test]
fn what_speaks_for_its_person_is_no_tool_of_an_agent() {
    let tools: Vec<&str> =
        all().iter().filter(|command| command.is_tool()).map(|command| command.about().name).collect();
    assert!(tools.contains(&"session"));
    for name in ["remember", "forget", "memory", "undo", "trust"] {
        assert!(named(name).is_some() && !tools.contains(&name), "{name}");
    }
}
