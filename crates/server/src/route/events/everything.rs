use crate::{
    app::App,
    caller::Caller,
    problem::Problem,
    sse::{self, EventStream, Source, write_json},
};
use axum::extract::State;
use domain::{Envelope, SessionId};
use engine::{Glance, UserEvent, UserReader};
use schemars::JsonSchema;
use serde::Serialize;

/// Everything that happens in any session of the person: first how they stand, then each durable event. There is no
/// cursor over all of them, so there are no ids; a client that was cut off compares the new snapshot with what it has.
pub(crate) async fn everything(State(app): State<App>, caller: Caller) -> Result<EventStream<Item>, Problem> {
    let (glances, reader) = app.engine.follow_user(caller.user_id).await?;
    let source = Everything { snapshot: Some(glances), reader };
    Ok(sse::answer(source, app.stop, app.settings.heartbeat))
}

struct Everything {
    snapshot: Option<Vec<Glance>>,
    reader: UserReader,
}

/// What travels in it.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "UserStreamEvent")]
pub(crate) enum Item {
    Sessions(Sessions),
    Event(Box<Envelope>),
}

/// What concerns the list of sessions.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "SessionsEvent")]
pub(crate) enum Sessions {
    Snapshot { sessions: Vec<Glance> },
    SessionCreated(Glance),
    SessionDeleted { session_id: SessionId },
}

impl Item {
    fn name(&self) -> &'static str {
        match self {
            Self::Sessions(Sessions::Snapshot { .. }) => "snapshot",
            Self::Sessions(Sessions::SessionCreated(_)) => "session_created",
            Self::Sessions(Sessions::SessionDeleted { .. }) => "session_deleted",
            Self::Event(envelope) => envelope.type_name(),
        }
    }
}

impl From<UserEvent> for Item {
    fn from(event: UserEvent) -> Self {
        match event {
            UserEvent::Event(envelope) => Self::Event(envelope),
            UserEvent::Created(glance) => Self::Sessions(Sessions::SessionCreated(glance)),
            UserEvent::Deleted(session_id) => Self::Sessions(Sessions::SessionDeleted { session_id }),
        }
    }
}

impl Source for Everything {
    type Item = Item;

    async fn next(&mut self) -> engine::Result<Option<Item>> {
        match self.snapshot.take() {
            Some(sessions) => Ok(Some(Item::Sessions(Sessions::Snapshot { sessions }))),
            None => self.reader.next().await.map(|event| Some(event.into())),
        }
    }

    fn take_ready(&mut self) -> Option<Item> {
        self.reader.take_ready().map(Item::from)
    }

    fn write(item: &Item, bytes: &mut Vec<u8>) -> serde_json::Result<()> {
        write_json(bytes, &format!("event: {}\n", item.name()), item)
    }
}
