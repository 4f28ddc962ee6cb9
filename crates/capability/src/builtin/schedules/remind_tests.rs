use super::*;
use crate::builtin::schedules::tests::{asked_of, done};

#[tokio::test]
async fn a_reminder_is_made_for_this_conversation_and_its_time_is_said() {
    for (more, when) in [
        (json!({ "text": "Call mum", "in_seconds": 60 }), "Once { at: Timestamp(1794729660123) }"),
        (
            json!({ "text": "Call mum", "at": "2026-11-15T10:00:00+02:00" }),
            "Once { at: Timestamp(1794729600000) }",
        ),
        (
            json!({ "text": "Call mum", "schedule": "0 17 * * 0" }),
            "Cron { pattern: \"0 17 * * 0\", zone: None }",
        ),
    ] {
        let (said, asked) = asked_of(&Remind, Ok(done()), more).await;
        assert_eq!(said.unwrap(), "Reminder 4 created. Every hour. Next: 2026-11-15T08:00:00.123Z.");
        let asked = asked.concat();
        for part in [when, "kind: Reminder", "place: Here", "missed: One", "note: \"Call mum\""] {
            assert!(asked.contains(part), "{part}: {asked}");
        }
    }
}

#[tokio::test]
async fn what_is_wrong_is_said() {
    let which = "exactly one of at, in_seconds or schedule must be provided.";
    for (arguments, words) in [
        (json!({ "text": "x" }), which),
        (json!({ "text": "x", "at": "2026-12-24T18:00:00Z", "in_seconds": 5 }), which),
        (json!({ "text": "x", "schedule": "* * * * *", "in_seconds": 5 }), which),
        (json!({ "text": " ", "in_seconds": 5 }), "text must not be empty."),
        (json!({ "text": "x".repeat(1_001), "in_seconds": 5 }), "text must have at most 1000 characters."),
        (json!({ "text": "x", "in_seconds": 0 }), "in_seconds must be a whole number of at least 1."),
        (json!({ "text": "x", "in_seconds": 31_536_001 }), "in_seconds must be at most 31536000."),
        (
            json!({ "text": "x", "at": "soon" }),
            "at must be a date and time with its offset, such as 2026-12-24T18:00:00Z.",
        ),
    ] {
        let (said, asked) = asked_of(&Remind, Ok(done()), arguments.clone()).await;
        assert_eq!(said, Err(ToolError::Failed(format!("Error: {words}"))), "{arguments}");
        assert_eq!(asked, Vec::<String>::new(), "{arguments}");
    }
}

/// THREAT[time-01]
#[test]
fn a_reminder_acts_later() {
    let terms = Remind.terms(&Settings::new(), &json!({ "text": "x", "in_seconds": 5 }));
    assert_eq!((terms.permission, terms.acts_later), (Permission::Allow, true));
}
