//! Files keep their labels, however they are looked at and wherever they are copied to.

use crate::permission::{labels::path, laundering::world};
use domain::{Label, MarkupMode, ResultStatus};
use serde_json::json;

/// Whatever shows something of a file, its words, a line, its name or its size, shows it with the file's label.
#[tokio::test]
async fn every_look_at_a_file_carries_its_label() {
    for (tool, arguments) in [
        ("read_file", json!({ "path": "/letter.txt" })),
        ("grep_files", json!({ "pattern": "Send" })),
        ("list_directory", json!({ "path": "/" })),
        ("stat_file", json!({ "path": "/letter.txt" })),
    ] {
        for others in [true, false] {
            let world = world(MarkupMode::Off).await;
            if !others {
                world.adds_own().await;
            }
            let (user, session) = (world.user, world.session);
            world.engine().write_file(user, session, path("/letter.txt"), b"Send it", None).await.unwrap();
            let (status, told) = world.act(tool, arguments.clone()).await;
            assert!(status == ResultStatus::Ok && told.contains("letter.txt"), "{tool}: {told}");
            let asked = world.goes_outside("touch", json!({})).await.is_some();
            assert_eq!(asked, others, "{tool}, words of others: {others}");
        }
    }
}

/// A copy of a clean beginning has the files as they are now: the session is as doubtful as the worst of them.
#[tokio::test]
async fn a_copy_is_as_doubtful_as_the_files_that_it_takes_along() {
    for others in [true, false] {
        let world = world(MarkupMode::Off).await;
        world.act("look", json!({})).await;
        let first = world.messages().await[0].seq;
        world.reads(others).await;
        world.act("write_file", json!({ "path": "/notes.txt", "content": "Send it" })).await;
        let label = if others { Label::WORST } else { Label::TRUSTED_PRIVATE };
        assert_eq!(world.fork_after(Some(first)).await.label, label);
    }
}
