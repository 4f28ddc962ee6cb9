//! The end of the program that it was asked for, while all kinds of things are under way: it comes when it was promised, those
//! who wait are told, and the next start goes on.

use crate::world::{self, Backend, World};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use testkit::{
    client::{Client, SseStream},
    model::Reply,
    program::Running,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Notify,
    task::JoinHandle,
};

/// What docs/deploy.md promises, and a second more for a machine that has other things to do: the end is waited for so long.
const PROMISED: Duration = Duration::from_secs(6);
const DRIP: Duration = Duration::from_millis(20);
const WORDS: &str = "It ends at the next start.";

/// An upload of which a byte comes now and then; it ends when it is cut off.
async fn upload(running: &Running, key: &str) -> JoinHandle<()> {
    let host = running.base.trim_start_matches("http://");
    let mut connection = TcpStream::connect(host).await.unwrap();
    let head = format!(
        "POST /v1/uploads HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\nexpect: 100-continue\r\n\
         content-type: multipart/form-data; boundary=x\r\ncontent-length: 1000000\r\n\r\n"
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut told = [0; 64];
    let read = connection.read(&mut told).await.unwrap();
    let told = String::from_utf8_lossy(&told[..read]).into_owned();
    assert!(told.starts_with("HTTP/1.1 100"), "the body is not read: {told}");
    let part = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\
                Content-Type: text/plain\r\n\r\n";
    connection.write_all(part.as_bytes()).await.unwrap();
    tokio::spawn(async move {
        while connection.write_all(b"x").await.is_ok() {
            tokio::time::sleep(DRIP).await;
        }
    })
}

/// A client that waits for the reply to a message.
fn ask(client: &Client, session: &str) -> JoinHandle<(u16, Value)> {
    let (client, path) = (client.clone(), format!("/v1/sessions/{session}/messages"));
    tokio::spawn(async move {
        let answer = client.post(&path, &json!({ "content": "Work" })).await.unwrap();
        (answer.status, answer.body)
    })
}

async fn read_to_the_end(mut stream: SseStream) -> usize {
    let mut seen = 0;
    while let Ok(Some(_)) = stream.next().await {
        seen += 1;
    }
    seen
}

/// `None` where the program was still there.
async fn ended(running: Running) -> Option<i32> {
    tokio::time::timeout(PROMISED, running.terminate()).await.ok()?.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_a_reader_and_an_upload_hold_an_end_up_no_longer_than_was_promised() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let running = world.serve().await;
    let client = running.client(&world.key);
    let session = world::new_session(&client, &world::worker(&client).await).await;
    let reader = tokio::spawn(read_to_the_end(client.follow(&session, Some("0")).await.unwrap()));
    let asked = ask(&client, &session);
    world.model.wait_for(1).await;
    let dripping = upload(&running, &world.key).await;
    assert_eq!(ended(running).await, Some(0));
    let (status, told) = asked.await.unwrap();
    assert_eq!((status, &told["code"]), (503, &json!("shutting_down")), "{told}");
    assert!(reader.await.unwrap() > 0, "the reader was told what happened until then");
    dripping.await.unwrap();
    // Nothing of it is lost.
    world.model.script(Reply::text(WORDS));
    let running = world.serve().await;
    let client = running.client(&world.key);
    world::quiet(&client, &session).await;
    let messages = client.get(&format!("/v1/sessions/{session}/messages")).await.unwrap().expect(200);
    assert!(messages.to_string().contains(WORDS), "{messages}");
    assert_eq!(ended(running).await, Some(0));
}

/// Requests have as much time as turns, and not once more behind them.
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_alone_holds_an_end_up_no_longer_than_was_promised() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    let running = world.serve().await;
    let dripping = upload(&running, &world.key).await;
    assert_eq!(ended(running).await, Some(0));
    dripping.await.unwrap();
}
