//! The chat on a real terminal: what is typed before a request was shown is not its answer.

use super::house;
use serde_json::json;
use std::process::Stdio;
use testkit::model::{ModelServer, Reply};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStdin, ChildStdout},
};

/// Where the cursor is: the editor asks a terminal, and waits for the answer.
const ASKED: &[u8] = b"\x1b[6n";
const ANSWER: &[u8] = b"\x1b[1;1R";

struct Screen {
    keys: ChildStdin,
    shown: ChildStdout,
    text: Vec<u8>,
    /// Up to where it was looked at.
    seen: usize,
    _child: Child,
}

impl Screen {
    fn new(mut child: Child) -> Self {
        let (keys, shown) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { keys, shown, text: Vec::new(), seen: 0, _child: child }
    }

    async fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).await.unwrap();
        self.keys.flush().await.unwrap();
    }

    /// Waits until this is shown after what was waited for before.
    async fn until(&mut self, words: &str) {
        loop {
            let rest = &self.text[self.seen..];
            if let Some(at) = rest.windows(words.len()).position(|window| window == words.as_bytes()) {
                self.seen += at + words.len();
                return;
            }
            let mut piece = [0; 4096];
            let read = self.shown.read(&mut piece).await.unwrap();
            let text = String::from_utf8_lossy(&self.text);
            assert!(read > 0, "the terminal ended without {words:?}: {text}");
            let piece = &piece[..read];
            let asked = piece.windows(ASKED.len()).filter(|window| *window == ASKED).count();
            self.text.extend_from_slice(piece);
            for _ in 0..asked {
                self.keys.write_all(ANSWER).await.unwrap();
            }
        }
    }
}

/// THREAT[terminal-04]
#[tokio::test]
async fn keys_that_were_pressed_before_a_request_was_shown_do_not_answer_it() {
    let script = std::process::Command::new("script").arg("--version").stdout(Stdio::null()).status();
    if !script.is_ok_and(|status| status.success()) {
        return println!("skipped: there is no `script` to make a terminal with");
    }
    let (_root, program) = house();
    let model = ModelServer::start().await;
    let program = program.model(&model.url()).env("USER", "ann");
    program.must(&["user", "add", "ann", "--role", "owner", "--password-stdin"], "long enough").await;
    let rules = json!([{ "tool": "get_current_time", "action": "ask" }]);
    let rules = format!("tool_rules={rules}");
    program.must(&["agent", "set", "main", "capabilities=[\"current_time\"]", &rules], "").await;
    let zones = ["Europe/Lisbon", "Europe/Madrid"];
    model.respond(move |request| match request.results_since_user().len() {
        at @ 0..=1 => Reply::calls([("get_current_time", json!({ "timezone": zones[at] }))]),
        _ => {
            let last = request.messages().last().unwrap().to_string();
            Reply::text(if last.contains("datetime") { "It was allowed." } else { "It was denied." })
        }
    });
    let mut screen = Screen::new(program.in_terminal(&["chat"]).unwrap());
    screen.until("you> ").await;
    screen.press("Go\r").await;
    screen.until("Europe/Lisbon").await;
    // It listens when the prompt is there again.
    screen.until("you> ").await;
    screen.press("y\ry\ry\r").await;
    screen.until("timezone: Europe/Madrid").await;
    screen.until("you> ").await;
    screen.press("n\r").await;
    screen.until("It was ").await;
    screen.until("denied.").await;
    assert_eq!(model.requests().len(), 3);
}
