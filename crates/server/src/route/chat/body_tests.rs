use super::*;
use serde_json::json;

fn read(body: Value) -> Result<Chat, Problem> {
    Chat::read(ChatBody(body.as_object().unwrap().clone()))
}

#[test]
fn words_and_where_they_come_from() {
    let peer = |source: &str, sender: Option<&str>| Peer {
        source: source.to_owned(),
        sender: sender.map(str::to_owned),
    };
    for (body, expected) in [
        (json!({ "message": "Hi" }), peer("cli", None)),
        (json!({ "message": "Hi", "source": "", "sender": null }), peer("cli", None)),
        (json!({ "message": "Hi", "source": 5, "sender": ["x"] }), peer("cli", None)),
        (json!({ "message": "Hi", "source": "signal", "sender": "+1999" }), peer("signal", Some("+1999"))),
        (
            json!({ "message": "Hi", "source": "plugin:demo/x", "targetAgentId": 7 }),
            peer("plugin:demo/x", None),
        ),
        (json!({ "message": "Hi", "files": [], "audio": "", "attachments": {} }), peer("cli", None)),
    ] {
        let chat = read(body.clone()).unwrap();
        assert_eq!((chat.message.as_str(), chat.peer), ("Hi", expected), "{body}");
    }
    assert!(!read(json!({ "message": "Hi" })).unwrap().peer.is_bridged());
    assert!(read(json!({ "message": "Hi", "source": "signal" })).unwrap().peer.is_bridged());
}

#[test]
fn something_must_be_said() {
    for body in [json!({}), json!({ "message": 5 }), json!({ "message": "" }), json!({ "message": null })] {
        let problem = read(body).unwrap_err();
        assert_eq!((problem.status.as_u16(), problem.code), (400, "empty_message"));
        assert!(problem.detail.starts_with("At least one of 'message'"));
    }
}

#[test]
fn only_words_are_heard() {
    for body in [
        json!({ "files": [{ "data": "aGk=", "filename": "a.png", "mimeType": "image/png" }] }),
        json!({ "message": "Hi", "attachments": [{ "storedPath": "/tmp/x" }] }),
        json!({ "audio": "aGk=", "audioContentType": "audio/ogg" }),
        json!({ "audio": "aGk=", "audio_content_type": "audio/ogg" }),
    ] {
        let problem = read(body).unwrap_err();
        assert_eq!((problem.status.as_u16(), problem.code), (415, "attachments_unsupported"));
    }
}

#[test]
fn names_are_names() {
    for name in ["a\nb", "\u{0}", " x", &"x".repeat(201)] {
        for field in ["source", "sender"] {
            let problem = read(json!({ "message": "Hi", field: name })).unwrap_err();
            assert_eq!((problem.status.as_u16(), problem.code), (400, "bad_name"), "{name:?}");
        }
    }
}

#[test]
fn one_word_stops() {
    for stop in ["/stop", " /STOP \n", "/Stop"] {
        assert!(read(json!({ "message": stop })).unwrap().is_stop(), "{stop}");
    }
    for words in ["stop", "/stop it", "//stop"] {
        assert!(!read(json!({ "message": words })).unwrap().is_stop(), "{words}");
    }
}
