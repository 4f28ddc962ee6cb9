//! The chat on a real terminal: what is typed before a request was shown is not its answer.

use super::{err, house, out};
use rustix::{
    event::{self, Timespec},
    process,
};
use serde_json::json;
use std::{process::Stdio, sync::Arc, time::Duration};
use testkit::{
    model::{ModelServer, Reply},
    program::Program,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStdin, ChildStdout},
    sync::Notify,
};

/// Where the cursor is: the editor asks a terminal, and waits for the answer.
const ASKED: &[u8] = b"\x1b[6n";
const ANSWER: &[u8] = b"\x1b[1;1R";

/// Nothing that is waited for takes this long.
const PATIENCE: Duration = Duration::from_secs(60);

struct Screen {
    keys: ChildStdin,
    shown: ChildStdout,
    /// As it came, and without the sequences that colour and move.
    raw: Vec<u8>,
    text: String,
    /// Up to where the text was looked at, and how many questions for the cursor were answered.
    seen: usize,
    answered: usize,
    _child: Child,
}

impl Screen {
    fn new(mut child: Child) -> Self {
        let (keys, shown) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (raw, text) = (Vec::new(), String::new());
        Self { keys, shown, raw, text, seen: 0, answered: 0, _child: child }
    }

    async fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).await.unwrap();
        self.keys.flush().await.unwrap();
    }

    /// Waits until this is shown after what was waited for before.
    async fn until(&mut self, words: &str) {
        loop {
            let rest = self.text.get(self.seen..).unwrap_or_default();
            if let Some(at) = rest.find(words) {
                self.seen += at + words.len();
                return;
            }
            let mut piece = [0; 4096];
            let read = tokio::time::timeout(PATIENCE, self.shown.read(&mut piece)).await;
            let Ok(Ok(read @ 1..)) = read else {
                panic!("{words:?} is not shown ({read:?}): {}", self.text);
            };
            self.raw.extend_from_slice(&piece[..read]);
            self.text = plain(&self.raw);
            let asked = self.raw.windows(ASKED.len()).filter(|window| *window == ASKED).count();
            for _ in self.answered..asked {
                self.keys.write_all(ANSWER).await.unwrap();
            }
            self.answered = asked;
        }
    }
}

/// What a person reads: without escape sequences, and without the one that has only begun.
fn plain(raw: &[u8]) -> String {
    let (mut text, mut rest) = (Vec::new(), raw);
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (b'\x1b', [b'[', sequence @ ..]) => {
                let end = sequence.iter().position(|byte| matches!(byte, b'@'..=b'~'));
                end.map_or(&[][..], |end| &sequence[end + 1..])
            }
            (b'\x1b', [_, after @ ..]) => after,
            _ => {
                text.push(*first);
                after
            }
        };
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// `None` where there is nothing to make a terminal with.
async fn with_terminal() -> Option<(tempfile::TempDir, Program, ModelServer)> {
    let script = std::process::Command::new("script").arg("--version").stdout(Stdio::null()).status();
    if !script.is_ok_and(|status| status.success()) {
        testkit::left_out("the terminal: there is no `script` to make one with");
        return None;
    }
    let (root, program) = house();
    let model = ModelServer::start().await;
    let program = program.model(&model.url()).env("USER", "ann");
    program.must(&["user", "add", "ann", "--role", "owner", "--password-stdin"], "long enough").await;
    Some((root, program, model))
}

/// THREAT[terminal-04]
#[tokio::test]
async fn keys_that_were_pressed_before_a_request_was_shown_do_not_answer_it() {
    let Some((_root, program, model)) = with_terminal().await else { return };
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
    screen.until("timezone: Europe/Lisbon").await;
    // It listens when the prompt is there again.
    screen.until("you> ").await;
    screen.press("y\ry\ry\r").await;
    screen.until("timezone: Europe/Madrid").await;
    screen.until("you> ").await;
    screen.press("buy milk\r").await;
    screen.until("nothing has happened").await;
    screen.until("you> ").await;
    screen.press("n\r").await;
    screen.until("It was ").await;
    screen.until("\n").await;
    assert!(screen.text.contains("It was denied."), "{}", screen.text);
    assert!(screen.text.contains("The person denied this call: buy milk"), "{}", screen.text);
    assert_eq!(model.requests().len(), 3);
}

