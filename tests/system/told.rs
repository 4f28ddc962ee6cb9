//! `docs/api.md` tells the truth: its blocks are run as they stand, in their order, against the real program.

use crate::newcomer::shipped;
use std::{path::Path, process::Stdio};
use testkit::program::Program;
use tokio::process::Command;

/// After each block its number is printed, so that the outputs can be told apart.
const MARK: &str = "=====end of block";

fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match (&mut open, line) {
            (None, "```sh") => open = Some(String::new()),
            (Some(_), "```") => blocks.extend(open.take()),
            (Some(block), line) => {
                block.push_str(line);
                block.push('\n');
            }
            _ => {}
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
    assert!(blocks.len() > 12, "the story has its blocks");
    // The two things that differ from a house of one's own: where it listens, and where its data is.
    let data = program.data().display();
    let mut script =
        format!("set -eu\nmajordomo() {{ '{}' --data '{data}' \"$@\"; }}\n", shipped().display());
    for (number, block) in blocks.iter().enumerate() {
        let block = block.replace("BASE=http://127.0.0.1:7777", &format!("BASE={}", running.base));
        script.push_str(&format!("{block}echo; echo '{MARK} {number}'\n"));
    }
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).stdin(Stdio::null());
    let output = shell.output().await.unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{shown}\n{errors}");
    let outputs: Vec<&str> = shown.split(MARK).collect();
    assert_eq!(outputs.len(), blocks.len() + 1);
    check(&blocks, &outputs);
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

/// What the words around the blocks promise.
fn check(blocks: &[String], outputs: &[&str]) {
    let output = |part: &str| {
        let number = blocks.iter().position(|block| block.contains(part));
        outputs[number.unwrap_or_else(|| panic!("no block has {part}"))]
    };
    let promised = [
        ("/v1/me\n", "\"role\":\"owner\""),
        ("AGENT=$(", "\"name\":\"gardener\""),
        ("\"system_prompt\": null", "\"system_prompt\":\"\""),
        ("limit=1", "\"next_cursor\":\""),
        ("SESSION=$(", "\"status\":\"idle\""),
        ("What time is it?", "\"outcome\":\"completed\""),
        ("messages/stream", "event: turn_ended"),
        ("sow basil", "\"code\":\"idempotency_mismatch\""),
        ("after=0&limit=3", "\"next_cursor\":\"3\""),
        ("types=message_complete", "\"type\":\"turn_ended\""),
        ("Last-Event-ID", "id: 4.0"),
        ("/abort", "\"turn_id\":null"),
        ("/retry", "\"code\":\"nothing_to_retry\""),
        ("\"content\": 1", "\"code\":\"bad_field\""),
        ("\"content\": 1", "\"code\":\"unauthorized\""),
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
