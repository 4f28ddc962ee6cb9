use crate::{
    app::App,
    caller::Caller,
    problem::Problem,
    sse::{self, Source, write_json},
};
use axum::{extract::State, response::Response};
use engine::{Glance, UserEvent, UserReader};
use serde::Serialize;
use serde_json::json;

/// Everything that happens in any session of the person: first how they stand, then each durable event. There is no
/// cursor over all of them, so there are no ids; whoever was cut off compares the new snapshot with what they have.
pub(crate) async fn everything(State(app): State<App>, caller: Caller) -> Result<Response, Problem> {
    let (glances, reader) = app.engine.follow_user(caller.user_id).await?;
    let source = Everything { snapshot: Some(glances), reader };
    Ok(sse::answer(source, app.stop, app.settings.heartbeat))
}

struct Everything {
    snapshot: Option<Vec<Glance>>,
    reader: UserReader,
}

enum Item {
    Snapshot(Vec<Glance>),
    Event(UserEvent),
}

impl Source for Everything {
    type Item = Item;

    async fn next(&mut self) -> engine::Result<Option<Item>> {
        match self.snapshot.take() {
            Some(glances) => Ok(Some(Item::Snapshot(glances))),
            None => self.reader.next().await.map(|event| Some(Item::Event(event))),
        }
    }

    fn take_ready(&mut self) -> Option<Item> {
        self.reader.take_ready().map(Item::Event)
    }

    fn write(item: &Item, bytes: &mut Vec<u8>) -> serde_json::Result<()> {
        let head = |name| format!("event: {name}\n");
        match item {
            Item::Snapshot(sessions) => {
                write_json(bytes, &head("snapshot"), &json!({ "type": "snapshot", "sessions": sessions }))
            }
            Item::Event(UserEvent::Event(envelope)) => {
                write_json(bytes, &head(envelope.type_name()), envelope)
            }
            Item::Event(UserEvent::Created(glance)) => {
                write_json(bytes, &head("session_created"), &Session { kind: "session_created", glance })
            }
            Item::Event(UserEvent::Deleted(session_id)) => {
                let gone = json!({ "type": "session_deleted", "session_id": session_id });
                write_json(bytes, &head("session_deleted"), &gone)
            }
        }
    }
}

#[derive(Serialize)]
struct Session<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    glance: &'a Glance,
}
