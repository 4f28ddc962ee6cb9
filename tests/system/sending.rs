//! Sending a message to a program that may refuse it.

use crate::checker::Acknowledged;
use serde_json::json;
use std::time::Duration;
use testkit::client::Client;
use tokio::time::sleep;

/// What came of sending a message.
pub enum Sent {
    Acknowledged(Acknowledged),
    Refused { status: u16, retry_after: Option<u64>, code: String },
}

pub async fn send(client: &Client, session: &str, key: &str, content: &str) -> Sent {
    let mut stream = client.send_message(session, key, &json!({ "content": content })).await.unwrap();
    if stream.status != 200 {
        let answer = stream.refusal().await.unwrap();
        let code = answer.body["code"].as_str().unwrap_or_default().to_owned();
        return Sent::Refused { status: answer.status, retry_after: answer.retry_after, code };
    }
    let first = stream.next().await.unwrap().unwrap();
    let turn = first.data["turn_id"].as_str().unwrap().to_owned();
    Sent::Acknowledged(Acknowledged { session: session.to_owned(), text: content.to_owned(), turn })
}

/// Sends until it is taken: who was told to come back does.
pub async fn after(client: &Client, session: &str, text: &str) -> Acknowledged {
    let mut last = String::new();
    for _ in 0..600 {
        match send(client, session, text, text).await {
            Sent::Acknowledged(sent) => return sent,
            Sent::Refused { status, code, .. } => last = format!("{status} {code}"),
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("it does not recover: {last}");
}
