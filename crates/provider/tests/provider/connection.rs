//! Connections: reuse, loss, hanging up, and where the key may travel.

use crate::support::{KEY, address, ask, hello, impatient, model, on_each_wire, settings};
use provider::{ErrorKind, ModelEvent, Models, RequestCount, Wire};
use std::sync::Arc;
use testkit::model::{ModelServer, Reply};
use tokio::sync::Notify;

on_each_wire! {
    a_connection_serves_several_requests,
    a_reset_before_the_head_is_not_sent_again_here,
    silence_before_the_head_may_have_been_read,
    a_reset_after_the_head_is_not,
    what_went_out_is_counted,
    dropping_the_stream_closes_the_connection,
    giving_up_before_the_answer_closes_the_connection,
    nobody_listening_is_unreachable,
    a_redirect_does_not_carry_the_key_away,
    a_key_that_cannot_be_a_header_is_named_and_not_shown,
    https_to_a_server_that_speaks_none_is_unreachable,
}

async fn a_connection_serves_several_requests(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    for _ in 0..5 {
        server.script(Reply::pieces(["a", "b"]));
        assert_eq!(ask(&model).await.text, "ab");
    }
    assert_eq!((server.connections(), server.requests().len()), (1, 5));
}

/// It may have been read: whether it is sent again is decided by who holds the money.
async fn a_reset_before_the_head_is_not_sent_again_here(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    server.queue([Reply::hang_up(), Reply::text("first"), Reply::hang_up(), Reply::text("second")]);
    for (number, text) in [(1, "first"), (3, "second")] {
        let heard = ask(&model).await;
        assert_eq!(heard.error().kind, ErrorKind::Unreachable);
        assert!(heard.error().is_retryable() && heard.error().unanswered, "{:?}", heard.error());
        assert_eq!(server.requests().len(), number);
        assert_eq!(ask(&model).await.text, text);
    }
}

/// It may have been read as well; what is silent after its head has been answered.
async fn silence_before_the_head_may_have_been_read(wire: Wire) {
    let server = ModelServer::start().await;
    let model = impatient(&server, wire);
    let never = Arc::new(Notify::new());
    for (reply, unanswered) in
        [(Reply::text("x").gate(never), true), (Reply::text("x").stall_after(0), false)]
    {
        server.script(reply);
        let heard = ask(&model).await;
        let error = heard.error();
        assert_eq!((error.kind, error.unanswered), (ErrorKind::Stalled, unanswered), "{error:?}");
    }
}

async fn what_went_out_is_counted(wire: Wire) {
    let server = ModelServer::start().await;
    let reached = model(&server, wire);
    server.queue([Reply::text("Hello."), Reply::status(503), Reply::hang_up()]);
    let sent = RequestCount::default();
    for number in 1..=3 {
        let asked = reached.stream(hello(), &sent).await;
        assert_eq!((asked.is_ok(), sent.count()), (number == 1, number));
    }
    // The control: where nobody listens, nothing goes out.
    let nobody = Models::new(settings(wire, "http://127.0.0.1:9/v1")).resolve(Some("local/m1")).unwrap();
    let error = nobody.stream(hello(), &sent).await.unwrap_err();
    assert_eq!((error.kind, error.unanswered, sent.count()), (ErrorKind::Unreachable, false, 3));
}

async fn a_reset_after_the_head_is_not(wire: Wire) {
    let server = ModelServer::start().await;
    let model = model(&server, wire);
    server.queue([Reply::text("first"), Reply::text("second").cut_after(0)]);
    assert_eq!(ask(&model).await.text, "first");
    assert_eq!(ask(&model).await.error().kind, ErrorKind::Truncated);
    assert_eq!(server.requests().len(), 2);
}

async fn dropping_the_stream_closes_the_connection(wire: Wire) {
    let server = ModelServer::start().await;
    server.script(Reply::pieces(["one", "two"]).stall_after_pieces(1));
    let mut stream = model(&server, wire).stream(hello(), &RequestCount::default()).await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap(), ModelEvent::Text("one".into()));
    assert_eq!(server.hang_ups(), 0);
    drop(stream);
    server.wait_for_hang_ups(1).await;
}

async fn giving_up_before_the_answer_closes_the_connection(wire: Wire) {
    let server = ModelServer::start().await;
    let never = std::sync::Arc::new(tokio::sync::Notify::new());
    server.script(Reply::text("x").gate(never));
    let (model, sent) = (model(&server, wire), RequestCount::default());
    tokio::select! {
        answer = model.stream(hello(), &sent) => panic!("{answer:?}"),
        _ = server.wait_for(1) => {}
    }
    server.wait_for_hang_ups(1).await;
}

async fn nobody_listening_is_unreachable(wire: Wire) {
    let local = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let models = Models::new(settings(wire, &format!("http://{local}/v1")));
    let heard = ask(&models.resolve(Some("local/m1")).unwrap()).await;
    assert_eq!(heard.error().kind, ErrorKind::Unreachable);
    assert!(heard.error().detail.contains(&local.to_string()), "{}", heard.error());
    assert!(!heard.error().detail.contains(KEY));
}

async fn a_redirect_does_not_carry_the_key_away(wire: Wire) {
    let server = ModelServer::start().await;
    let elsewhere = ModelServer::start().await;
    for status in [301, 302, 307, 308] {
        let target = format!("{}/chat/completions", elsewhere.url());
        server.script(Reply::status(status).header("location", &target));
        let heard = ask(&model(&server, wire)).await;
        assert_eq!(heard.error().kind, ErrorKind::Configuration);
        assert!(heard.error().detail.contains(&target), "{}", heard.error());
    }
    assert_eq!((elsewhere.connections(), elsewhere.requests().len()), (0, 0));
}

async fn a_key_that_cannot_be_a_header_is_named_and_not_shown(wire: Wire) {
    let mut settings = settings(wire, "http://127.0.0.1:9/v1");
    settings.providers[0].api_key = Some("sk-with\nnewline".into());
    let heard = ask(&Models::new(settings).resolve(Some("local/m1")).unwrap()).await;
    assert_eq!(heard.error().kind, ErrorKind::Configuration);
    assert!(!heard.error().detail.contains("sk-with"), "{}", heard.error());
}

async fn https_to_a_server_that_speaks_none_is_unreachable(wire: Wire) {
    let server = ModelServer::start().await;
    let models = Models::new(settings(wire, &address(&server, wire).replace("http://", "https://")));
    let heard = ask(&models.resolve(Some("local/m1")).unwrap()).await;
    assert_eq!(heard.error().kind, ErrorKind::Unreachable, "{}", heard.error());
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn what_a_worker_holds_may_move_between_threads() {
    fn moves<T: Send + 'static>() {}
    fn shared<T: Send + Sync + Clone + 'static>() {}
    moves::<provider::ModelStream>();
    shared::<Models>();
    shared::<provider::Model>();
    shared::<provider::ModelRequest>();
    shared::<provider::ProviderError>();
}
