use super::*;
use crate::{Ports, fixture};
use domain::{
    AgentId, Label, RunOutcome, Schedule, ScheduleId, SchedulePlan, ScheduleState, SessionId, UserId,
};
use std::sync::Mutex;
use uuid::Uuid;

/// What was asked of it, and what it answers.
pub(super) struct Noted {
    asked: Mutex<Vec<String>>,
    answer: Result<ScheduleWritten, ScheduleError>,
}

impl Noted {
    fn note(&self, asked: String) -> Result<ScheduleWritten, ScheduleError> {
        self.asked.lock().unwrap().push(asked);
        self.answer.clone()
    }
}

#[async_trait]
impl Schedules for Noted {
    async fn create(&self, draft: ScheduleDraft) -> Result<ScheduleWritten, ScheduleError> {
        self.note(format!("create {draft:?}"))
    }

    async fn change(&self, number: u64, edit: ScheduleEdit) -> Result<ScheduleWritten, ScheduleError> {
        self.note(format!("change {number} {edit:?}"))
    }

    async fn resume(&self, number: u64) -> Result<ScheduleWritten, ScheduleError> {
        self.note(format!("resume {number}"))
    }

    async fn pause(&self, number: u64) -> Result<ScheduleWritten, ScheduleError> {
        self.note(format!("pause {number}"))
    }

    async fn delete(&self, number: u64) -> Result<(), ScheduleError> {
        self.note(format!("delete {number}")).map(drop)
    }

    async fn list(&self, most: u32) -> Result<ScheduleListing, ScheduleError> {
        self.note(format!("list {most}"))?;
        Ok(ScheduleListing { schedules: vec![(schedule(), "Every hour".to_owned())], total: 3 })
    }

    async fn runs(&self, number: u64, most: u32) -> Result<Vec<ScheduleRun>, ScheduleError> {
        self.note(format!("runs {number} {most}"))?;
        let run = ScheduleRun {
            due_at: fixture::NOW,
            fired_at: fixture::NOW,
            ended_at: Some(fixture::NOW),
            turn_id: None,
            session_id: None,
            outcome: RunOutcome::Failed,
            code: Some("agent_gone".to_owned()),
            missed: 2,
        };
        Ok(vec![run])
    }
}

fn schedule() -> Schedule {
    let id = Uuid::from_u128(1);
    Schedule {
        id: ScheduleId::from_uuid(id),
        user_id: UserId::from_uuid(id),
        number: 4,
        kind: ScheduleKind::Run,
        agent_id: AgentId::from_uuid(id),
        session_id: Some(SessionId::from_uuid(id)),
        plan: SchedulePlan {
            when: When::Every { seconds: 3_600, anchor: fixture::NOW },
            note: "Water\nthe plants.".to_owned(),
            place: RunPlace::Fresh,
            missed: MissedRuns::One,
            max_runs: None,
        },
        state: ScheduleState::Active,
        revision: 1,
        next_at: Some(fixture::NOW),
        failures: 0,
        runs: 0,
        label: Label::TRUSTED_PRIVATE,
        created_at: fixture::NOW,
        updated_at: fixture::NOW,
    }
}

pub(super) fn done() -> ScheduleWritten {
    let (number, state) = (4, ScheduleState::Active);
    ScheduleWritten { number, state, next_at: Some(fixture::NOW), description: "Every hour".to_owned() }
}

async fn asked(
    answer: Result<ScheduleWritten, ScheduleError>,
    arguments: Value,
) -> (Result<Value, ToolError>, Vec<String>) {
    asked_of(&ManageCron, answer, arguments).await
}

/// What the tool answers, and what it asked of its port.
pub(super) async fn asked_of(
    tool: &dyn Tool,
    answer: Result<ScheduleWritten, ScheduleError>,
    arguments: Value,
) -> (Result<Value, ToolError>, Vec<String>) {
    let noted = Arc::new(Noted { asked: Mutex::default(), answer });
    let ports = Ports::default().with_schedules(noted.clone());
    let context = ToolContext { ports, ..fixture::context() };
    let said = tool.run(&context, arguments).await;
    let asked = noted.asked.lock().unwrap().clone();
    (said, asked)
}

async fn said(arguments: Value) -> String {
    match asked(Ok(done()), arguments).await {
        (Ok(Value::String(text)), _) => text,
        (other, _) => panic!("{other:?}"),
    }
}

/// STAVROBOT-18
#[tokio::test]
async fn what_was_done_is_said_to_the_letter() {
    let next = "Every hour. Next: 2026-11-15T08:00:00.123Z.";
    let table = [
        (
            json!({ "action": "create", "note": "Look.", "schedule": "0 8 * * *" }),
            format!("Cron entry 4 created. {next}"),
        ),
        (json!({ "action": "update", "id": "4", "note": "Look." }), format!("Cron entry 4 updated. {next}")),
        (json!({ "action": "delete", "id": 4 }), "Cron entry 4 deleted.".to_owned()),
        (json!({ "action": "pause", "id": 4 }), "Cron entry 4 paused.".to_owned()),
        (json!({ "action": "resume", "id": 4 }), format!("Cron entry 4 resumed. {next}")),
        (
            json!({ "action": "list" }),
            "[4] active: Every hour, next 2026-11-15T08:00:00.123Z: Water the plants.\n2 more are not shown."
                .to_owned(),
        ),
        (
            json!({ "action": "runs", "id": 4 }),
            "2026-11-15T08:00:00.123Z: failed (agent_gone), 2 times before it were missed".to_owned(),
        ),
    ];
    for (arguments, words) in table {
        assert_eq!(said(arguments.clone()).await, words, "{arguments}");
    }
    assert!(said(json!({ "action": "help" })).await.starts_with("manage_cron: "));
}

