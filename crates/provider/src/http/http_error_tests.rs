use super::*;

#[test]
fn each_status_has_its_kind() {
    for (status, kind) in [
        (400, ErrorKind::Refused),
        (401, ErrorKind::Authentication),
        (402, ErrorKind::Quota),
        (403, ErrorKind::Authentication),
        (404, ErrorKind::UnknownModel),
        (408, ErrorKind::Stalled),
        (413, ErrorKind::ContextTooLong),
        (418, ErrorKind::Refused),
        (422, ErrorKind::Refused),
        (429, ErrorKind::RateLimited),
        (500, ErrorKind::Server),
        (502, ErrorKind::Server),
        (503, ErrorKind::Overloaded),
        (504, ErrorKind::Stalled),
        (529, ErrorKind::Overloaded),
        (302, ErrorKind::Configuration),
    ] {
        assert_eq!(refused(status, "").kind, kind, "{status}");
    }
}

#[test]
fn the_body_says_more_than_the_status() {
    let coded = |code: &str| format!(r#"{{"error":{{"message":"no","code":"{code}"}}}}"#);
    assert_eq!(refused(400, &coded("context_length_exceeded")).kind, ErrorKind::ContextTooLong);
    assert_eq!(refused(429, &coded("insufficient_quota")).kind, ErrorKind::Quota);
    assert_eq!(refused(400, &coded("model_not_found")).kind, ErrorKind::UnknownModel);
    let words = r#"{"error":"the request exceeds the available context size (4096 tokens)"}"#;
    assert_eq!(refused(400, words).kind, ErrorKind::ContextTooLong);
}

#[test]
fn the_message_is_found_in_every_form() {
    for (body, said) in [
        (r#"{"error":{"message":"too bad"}}"#, "too bad"),
        (r#"{"error":"too bad"}"#, "too bad"),
        (r#"{"message":"too bad"}"#, "too bad"),
        (r#"{"detail":"too bad"}"#, "too bad"),
        ("too bad", "too bad"),
        ("<html>secret page</html>", "a web page"),
        (r#"{"error":null}"#, "answered 400"),
    ] {
        let error = refused(400, body);
        assert!(error.detail.ends_with(said), "{body}: {}", error.detail);
    }
}

#[test]
fn an_error_inside_a_stream_has_a_kind_too() {
    for (error, kind) in [
        (r#"{"message":"x","code":429}"#, ErrorKind::RateLimited),
        (r#"{"message":"x","code":"502"}"#, ErrorKind::Server),
        (r#"{"message":"x","type":"overloaded_error"}"#, ErrorKind::Overloaded),
        (r#"{"message":"x","type":"invalid_request_error"}"#, ErrorKind::Refused),
        (r#"{"message":"x","type":"server_error"}"#, ErrorKind::Server),
        (r#""just words""#, ErrorKind::Server),
        ("", ErrorKind::Server),
    ] {
        assert_eq!(reported(error).kind, kind, "{error}");
    }
}
