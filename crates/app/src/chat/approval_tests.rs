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
        arguments: json!({ "command": "ls\nrm" }),
        shown: vec![ShownArgument { name: "command".to_owned(), value: "ls⟨U+000A⟩\nrm".to_owned() }],
        danger: Danger::Dangerous,
        why: vec!["This tool needs your approval.".to_owned()],
        digest: "d".to_owned(),
        scopes: vec![RuleScope::Once, RuleScope::Session, RuleScope::Always],
        host: None,
        workplace: Some(Workplace::Sandbox),
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
            "┏ Approve running a command? (bash, dangerous)\n\
             ┃ command: ls⟨U+000A⟩\n\
             ┃   rm\n\
             ┃ Where: In the sandbox. Network: only hosts listed in the agent's settings; none by default.\n\
             ┃ Why you are asked: This tool needs your approval.\n\
             ┃ If you do not answer by {}, it is denied.\n\
             ┗ [y] once  [s] every use of bash in this conversation  [a] always for exactly this  [n] deny, or n and a reason. Other \
             text decides nothing.",
            moment(Timestamp::from_millis(0))
        )
    );
    let every_time = Approval { scopes: vec![RuleScope::Once], shown: Vec::new(), ..approval() };
    let shown = lines(Look::plain(), &every_time);
    assert!(shown.contains("without arguments") && shown.contains("┗ [y] once  [n] deny"), "{shown}");
    let address = Approval { host: Some("wiki.example".to_owned()), ..approval() };
    let shown = lines(Look::plain(), &address);
    assert!(shown.contains("[s] every request to wiki.example in this conversation"), "{shown}");
    assert!(shown.contains("Where: On the network: wiki.example."), "{shown}");
    let long = "x".repeat(50_000);
    let value = ShownArgument { name: "command".to_owned(), value: long.clone() };
    assert!(lines(Look::plain(), &Approval { shown: vec![value], ..approval() }).contains(&long));
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
fn where_it_happens_is_said_for_packages_and_for_tools_of_others() {
    let workplace = Some(Workplace::SandboxWithPackages);
    let python = Approval { tool: "run_python".to_owned(), workplace, ..approval() };
    assert!(lines(Look::plain(), &python).contains("Network: the Python package index"));
    let other = lines(Look::plain(), &Approval { tool: "ring".to_owned(), workplace: None, ..approval() });
    assert!(other.starts_with("┏ Approve using ring? (ring, dangerous)"), "{other}");
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