#[tokio::test]
async fn what_is_wrong_is_said_and_asks_nothing_of_the_port() {
    let create = |more: Value| {
        let mut call = json!({ "action": "create", "note": "Look." });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    let table = [
        (create(json!({})), "exactly one of schedule or fire_at must be provided."),
        (
            create(json!({ "schedule": "* * * * *", "fire_at": "2026-12-24T18:00:00Z" })),
            "schedule and fire_at are mutually exclusive.",
        ),
        (
            create(json!({ "every_seconds": 60, "fire_at": "2026-12-24T18:00:00Z" })),
            "schedule, fire_at and every_seconds are mutually exclusive.",
        ),
        (create(json!({ "every_seconds": 59 })), "every_seconds must be a whole number of at least 60."),
        (
            create(json!({ "fire_at": "tomorrow" })),
            "fire_at must be a date and time with its offset, such as 2026-12-24T18:00:00Z.",
        ),
        (
            create(json!({ "fire_at": "2026-12-24T18:00:00Z", "time_zone": "UTC" })),
            "time_zone is for the pattern in schedule. Give both.",
        ),
        (
            create(json!({ "schedule": "* * * * *", "where": "there" })),
            "where must be one of: here, fresh, own.",
        ),
        (create(json!({ "schedule": "* * * * *", "missed": "all" })), "missed must be one of: skip, one."),
        (
            create(json!({ "schedule": "* * * * *", "max_runs": 0 })),
            "max_runs must be a whole number of at least 1.",
        ),
        (
            create(json!({ "schedule": "* * * * *", "note": "x".repeat(8_001) })),
            "note must have at most 8000 characters.",
        ),
        (create(json!({ "schedule": "*".repeat(10_000) })), "schedule must have at most 200 characters."),
    ];
    refused(&table).await;
}

#[tokio::test]
async fn what_is_missing_is_said() {
    let table = [
        (json!({ "action": "create", "note": " ", "schedule": "* * * * *" }), "note is required for create."),
        (json!({ "action": "update", "note": "x" }), "id is required for update."),
        (json!({ "action": "update", "id": -1, "note": "x" }), "id must be a whole number of at least 1."),
        (
            json!({ "action": "update", "id": 1, "where": "here" }),
            "where cannot be changed. Delete the entry and create another one.",
        ),
        (
            json!({ "action": "update", "id": 1 }),
            "say what is to be another: note, schedule, fire_at, every_seconds, missed or max_runs.",
        ),
        (json!({ "action": "resume", "id": {} }), "id must be a whole number of at least 1."),
        (
            json!({ "action": "drop" }),
            "unknown action 'drop'. Valid actions: create, update, delete, list, pause, resume, runs, help.",
        ),
    ];
    refused(&table).await;
}

/// Each of these calls is refused in these words, and nothing is asked of the port.
async fn refused(table: &[(Value, &str)]) {
    for (arguments, words) in table {
        let (said, asked) = asked(Ok(done()), arguments.clone()).await;
        assert_eq!(said, Err(ToolError::Failed(format!("Error: {words}"))), "{arguments}");
        assert_eq!(asked, Vec::<String>::new(), "{arguments}");
    }
}

#[tokio::test]
async fn what_the_port_refuses_is_told() {
    let resume = || json!({ "action": "resume", "id": 9 });
    for (error, told) in [
        (ScheduleError::NotFound, ToolError::Failed("Error: cron entry 9 not found.".to_owned())),
        (ScheduleError::Refused("No.".to_owned()), ToolError::Failed("Error: No.".to_owned())),
        (ScheduleError::Unknown("Who knows.".to_owned()), ToolError::Unknown("Who knows.".to_owned())),
        (ScheduleError::Broken("Broken.".to_owned()), ToolError::Internal("Broken.".to_owned())),
    ] {
        assert_eq!(asked(Err(error), resume()).await.0, Err(told));
    }
}

/// What comes one time comes here, what comes again in a conversation of its own.
#[tokio::test]
async fn what_is_not_said_is_what_is_usual() {
    for (more, place) in [
        (json!({ "action": "create", "note": "x", "fire_at": "2026-12-24T18:00:00+02:00" }), "place: Here"),
        (json!({ "action": "create", "note": "x", "every_seconds": 60 }), "place: Fresh"),
        (json!({ "action": "create", "note": "x", "every_seconds": 60, "where": "own" }), "place: Own"),
    ] {
        let asked = asked(Ok(done()), more).await.1.concat();
        assert!(asked.contains(place) && asked.contains("missed: One"), "{asked}");
    }
}

/// THREAT[time-01] Only what is named here is done without asking; so is nothing that is added later.
#[test]
fn a_person_is_asked_before_anything_is_done_later() {
    for (action, asks) in [
        (json!("create"), true),
        (json!("update"), true),
        (json!("resume"), true),
        (json!("Resume"), true),
        (json!(null), true),
        (json!(7), true),
        (json!("pause"), false),
        (json!("delete"), false),
        (json!("list"), false),
        (json!("runs"), false),
        (json!("help"), false),
    ] {
        let terms = ManageCron.terms(&Settings::new(), &json!({ "action": action }));
        let permission = if asks { Permission::Ask } else { Permission::Allow };
        assert_eq!((terms.permission, terms.acts_later), (permission, asks), "{action}");
    }
}

/// A person who is asked is shown every argument: one that does nothing would mislead them.
#[test]
fn arguments_that_are_not_there_are_refused() {
    let schema = crate::schema::Schema::compile(&ManageCron.checked_schema()).unwrap();
    assert!(schema.check(&json!({ "action": "create", "note": 7 })).is_ok(), "the tool says what is wrong");
    assert!(schema.check(&json!({ "action": "create", "quietly": true })).is_err());
}
