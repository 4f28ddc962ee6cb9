//! `docs/api.md` tells the truth: its blocks are run as they stand, in their order, against the real program, and what is
//! shown as an answer has the shape of the real one.

use crate::newcomer::shipped;
use serde_json::{Deserializer, Value};
use std::{path::Path, process::Stdio};
use testkit::program::Program;
use tokio::process::Command;

/// After each block its number is printed, so that the outputs can be told apart.
const MARK: &str = "=====end of block";
/// Whoever follows ends when they have what they are told to get, and not after a time in which it may not have come.
const FOLLOWING: &str =
    r#"timeout() { shift; sed '/^id: 4\.0/q' < <(exec env timeout 60 "$@" 2>/dev/null); }"#;
/// What these are is told as it is; everything else is an example of its type.
const EXACT: [&str; 7] = ["code", "outcome", "role", "status", "type", "title", "archived"];

/// What is run, and what is shown as its answer: JSON, or the events of a stream.
#[derive(Default)]
struct Block {
    script: String,
    json: Option<Value>,
    events: Vec<String>,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut fences = text.split("\n```").skip(1);
    while let (Some(opened), Some(_)) = (fences.next(), fences.next()) {
        let (kind, inside) = opened.split_once('\n').unwrap();
        match (kind, blocks.last_mut()) {
            ("sh", _) => blocks.push(Block { script: format!("{inside}\n"), ..Block::default() }),
            ("json", Some(last)) => last.json = Some(serde_json::from_str(inside).expect(inside)),
            ("text", Some(last)) => last.events = inside.lines().map(str::to_owned).collect(),
            other => panic!("a fence of another kind: {}", other.0),
        }
    }
    blocks
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_of_the_story_works() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::new(shipped(), folder.path().join("data"));
    program.set_up().await;
    let running = program.serve().await.unwrap();
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/api.md")).unwrap();
    let blocks = blocks(&text);
    assert!(blocks.len() > 15, "the story has its blocks");
    assert!(blocks.iter().filter(|block| block.json.is_some()).count() > 10, "and their answers");
    // The things that differ from a house of one's own: where it listens, where its data is, and how long one follows.
    let data = program.data().display();
    let mut script = format!(
        "set -eu\nmajordomo() {{ '{}' --data '{data}' \"$@\"; }}\n{FOLLOWING}\n",
        shipped().display()
    );
    for (number, block) in blocks.iter().enumerate() {
        let block = block.script.replace("BASE=http://127.0.0.1:7777", &format!("BASE={}", running.base));
        script.push_str(&format!("{block}echo; echo '{MARK} {number}'\n"));
    }
    let mut shell = Command::new("bash");
    // Files that the story makes lie where nothing else does.
    shell.args(["-c", &script]).current_dir(folder.path()).stdin(Stdio::null());
    let output = shell.output().await.unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{shown}\n{errors}");
    let outputs: Vec<&str> = shown.split(MARK).collect();
    assert_eq!(outputs.len(), blocks.len() + 1);
    for (block, output) in blocks.iter().zip(&outputs) {
        block.compare(output);
    }
    check(&blocks, &outputs);
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

impl Block {
    fn compare(&self, output: &str) {
        if let Some(shown) = &self.json {
            let start = output.find('{').unwrap_or_else(|| panic!("{}: no JSON in {output}", self.script));
            let real =
                Deserializer::from_str(&output[start..]).into_iter::<Value>().map_while(Result::ok).last();
            let real = real.unwrap_or_else(|| panic!("{}: no JSON in {output}", self.script));
            if let Err(wrong) = fits(shown, &real, "") {
                panic!("{}: {wrong}\nshown {shown}\nreal {real}", self.script);
            }
        }
        let mut rest = output;
        // Text is only for those who read while it is written, and a machine may be too busy for that.
        for event in self.events.iter().filter(|event| *event != "event: text") {
            let found = rest.split_once(event.as_str());
            rest = found.unwrap_or_else(|| panic!("{}: no {event} after the one before", self.script)).1;
        }
    }
}

/// Everything that is shown is there and of the same type; there may be more.
fn fits(shown: &Value, real: &Value, at: &str) -> Result<(), String> {
    let name = at.rsplit('.').next().unwrap_or_default();
    if EXACT.contains(&name) && shown != real {
        return Err(format!("{at} is {real}, not {shown}"));
    }
    match (shown, real) {
        (Value::Object(shown), Value::Object(real)) => shown.iter().try_for_each(|(name, shown)| {
            let at = format!("{at}.{name}");
            fits(shown, real.get(name).ok_or_else(|| format!("there is no {at}"))?, &at)
        }),
        (Value::Array(shown), Value::Array(real)) => match (shown.first(), real.first()) {
            (Some(shown), Some(real)) => fits(shown, real, at),
            (None, None) => Ok(()),
            _ => Err(format!("{at} is empty in one of both")),
        },
        (shown, real) if std::mem::discriminant(shown) == std::mem::discriminant(real) => Ok(()),
        (shown, real) => Err(format!("{at} is {real}, shown as {shown}")),
    }
}

#[test]
fn what_does_not_fit_is_found() {
    let real = serde_json::json!({ "code": "a", "items": [{ "seq": 1 }], "more": true });
    let fit = |shown: Value| fits(&shown, &real, "").is_ok();
    assert!(fit(serde_json::json!({ "code": "a", "items": [{ "seq": 9 }] })));
    assert!(!fit(serde_json::json!({ "code": "b" })));
    assert!(!fit(serde_json::json!({ "items": [{ "seq": "1" }] })));
    assert!(!fit(serde_json::json!({ "items": [{ "id": 1 }] })));
    assert!(!fit(serde_json::json!({ "items": [] })));
}

/// What the words around the blocks promise.
fn check(blocks: &[Block], outputs: &[&str]) {
    let output = |part: &str| {
        let number = blocks.iter().position(|block| block.script.contains(part));
        outputs[number.unwrap_or_else(|| panic!("no block has {part}"))]
    };
    let promised = [
        ("\"system_prompt\": null", "\"system_prompt\":\"\""),
        ("types=message_complete", "\"type\":\"turn_ended\""),
        ("Last-Event-ID", "id: 4.0"),
        ("/archive", "\"archived\":true"),
        ("/archive", "204"),
        ("/readyz", "\"status\":\"ready\""),
        ("/readyz", "majordomo_turns_total{outcome=\"completed\"}"),
    ];
    for (part, words) in promised {
        let found = output(part);
        assert!(found.contains(words), "{part}: no {words} in\n{found}");
    }
    let twice = output("sow tomatoes");
    let turns: Vec<&str> = twice.split("\"turn_id\":\"").skip(1).filter_map(|rest| rest.get(..37)).collect();
    assert!(turns.len() >= 2 && turns.iter().all(|turn| *turn == turns[0]), "one turn: {twice}");
}
