use super::*;
use domain::{ApprovalStatus, ShownArgument, Timestamp};
use serde_json::json;
use uuid::Uuid;

fn approval() -> Approval {
    let id = Uuid::from_u128(1);
    Approval {
        id: domain::ApprovalId::from_uuid(id),
        session_id: domain::SessionId::from_uuid(id),
        turn_id: domain::TurnId::from_uuid(id),
        call_id: domain::CallId::from_uuid(id),
        tool: "bash".to_owned(),
        arguments: json!({ "command": "ls\n\trm" }),
        shown: vec![ShownArgument { name: "command".to_owned(), value: "ls\n\trm".to_owned() }],
        danger: Danger::Dangerous,
        why: vec!["Commands always need your approval.".to_owned()],
        digest: "d".to_owned(),
        scopes: vec![RuleScope::Once, RuleScope::Session, RuleScope::Always],
        host: None,
        workplace: Some(Workplace::Sandbox),
        reaches: Some(Vec::new()),
        label: None,
        status: ApprovalStatus::Pending,
        reason: None,
        expires_at: Timestamp::from_millis(0),
        created_at: Timestamp::from_millis(0),
    }
}

#[test]
fn a_request_shows_everything_that_is_approved() {
    let shown = lines(Look::plain(), &approval());
    assert_eq!(
        shown,
        format!(
            "┏ Approve running a command? (bash, high risk)\n\
             ┃ command:\n\
             ┃ │ ls\n\
             ┃ │ \trm\n\
             ┃ Where: In the sandbox. No network.\n\
             ┃ Why you are asked: Commands always need your approval.\n\
             ┃ If you do not answer by {}, it is denied.\n\
             ┗ [y] once  [s] every use of bash in this conversation  [a] always for exactly this  [n] deny, or n and a reason. Other \
             text decides nothing.",
            moment(Timestamp::from_millis(0))
        )
    );
    let every_time = Approval { scopes: vec![RuleScope::Once], shown: Vec::new(), ..approval() };
    let shown = lines(Look::plain(), &every_time);
    assert!(shown.contains("┃ no input") && shown.contains("┗ [y] once  [n] deny"), "{shown}");
    let address = Approval { host: Some("wiki.example".to_owned()), ..approval() };
    let shown = lines(Look::plain(), &address);
    assert!(shown.contains("[s] every request to wiki.example in this conversation"), "{shown}");
    assert!(shown.contains("Where: On the network: wiki.example."), "{shown}");
    let long = "x".repeat(50_000);
    let value = ShownArgument { name: "command".to_owned(), value: long.clone() };
    assert!(lines(Look::plain(), &Approval { shown: vec![value], ..approval() }).contains(&long));
}

#[test]
fn a_command_is_called_by_its_action_and_its_conversation() {
    let asked = |tool: &str, arguments: serde_json::Value| {
        lines(Look::plain(), &Approval { tool: tool.to_owned(), arguments, ..approval() })
    };
    let here = approval().session_id.to_string();
    for (tool, arguments, title) in [
        ("session", json!({ "action": "archive" }), "Approve archiving this conversation?"),
        ("session", json!({ "action": "archive", "id": here }), "Approve archiving this conversation?"),
        ("session", json!({ "action": "archive", "id": "x" }), "Approve archiving another conversation?"),
        ("agent", json!({ "action": "delete", "agent": "gardener" }), "Approve deleting an agent?"),
        ("ability", json!({ "action": "edit", "name": "tea" }), "Approve changing an ability?"),
        ("clear", json!({}), "Approve starting a new conversation?"),
        ("read_attachment", json!({ "attachment": 1 }), "Approve reading an attached file?"),
        ("session", json!({ "action": "nothing bad" }), "Approve using session?"),
        ("bash", json!({ "action": "list", "command": "ls" }), "Approve running a command?"),
    ] {
        let shown = asked(tool, arguments.clone());
        assert!(shown.starts_with(&format!("┏ {title}")), "{tool} {arguments}: {shown}");
    }
}

