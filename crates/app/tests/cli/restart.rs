//! A conversation continues after the server that ran it was stopped or killed.

use super::{house, spawned::Spawned};
use std::sync::Arc;
use testkit::model::{ModelServer, Reply};
use tokio::{io::AsyncWriteExt as _, sync::Notify};

fn half() -> Reply {
    Reply::pieces(["Hello ", "wor", "ld"]).stall_after_pieces(2)
}

#[tokio::test]
async fn a_killed_server_in_mid_sentence_costs_no_word_and_doubles_none() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.queue([half(), Reply::pieces(["Hel", "lo world", "!"])]);
    let program = program.model(&model.url());
    let server = program.serve().await.unwrap();
    let mut chat = Spawned::start(program.data(), &model.url(), &["chat", "--once", "hi"]);
    chat.until("Hello wor").await;
    server.kill().await.unwrap();
    let server = program.serve().await.unwrap();
    let ended = chat.end().await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "Hello world!\n"), "{}", ended.err);
    assert!(ended.err.contains("connection to the server is lost"), "{}", ended.err);
    assert_eq!(server.terminate().await.unwrap(), Some(0));
}

#[tokio::test]
async fn a_reply_that_comes_back_different_says_so() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.queue([half(), Reply::text("Goodbye")]);
    let program = program.model(&model.url());
    let server = program.serve().await.unwrap();
    let mut chat = Spawned::start(program.data(), &model.url(), &["chat", "--once", "hi"]);
    chat.until("Hello wor").await;
    server.kill().await.unwrap();
    let _server = program.serve().await.unwrap();
    let ended = chat.end().await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "Hello wor\nGoodbye\n"), "{}", ended.err);
    assert!(ended.err.contains("The server restarted. The reply starts again."), "{}", ended.err);
}

#[tokio::test]
async fn a_command_that_did_the_work_for_others_is_replaced_when_it_goes() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.queue([Reply::text("Ready"), half(), Reply::text("Hello world")]);
    let mut host = Spawned::start(program.data(), &model.url(), &["chat"]);
    host.stdin.as_mut().unwrap().write_all(b"are you there?\n").await.unwrap();
    host.until("Ready").await;
    let mut guest = Spawned::start(program.data(), &model.url(), &["chat", "--once", "hi"]);
    guest.until("Hello wor").await;
    host.signal("-KILL").await;
    let ended = guest.end().await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "Hello world\n"), "{}", ended.err);
}

#[tokio::test]
async fn ctrl_c_stops_the_turn() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.queue([half(), Reply::text("Later")]);
    let program = program.model(&model.url());
    let server = program.serve().await.unwrap();
    let mut chat = Spawned::start(program.data(), &model.url(), &["chat", "--once", "hi"]);
    chat.until("Hello wor").await;
    chat.signal("-INT").await;
    let ended = chat.end().await;
    assert_eq!((ended.code, ended.out.as_str()), (Some(1), "Hello wor\n"), "{}", ended.err);
    assert!(ended.err.contains("was stopped"), "{}", ended.err);
    assert_eq!(program.must(&["chat", "--once", "still there?"], "").await, "Later");
    drop(server);
}

#[tokio::test]
async fn ctrl_c_in_a_conversation_stops_the_reply_and_not_the_conversation() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.queue([half(), Reply::text("Next")]);
    let mut chat = Spawned::start(program.data(), &model.url(), &["chat"]);
    let mut stdin = chat.stdin.take().unwrap();
    stdin.write_all(b"one\n").await.unwrap();
    chat.until("Hello wor").await;
    chat.signal("-INT").await;
    chat.until("— Stopped. —").await;
    stdin.write_all(b"two\n").await.unwrap();
    chat.until("Next").await;
    drop(stdin);
    assert_eq!(chat.end().await.code, Some(1), "one of its turns was stopped");
}

#[tokio::test]
async fn a_drained_server_lets_the_reply_end() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    let gate = Arc::new(Notify::new());
    model.queue([Reply::pieces(["Hello ", "world"]).gate_after_pieces(1, gate.clone())]);
    let program = program.model(&model.url());
    let server = program.serve().await.unwrap();
    let mut chat = Spawned::start(program.data(), &model.url(), &["chat", "--once", "hi"]);
    chat.until("Hello ").await;
    let (code, ended) = tokio::join!(server.terminate(), async {
        gate.notify_one();
        chat.end().await
    });
    assert_eq!(code.unwrap(), Some(0));
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "Hello world\n"), "{}", ended.err);
}