/// THREAT[terminal-04]
#[tokio::test]
async fn words_that_were_typed_before_a_question_was_shown_do_not_answer_it() {
    let Some((_root, program, model)) = with_terminal().await else { return };
    model.respond(|request| {
        let last = request.messages().last().unwrap().to_string();
        match ["garlic", "onion", "leek"].into_iter().find(|word| last.contains(word)) {
            None => Reply::text("<ask>Which soup?</ask>"),
            Some("leek") => Reply::text("<ask>Which bread?</ask>"),
            Some(word) => Reply::text(format!("With {word} bread.")),
        }
    });
    let mut screen = Screen::new(program.in_terminal(&["chat"]).unwrap());
    screen.until("you> ").await;
    screen.press("Go\r").await;
    screen.until("Which soup?").await;
    screen.until("you> ").await;
    screen.press("leek\ronion\r").await;
    screen.until("Which bread?").await;
    screen.until("you> ").await;
    screen.press("garlic\r").await;
    screen.until("With ").await;
    screen.until("bread.").await;
    assert!(screen.text.contains("With garlic bread."), "{}", screen.text);
}

#[tokio::test]
async fn what_a_colleague_asks_is_told_to_who_waits_for_it() {
    let Some((_root, program, model)) = with_terminal().await else { return };
    program.must(&["agent", "add", "cook", "system_prompt=You cook."], "").await;
    program.must(&["agent", "set", "main", "capabilities=[\"colleagues\"]"], "").await;
    model.respond(|request| {
        let cooks = request.messages()[0]["content"].to_string().contains("You cook.");
        match (cooks, request.results_since_user().len()) {
            (true, 0) if request.last_user().contains("Make soup") => Reply::text("<ask>Which soup?</ask>"),
            (true, _) => Reply::text("Soup is ready."),
            (false, 0) => Reply::calls([("delegate", json!({ "agent": "cook", "task": "Make soup" }))]),
            (false, _) => Reply::text("Dinner is served."),
        }
    });
    // Where nobody sits it ends there, and says how it goes on.
    let output = program.run(&["chat", "--once", "Dinner, please"], "").await.unwrap();
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(1), ""), "{output:?}");
    answer(&program, &err(&output)).await;

    let mut screen = Screen::new(program.in_terminal(&["chat"]).unwrap());
    screen.until("you> ").await;
    screen.press("Dinner, please\r").await;
    screen.until("asks you “Which soup?”").await;
    screen.until("ANSWER").await;
    answer(&program, &screen.text).await;
    screen.until("Dinner is served.").await;
}

/// A model that says nothing is not a terminal that hangs: it is said that it is waited for.
#[tokio::test]
async fn silence_is_told() {
    let Some((_root, program, model)) = with_terminal().await else { return };
    let speak = Arc::new(Notify::new());
    model.script(Reply::text("Here I am.").gate(speak.clone()));
    let mut screen = Screen::new(program.in_terminal(&["chat"]).unwrap());
    screen.until("you> ").await;
    screen.press("Are you there?\r").await;
    screen.until("No answer for 20 seconds. Still waiting").await;
    speak.notify_one();
    screen.until("Here I am.").await;
}