#[test]
fn a_model_without_a_price_is_asked_about_as_what_it_is() {
    let why = format!("butler wants to use {}, whose price is not known", "x".repeat(300));
    let shown = vec![ShownArgument { name: "model".to_owned(), value: "lab/large".to_owned() }];
    let asked = Approval { tool: "use_model".to_owned(), shown, why: vec![why.clone()], ..approval() };
    let shown = lines(Look::plain(), &asked);
    for words in [
        "┏ Approve using a model whose price is unknown? (use_model, ",
        "┃ model: lab/large",
        &why,
        "[s] this model in this conversation",
    ] {
        assert!(shown.contains(words), "{words:?} in {shown}");
    }
}

#[test]
fn hosts_and_the_search_service_are_named() {
    let at = |workplace, names: &[&str]| {
        let reaches = Some(names.iter().map(|name| (*name).to_owned()).collect());
        lines(Look::plain(), &Approval { workplace: Some(workplace), reaches, ..approval() })
    };
    for (shown, words) in [
        (at(Workplace::Sandbox, &[]), "Where: In the sandbox. No network.\n"),
        (at(Workplace::Sandbox, &["a.example", "*.b.example"]), "Network: only a.example, *.b.example.\n"),
        (
            at(Workplace::Sandbox, &["a", "b", "c", "d", "e", "f", "g"]),
            "Network: only a, b, c, d, e and 2 more hosts of the agent's settings.\n",
        ),
        (at(Workplace::SandboxWithPackages, &[]), "Network: only the Python package index.\n"),
        (at(Workplace::SandboxWithPackages, &["a"]), "Network: only the Python package index, a.\n"),
        (at(Workplace::SearchService, &["DuckDuckGo"]), "On the network: the search service DuckDuckGo.\n"),
    ] {
        assert!(shown.contains(words), "{words:?} in {shown}");
    }
}

#[test]
fn what_is_asked_cannot_look_like_what_the_terminal_says() {
    let value = "ls\nWhere: In the sandbox. No network.\n\n\nrm".to_owned();
    let shown = vec![ShownArgument { name: "command".to_owned(), value }];
    let shown = lines(Look::plain(), &Approval { shown, ..approval() });
    assert!(
        shown.contains("\n┃ │ Where: In the sandbox. No network.\n┃ │ \n┃ │ \n┃ │ rm\n┃ Where: "),
        "{shown}"
    );
    assert!(shown.lines().all(|line| line.starts_with(['┏', '┃', '┗'])), "{shown}");
}

#[test]
fn where_it_happens_is_said_for_packages_and_for_tools_of_others() {
    let workplace = Some(Workplace::SandboxWithPackages);
    let python = Approval { tool: "run_python".to_owned(), workplace, reaches: None, ..approval() };
    assert!(lines(Look::plain(), &python).contains("Network: the Python package index, and hosts listed"));
    let other = lines(Look::plain(), &Approval { tool: "ring".to_owned(), workplace: None, ..approval() });
    assert!(other.starts_with("┏ Approve using ring? (ring, high risk)"), "{other}");
    assert!(other.contains("The server does not say where this tool works."), "{other}");
}

#[test]
fn only_plain_words_are_a_yes() {
    assert_eq!(reply(" y "), ApprovalReply::Yes(RuleScope::Once));
    assert_eq!(reply("S"), ApprovalReply::Yes(RuleScope::Session));
    assert_eq!(reply("always"), ApprovalReply::Yes(RuleScope::Always));
    assert_eq!(reply("n"), ApprovalReply::No(None));
    assert_eq!(reply("no not now"), ApprovalReply::No(Some("not now".to_owned())));
    for words in ["yes please do something else", "yy", "", "ok", "y n"] {
        assert_eq!(reply(words), ApprovalReply::Words, "{words:?}");
    }
}

#[test]
fn other_words_are_asked_about_once_more() {
    let asked = doubt(&approval(), "and buy milk");
    assert!(
        asked.contains("“and buy milk”") && asked.contains("deny bash") && asked.contains("Type n"),
        "{asked}"
    );
}
