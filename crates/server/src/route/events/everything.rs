use crate::{
    app::App,
    caller::Caller,
    problem::Problem,
    sse::{self, EventStream, Source, Stays},
};
use axum::extract::State;
use domain::SessionId;
use engine::{Frame, Glance, UserEvent, UserReader};
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use std::task::{Context, Poll, ready};

/// Everything that happens in any session of the person: first how they stand, then each durable event. There is no
/// cursor over all of them, so there are no ids; a client that was cut off compares the new snapshot with what it has.
pub(crate) async fn everything(State(app): State<App>, caller: Caller) -> Result<EventStream<Item>, Problem> {
    app.check_stays()?;
    let (glances, reader) = app.engine.follow_user(caller.user_id).await?;
    let source = Everything { snapshot: Some(glances), reader: ReaderState::Idle(Some(Box::new(reader))) };
    Ok(sse::answer(source, &app, Stays::AsLongAsServing))
}

struct Everything {
    snapshot: Option<Vec<Glance>>,
    reader: ReaderState,
}

/// The reader is owned by its wait: a wait that is dropped half-way could lose an event.
enum ReaderState {
    Idle(Option<Box<UserReader>>),
    Waiting(BoxFuture<'static, (Box<UserReader>, engine::Result<UserEvent>)>),
}

/// What travels in it.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "UserStreamEvent")]
pub(crate) enum Item {
    Sessions(Sessions),
    Event(Frame),
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
            Self::Event(frame) => frame.kind(),
        }
    }
}

impl From<UserEvent> for Item {
    fn from(event: UserEvent) -> Self {
        match event {
            UserEvent::Event(frame) => Self::Event(frame),
            UserEvent::Created(glance) => Self::Sessions(Sessions::SessionCreated(glance)),
            UserEvent::Deleted(session_id) => Self::Sessions(Sessions::SessionDeleted { session_id }),
        }
    }
}

impl Source for Everything {
    type Item = Item;
    type Shown = Item;

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<engine::Result<Option<Item>>> {
        if let Some(sessions) = self.snapshot.take() {
            return Poll::Ready(Ok(Some(Item::Sessions(Sessions::Snapshot { sessions }))));
        }
        loop {
            match &mut self.reader {
                ReaderState::Idle(reader) => {
                    let Some(mut reader) = reader.take() else { return Poll::Ready(Ok(None)) };
                    self.reader = ReaderState::Waiting(Box::pin(async move {
                        let next = reader.next().await;
                        (reader, next)
                    }));
                }
                ReaderState::Waiting(waiting) => {
                    let (reader, next) = ready!(waiting.as_mut().poll(context));
                    self.reader = ReaderState::Idle(Some(reader));
                    return Poll::Ready(next.map(|event| Some(event.into())));
                }
            }
        }
    }

    fn take_ready(&mut self) -> Option<Item> {
        match &mut self.reader {
            ReaderState::Idle(reader) => reader.as_mut()?.take_ready().map(Item::from),
            ReaderState::Waiting(_) => None,
        }
    }

    fn ready_bytes(&self, most: usize) -> usize {
        match &self.reader {
            ReaderState::Idle(reader) => reader.as_ref().map_or(0, |reader| reader.ready_bytes(most)),
            ReaderState::Waiting(_) => 0,
        }
    }

    fn write(item: &Item, bytes: &mut Vec<u8>) -> serde_json::Result<()> {
        bytes.extend_from_slice(b"event: ");
        bytes.extend_from_slice(item.name().as_bytes());
        bytes.extend_from_slice(b"\ndata: ");
        match item {
            Item::Event(frame) => frame.write(bytes),
            Item::Sessions(sessions) => serde_json::to_writer(&mut *bytes, sessions)?,
        }
        bytes.extend_from_slice(b"\n\n");
        Ok(())
    }
}