/// The window is closed while the chat waits for words, and nothing else ends it: it would read nothing for ever.
#[tokio::test]
async fn a_closed_terminal_ends_the_chat() {
    let Some((_root, program, _model)) = with_terminal().await else { return };
    let mut screen = Screen::new(program.in_stubborn_terminal(&["chat"]).unwrap());
    screen.until("pid ").await;
    screen.until("you> ").await;
    let pid = screen.text.split("pid ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let pid = process::Pid::from_raw(pid.parse().unwrap()).unwrap();
    let watched = process::pidfd_open(pid, process::PidfdFlags::empty()).unwrap();
    drop(screen);
    let ends = move || {
        let patience = Timespec::try_from(PATIENCE).unwrap();
        event::poll(&mut [event::PollFd::new(&watched, event::PollFlags::IN)], Some(&patience)).unwrap() == 1
    };
    let ended = tokio::task::spawn_blocking(ends).await.unwrap();
    if !ended {
        process::kill_process(pid, process::Signal::KILL).unwrap();
    }
    assert!(ended, "it goes on without a terminal");
}

const SOUP: &str = "# Soup\n\n- **leek** and `salt`\n\n| a | b |\n|--|--:|\n| 1 | 22 |\n\n```sh\nls\n```\n";

#[tokio::test]
async fn markdown_is_laid_out_on_a_terminal_and_printed_as_it_is_elsewhere() {
    let Some((_root, program, model)) = with_terminal().await else { return };
    model.respond(|_| Reply::text(SOUP).in_pieces_of(3));
    let mut screen = Screen::new(program.in_terminal(&["chat"]).unwrap());
    screen.until("you> ").await;
    screen.press("Go\r").await;
    for line in ["• leek and salt\r\n", "a │  b\r\n", "──┼───\r\n", "1 │ 22\r\n", "  sh\r\n", "    ls\r\n"]
    {
        screen.until(line).await;
    }
    screen.until("you> ").await;
    let mut once = Screen::new(program.in_terminal(&["chat", "--once", "Go"]).unwrap());
    once.until("• leek and salt\r\n").await;
    assert_eq!(program.must(&["chat", "--once", "Go"], "").await, SOUP.trim_end());
    let uncoloured = program.env("NO_COLOR", "1");
    let mut screen = Screen::new(uncoloured.in_terminal(&["chat", "--once", "Go"]).unwrap());
    screen.until("• leek and `salt`\r\n").await;
    screen.until("    ls\r\n").await;
    assert!(!screen.raw.contains(&0x1b), "{:?}", screen.text);
}

#[tokio::test]
async fn what_is_typed_while_a_reply_is_written_waits_for_the_prompt() {
    let Some((_root, program, model)) = with_terminal().await else { return };
    let speak = Arc::new(Notify::new());
    model.queue([Reply::text("Here I am.").gate(speak.clone()), Reply::text("Soup it is.")]);
    let mut screen = Screen::new(program.in_terminal(&["chat"]).unwrap());
    screen.until("you> ").await;
    screen.press("Are you there?\r").await;
    model.wait_for(1).await;
    screen.press("leek soup").await;
    speak.notify_one();
    screen.until("Here I am.\r\n").await;
    assert!(!screen.text.contains("leek"), "{}", screen.text);
    screen.until("you> ").await;
    screen.until("leek soup").await;
    screen.press("\r").await;
    screen.until("Soup it is.").await;
    assert_eq!(model.last_request().unwrap().last_user(), "leek soup");
}

#[tokio::test]
async fn a_reply_that_is_stopped_takes_nothing_with_it_that_was_typed_ahead() {
    let Some((_root, program, model)) = with_terminal().await else { return };
    let never = Arc::new(Notify::new());
    model.queue([Reply::text("Here I am.").gate(never), Reply::text("Soup it is.")]);
    let mut screen = Screen::new(program.in_terminal(&["chat"]).unwrap());
    screen.until("you> ").await;
    screen.press("Are you there?\r").await;
    model.wait_for(1).await;
    screen.press("leek soup").await;
    screen.press("\x03").await;
    screen.until("you> ").await;
    screen.until("leek soup").await;
    screen.press("\r").await;
    screen.until("Soup it is.").await;
    assert_eq!(model.last_request().unwrap().last_user(), "leek soup");
}

#[tokio::test]
async fn what_was_said_last_is_told_in_words_and_not_as_markdown() {
    let Some((_root, program, model)) = with_terminal().await else { return };
    model.respond(|_| Reply::text(SOUP));
    program.must(&["chat", "--once", "Go"], "").await;
    let mut screen = Screen::new(program.in_terminal(&["chat", "--continue"]).unwrap());
    screen.until("main> Soup leek and salt a b 1 22 ls").await;
    screen.until("you> ").await;
    assert!(!screen.text.contains("**") && !screen.text.contains("# Soup"), "{}", screen.text);
}

#[tokio::test]
async fn help_is_one_screen_and_all_of_it_when_asked() {
    let Some((_root, program, _model)) = with_terminal().await else { return };
    let mut screen = Screen::new(program.in_terminal(&["chat"]).unwrap());
    screen.until("you> ").await;
    screen.press("/help\r").await;
    screen.until("Commands\r\n").await;
    let begun = screen.seen;
    screen.until("• /quit").await;
    let short = screen.text[begun..screen.seen].lines().count();
    assert!(short < 24, "{short} lines: {}", screen.text);
    assert!(!screen.text.contains("Elements"), "{}", screen.text);
    screen.until("you> ").await;
    screen.press("/help all\r").await;
    screen.until("Elements\r\n").await;
    screen.until("• /quit").await;
}

/// Does what the program says can be done.
async fn answer(program: &Program, said: &str) {
    let (_, how) = said.rsplit_once("majordomo chat ").unwrap();
    let (how, _) = how.split_once(" ANSWER").unwrap();
    let words: Vec<&str> = ["chat"].into_iter().chain(how.split_whitespace()).chain(["leek"]).collect();
    assert_eq!(program.must(&words, "").await, "Soup is ready.");
}

/// The first line names the model that will answer: the conversation's, else the agent's, else the default model.
#[tokio::test]
async fn the_greeting_names_the_model_that_answers() {
    let Some((_root, program, model)) = with_terminal().await else { return };
    model.models(["scripted", "other"]);
    model.respond(|_| Reply::text("Hello."));
    let mut screen = Screen::new(program.in_terminal(&["chat"]).unwrap());
    screen.until("model test/scripted ·").await;
    screen.until("you> ").await;
    screen.press("Hi\r").await;
    screen.until("Hello.").await;
    screen.until("you> ").await;
    screen.press("/model test/other\r").await;
    screen.until("answers in this conversation").await;
    screen.until("you> ").await;
    screen.press("/quit\r").await;
    let mut screen = Screen::new(program.in_terminal(&["chat", "--continue"]).unwrap());
    screen.until("model test/other ·").await;
}
