use super::*;
use domain::{CallId, Label, MessageId, Origin, Sender, Timestamp};
use serde_json::json;
use uuid::Uuid;

fn turn(number: u128) -> TurnId {
    TurnId::from_uuid(Uuid::from_u128(number))
}

fn message(role: Role, of: u128) -> Message {
    let id = MessageId::from_uuid(Uuid::from_u128(1));
    Message {
        seq: 1,
        label: Label::TRUSTED_PRIVATE,
        ..Message::new(id, turn(of), role, Timestamp::from_millis(0))
    }
}

fn typed(text: &str) -> Message {
    Message { content: text.to_owned(), ..message(Role::User, 1) }
}

fn searched(urls: &[&str]) -> Message {
    let hits: Vec<Value> =
        urls.iter().map(|url| json!({ "title": "https://title.example/", "url": url, "snippet": "https://snippet.example/" })).collect();
    let part = Part::Result {
        call_id: CallId::from_uuid(Uuid::from_u128(2)),
        name: "web_search".to_owned(),
        status: ResultStatus::Ok,
        content: json!({ "results": hits, "content": "https://content.example/" }).to_string(),
    };
    Message { parts: vec![part], label: Label::WORST, ..message(Role::Tool, 1) }
}

fn visits(url: &str, of: u128) -> Message {
    let part = Part::Call {
        call_id: CallId::from_uuid(Uuid::from_u128(3)),
        name: "web_fetch".to_owned(),
        arguments: json!({ "url": url }),
        origin: Origin::Native,
        element_id: None,
        target: None,
        reference: None,
    };
    Message { parts: vec![part], ..message(Role::Assistant, of) }
}

fn known(messages: &[Message], now: u128) -> KnownAddresses {
    KnownAddresses::of(messages, turn(now), Declared::default(), true)
}

fn names(known: &KnownAddresses, address: &str) -> bool {
    known.names(address, std::iter::empty())
}

#[test]
fn what_the_person_typed_is_known_to_the_letter() {
    let text =
        "Compare https://a.example/x?q=1, (http://b.example) and <https://c.example/end.>; not d.example/y.";
    let known = known(&[typed(text)], 1);
    for yes in [
        "https://a.example/x?q=1",
        "http://b.example/",
        "http://b.example",
        "https://c.example/end.",
        "https://a.example/x?q=1#top",
    ] {
        assert!(names(&known, yes), "{yes}");
    }
    for no in [
        "https://a.example/x?q=2",
        "https://a.example/x",
        "https://b.example/",
        "https://d.example/y",
        "https://a.example.evil/x?q=1",
        "ftp://a.example/",
        "",
    ] {
        assert!(!names(&known, no), "{no}");
    }
}

#[test]
fn only_the_person_of_the_session_types() {
    let address = "https://a.example/";
    let said = typed(address);
    let sender = Sender { source: "mail".to_owned(), name: Some("Eve".to_owned()) };
    let table = [
        ("a person", said.clone(), true),
        ("a bridge", Message { sender: Some(sender), ..said.clone() }, false),
        ("a pasted text", Message { label: Label::WORST, ..said.clone() }, false),
        ("an agent", Message { role: Role::Assistant, ..said.clone() }, false),
        ("a page", Message { role: Role::Tool, ..said.clone() }, false),
    ];
    for (who, message, counts) in table {
        assert_eq!(names(&known(&[message], 1), address), counts, "{who}");
    }
    assert!(
        !names(&KnownAddresses::of(&[said], turn(1), Declared::default(), false), address),
        "another person's agent"
    );
}

#[test]
fn a_search_result_counts_once_and_only_its_address() {
    let found = searched(&["https://a.example/1", "https://a.example/2"]);
    let fresh = known(std::slice::from_ref(&found), 1);
    assert!(names(&fresh, "https://a.example/1") && names(&fresh, "https://a.example/2"));
    for no in [
        "https://title.example/",
        "https://snippet.example/",
        "https://content.example/",
        "https://a.example/3",
    ] {
        assert!(!names(&fresh, no), "{no}");
    }
    let call = json!({ "url": "https://a.example/1" });
    assert!(!fresh.names("https://a.example/1", [&call].into_iter()), "twice in one step");
    assert!(fresh.names("https://a.example/2", [&call].into_iter()));
    let used = known(&[found.clone(), visits("https://a.example/1", 1)], 2);
    assert!(!names(&used, "https://a.example/1"), "once in a session, also in a later turn");
    assert!(names(&used, "https://a.example/2"));
    let forged =
        Message { role: Role::Assistant, parts: Vec::new(), content: found.content.clone(), ..found };
    assert!(!names(&known(&[forged], 1), "https://a.example/1"), "words that look like a result are none");
}

#[test]
fn a_turn_visits_ten_known_addresses() {
    let urls: Vec<String> = (0..30).map(|number| format!("https://a.example/{number}")).collect();
    let found = searched(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    let mut said = vec![typed("https://typed.example/"), found];
    said.extend(urls.iter().take(VISITS - 1).map(|url| visits(url, 1)));
    assert!(names(&known(&said, 1), &urls[20]), "the tenth");
    said.push(visits("https://typed.example/", 1));
    assert!(!names(&known(&said, 1), &urls[20]), "the eleventh");
    assert!(!names(&known(&said, 1), "https://typed.example/"));
    assert!(
        names(&known(&said, 2), &urls[20]) && names(&known(&said, 2), "https://typed.example/"),
        "the next turn"
    );
}
