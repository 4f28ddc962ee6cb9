//! The disk fails in the middle of a commit. No page can be written behind the first of a file any more, so that SQLite finds
//! an error of the disk (and no full one) where it commits, as with a cable that comes off. Nothing is decided by that: what
//! runs goes on, and everything goes on by itself when the disk works again.

use crate::{
    checker::{self, Acknowledged},
    faults::{Fault, endures, rounds},
    ground,
    world::{self, Backend, World},
};
use serde_json::{Value, json};
use std::{collections::HashMap, process::Command, time::Duration};
use testkit::{counting::counts, model::Reply, program::Running};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    net::{TcpListener, TcpStream},
    process::ChildStderr,
    sync::mpsc,
};

const PATIENCE: Duration = Duration::from_secs(60);
/// What is said when something that was not stored is tried again.
const AGAIN: &str = "the database cannot do this at the moment";

/// The signal for a file that grows too much ends a program that does not ask for an error instead.
fn unsignalled(world: &mut World) {
    world.program = world.program.clone().through(&["env", "--ignore-signal=XFSZ"]);
}

/// How large files may become, in bytes.
fn limit(running: &Running, bytes: &str) {
    let (pid, size) = (running.id().unwrap().to_string(), format!("--fsize={bytes}:"));
    let done = Command::new("prlimit").args(["--pid", &pid, &size]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn fail(running: &Running) {
    limit(running, "4096");
}

fn work_again(running: &Running) {
    limit(running, "unlimited");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_fails_is_endured() {
    let mut world = World::new(Backend::Sqlite).await.unwrap();
    unsignalled(&mut world);
    let fault = Fault { strike: &fail, mend: &work_again, refusal: (503, "unavailable"), reads: true };
    endures(&world, fault, rounds()).await;
}

/// Pages that are read until the test answers.
struct Pages {
    host: String,
    asked: mpsc::Receiver<(String, TcpStream)>,
}

impl Pages {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let (tell, asked) = mpsc::channel(8);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (mut head, mut buffer) = (Vec::new(), [0; 1024]);
                while !head.ends_with(b"\r\n\r\n") {
                    let read = stream.read(&mut buffer).await.unwrap();
                    assert_ne!(read, 0, "a question without an end");
                    head.extend_from_slice(&buffer[..read]);
                }
                let head = String::from_utf8_lossy(&head).into_owned();
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                let _ = tell.send((path, stream)).await;
            }
        });
        Self { host, asked }
    }

    fn call(&self, path: &str) -> (&'static str, Value) {
        ("web_fetch", json!({ "url": format!("http://{}{path}", self.host) }))
    }

    async fn next(&mut self) -> (String, TcpStream) {
        tokio::time::timeout(PATIENCE, self.asked.recv()).await.expect("nobody asks").unwrap()
    }
}

async fn answer(mut stream: TcpStream, body: &str) {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length";
    let answer = format!("{head}: {}\r\n\r\n{body}", body.len());
    stream.write_all(answer.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
}

/// Reads the log until it says this, and on in the background.
async fn heard(mut log: Lines<BufReader<ChildStderr>>, words: &str) {
    let said = async {
        while let Some(line) = log.next_line().await.unwrap() {
            if line.contains(words) {
                return;
            }
        }
        panic!("the program ended before it said {words:?}");
    };
    tokio::time::timeout(PATIENCE, said).await.expect("it never says it");
    tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });
}

/// Two pages are read and something was done outside when the first page cannot be stored. The other goes on being read, and
/// nothing is asked for or done twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_the_disk_fails_decides_nothing_and_ends_no_tool() {
    let (mut world, mut pages) = (World::new(Backend::Sqlite).await.unwrap(), Pages::open().await);
    unsignalled(&mut world);
    world.program =
        world.program.clone().env("MAJORDOMO_EGRESS_PRIVATE_HOSTS", &pages.host).env("MAJORDOMO_LOG", "warn");
    let calls = [("count_effect", json!({ "tag": "once" })), pages.call("/one"), pages.call("/other")];
    world.model.respond(move |request| match request.results_since_user().len() {
        0 => Reply::calls(calls.clone()),
        _ => Reply::text("Done."),
    });
    let (running, log) = world.program.serve_heard().await.unwrap();
    let client = running.client(&world.key);
    let capabilities = r#"capabilities=["counting",{"id":"web_fetch","settings":{"hosts":["127.0.0.1"]}}]"#;
    let made = world.program.must(&["--json", "agent", "add", "reader", capabilities], "").await;
    let made: Value = serde_json::from_str(&made).unwrap();
    let session = world::new_session(&client, made["id"].as_str().unwrap()).await;
    let mut stream = client.send_message(&session, "k1", &json!({ "content": "Read" })).await.unwrap();
    let turn = stream.next().await.unwrap().unwrap().data["turn_id"].as_str().unwrap().to_owned();
    let mut open: HashMap<String, TcpStream> = [pages.next().await, pages.next().await].into();
    while stream.next().await.unwrap().unwrap().event != "tool_result" {}

    fail(&running);
    answer(open.remove("/one").unwrap(), "The first page.").await;
    heard(log, AGAIN).await;
    let other = open.remove("/other").unwrap();
    let heard_of_it = other.try_read(&mut [0; 1]).map_err(|error| error.kind());
    assert_eq!(heard_of_it, Err(std::io::ErrorKind::WouldBlock), "whoever reads it has not gone");
    work_again(&running);
    answer(other, "The other page.").await;

    world::quiet(&client, &session).await;
    let log = checker::log(&client, &session).await;
    let of = |kind: &str| log.iter().filter(|event| event["type"] == kind).collect::<Vec<_>>();
    let results = of("tool_result");
    assert!(results.iter().all(|result| result["data"]["status"] == "ok"), "{results:?}");
    assert_eq!((results.len(), of("turn_started").len()), (3, 1), "no other worker had to take it up");
    assert!(pages.asked.try_recv().is_err(), "each page was asked for once");
    assert_eq!(counts(&world.counter)[&("count_effect".to_owned(), "once".to_owned())], 1);
    let acknowledged = Acknowledged { session: session.clone(), text: "Read".to_owned(), turn };
    let report = checker::check(&world, &client, &[session], &[acknowledged]).await;
    assert_eq!(report.outcomes.get("completed"), Some(&1), "{report:?}");
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    ground::check_nothing_left(world.program.data());
}
