//! How an answer ends: only what is complete is done, and nothing ends without a word.

use crate::world::{World, shown};
use domain::{MessageKind, StopReason};
use provider::Wire;
use serde_json::json;
use testkit::model::Reply;

/// What a model was about to do when it was stopped is not done, whichever wire it speaks.
#[tokio::test]
async fn calls_of_an_answer_that_was_stopped_do_not_run() {
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        for reason in ["content_filter", "a_later_invention"] {
            let world = World::with(|setup| setup.wire = wire).await;
            let touch = || ("touch", json!({ "say": "boo" }));
            world.model.script(Reply::text("I shall touch it.").then_calls([touch()]).finish(reason));
            let events = world.run("Touch it").await;
            assert!(world.tools.runs("touch").is_empty(), "{wire:?} {reason}");
            assert_eq!(shown(&events).last().unwrap(), "turn_ended completed", "{wire:?} {reason}");
            let said = world.messages().await.pop().unwrap();
            assert_eq!(said.stop_reason, Some(StopReason::Interrupted), "{wire:?} {reason}");
            // The control: the same call of an answer that ended well.
            world.model.queue([Reply::calls([touch()]), Reply::text("Touched.")]);
            world.run("Touch it now").await;
            assert_eq!(world.tools.runs("touch").len(), 1, "{wire:?} {reason}");
            world.check(&["Touch it", "Touch it now"]).await;
        }
    }
}

/// An answer that is cut off may end in the middle of a call: that one is not run, and the model hears why.
#[tokio::test]
async fn half_a_call_does_not_run() {
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        for half in ["", "{\"say\": \"bo"] {
            let world = World::with(|setup| setup.wire = wire).await;
            let whole = ("look", json!({ "at": 1 }));
            world.model.queue([
                Reply::calls([whole]).then_raw_call("touch", half).finish("length"),
                Reply::text("I shall be brief."),
            ]);
            let events = world.run("Touch it").await;
            assert!(world.tools.runs("touch").is_empty(), "{wire:?} `{half}`");
            assert_eq!(world.tools.runs("look").len(), 1, "what was complete is done: {wire:?} `{half}`");
            assert_eq!(shown(&events).last().unwrap(), "turn_ended completed", "{wire:?} `{half}`");
            world.check(&["Touch it"]).await;
        }
    }
}

/// A stream that does not say why it ended has broken off, also where it says that it has ended.
#[tokio::test]
async fn an_answer_without_a_reason_to_stop_is_asked_for_again() {
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let world = World::with(|setup| setup.wire = wire).await;
        world.model.queue([Reply::text("Half a sent").without_finish(), Reply::text("A whole sentence.")]);
        let events = world.run("Hello").await;
        assert!(shown(&events).contains(&"message_restarted 2".to_owned()), "{wire:?}: {:?}", shown(&events));
        assert_eq!(world.messages().await.pop().unwrap().content, "A whole sentence.", "{wire:?}");
        world.check(&["Hello"]).await;
    }
}

/// An answer without a word is asked for once more; after that the person is told.
#[tokio::test]
async fn an_empty_answer_is_asked_for_once_more_and_then_told() {
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let world = World::with(|setup| setup.wire = wire).await;
        world.model.queue([Reply::text(" \n"), Reply::text("Here I am.")]);
        let events = world.run("Hello").await;
        assert_eq!(shown(&events).last().unwrap(), "turn_ended completed", "{wire:?}");
        assert_eq!(world.messages().await.pop().unwrap().content, "Here I am.", "{wire:?}");
        world.model.respond(|_| Reply::text("").thinking("Hm."));
        let events = world.run("And now?").await;
        assert_eq!(shown(&events).last().unwrap(), "turn_ended failed provider_empty", "{wire:?}");
        assert_eq!(world.model.request_count(), 4, "{wire:?}: once more, and not for ever");
        let notice = world.messages().await.pop().unwrap();
        assert_eq!(notice.meta.kind, Some(MessageKind::Error));
        assert!(notice.content.contains("an empty reply"), "{}", notice.content);
        world.check(&["Hello", "And now?"]).await;
    }
}

/// However large the pieces are in which it comes, a message holds no more than it may.
#[tokio::test]
async fn a_piece_that_is_too_large_is_cut() {
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let world = World::with(|setup| {
            setup.wire = wire;
            setup.settings.turn.reply_bytes = 1 << 20;
        })
        .await;
        let huge = format!("x{}", "ü".repeat(3 << 20));
        world.model.script(Reply::text(huge.clone()));
        world.run("Go on for ever").await;
        let said = world.messages().await.pop().unwrap();
        assert_eq!(said.stop_reason, Some(StopReason::Length), "{wire:?}");
        assert!(said.content.len() <= 1 << 20, "{wire:?}: {} bytes", said.content.len());
        assert!(said.content.len() > (1 << 20) - 4 && huge.starts_with(&said.content), "{wire:?}");
        world.model.script(Reply::text("").thinking(&huge).finish("length"));
        world.run("Think for ever").await;
        assert!(world.messages().await.iter().all(|message| message.parts.iter().all(|part| match part {
            domain::Part::Thinking { text } => text.len() <= 1 << 20,
            _ => true,
        })));
    }
}
