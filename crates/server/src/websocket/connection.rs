//! One connection, from its hello to its close.

use super::{
    bucket::Bucket,
    client::{About, understand},
    subscriptions::{Stirred, Subscriptions},
    told::ServerMessage,
};
use crate::{app::App, caller::Caller, measure::OpenStream, problem::Problem, route::me::Me};
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use engine::{Glance, Hint, HintReader, ListsReader, What};
use futures_util::{FutureExt, SinkExt};
use serde::Serialize;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::tungstenite::Error as WireError;

/// The largest message, which carries words.
pub(crate) const FRAME_BYTES: usize = 8 << 20;
/// One session tells this much before the next one has its turn.
const CHUNK_BYTES: usize = 64 << 10;
/// Messages at once, and per second: a window that comes back subscribes to all it shows.
const MESSAGES: (u32, u32) = (300, 30);
/// Messages that make no sense, at once and per second, before the connection is closed.
const NONSENSE: (u32, u32) = (32, 1);
/// The close code of a client that may not go on.
const REVOKED: u16 = 4401;
/// How long the other end has to answer a close.
const GOODBYE: Duration = Duration::from_secs(1);

pub(crate) struct Connection {
    pub(super) app: App,
    pub(super) caller: Caller,
    pub(super) subscriptions: Subscriptions,
    socket: WebSocket,
    hints: HintReader,
    lists: ListsReader,
    messages: Bucket,
    nonsense: Bucket,
    /// Has anything come since the last ping?
    alive: bool,
    _open: OpenStream,
}

/// How a connection ends.
enum End {
    /// We say why.
    Close(u16, &'static str),
    /// The client is gone, so there is nothing to say.
    Gone,
}

type Flow = Result<(), End>;

impl Connection {
    pub(crate) fn new(app: App, caller: Caller, hints: HintReader, socket: WebSocket) -> Self {
        let now = Instant::now();
        let lists = app.engine.follow_lists(caller.user_id);
        Self {
            app,
            caller,
            subscriptions: Subscriptions::default(),
            socket,
            hints,
            lists,
            messages: Bucket::new(MESSAGES.0, MESSAGES.1, now),
            nonsense: Bucket::new(NONSENSE.0, NONSENSE.1, now),
            alive: true,
            _open: OpenStream::new("websocket"),
        }
    }

    pub(crate) async fn run(mut self, me: Me, glances: Vec<Glance>) {
        let talked = match self.tell(&ServerMessage::Hello { user: &me, sessions: &glances }).await {
            Ok(()) => self.talk().await,
            Err(end) => end,
        };
        if let End::Close(code, reason) = talked {
            self.close(code, reason).await;
        }
    }

    async fn talk(&mut self) -> End {
        let period = self.app.settings.ping;
        let mut ping = interval_at(Instant::now() + period, period);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (stop, leaving) = (self.app.stop.clone(), self.app.engine.leaving());
        let revoked = self.caller.watch.ended().clone();
        loop {
            let flow = tokio::select! {
                () = revoked.cancelled() => Err(End::Close(REVOKED, "This sign-in or API key is no longer valid.")),
                () = leaving.cancelled() => Err(End::Close(close_code::RESTART, "The server restarts. Connect again.")),
                () = stop.cancelled() => Err(End::Close(close_code::AWAY, "The server is shutting down.")),
                frame = self.socket.recv() => self.hear(frame).await,
                stirred = self.subscriptions.stirred() => self.pass_on(stirred).await,
                hint = self.hints.next() => self.hint(hint).await,
                () = self.lists.next() => self.tell(&ServerMessage::ListsChanged).await,
                _ = ping.tick() => self.ping().await,
            };
            if let Err(end) = flow {
                return end;
            }
        }
    }

    async fn hear(&mut self, frame: Option<Result<Message, axum::Error>>) -> Flow {
        self.alive = true;
        match frame {
            None => Err(End::Gone),
            Some(Err(error)) => Err(broken(error)),
            Some(Ok(Message::Text(text))) => self.understand(&text).await,
            Some(Ok(Message::Binary(_))) => {
                let detail = "Send messages as JSON, in text frames.";
                self.refuse(&About::default(), &Problem::bad_request("binary_frame", detail)).await
            }
            // Answered below us.
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_))) => Ok(()),
        }
    }

    async fn understand(&mut self, text: &str) -> Flow {
        let (about, understood) = understand(text);
        if !self.messages.take(Instant::now()) {
            let detail = "Too many messages. Wait a moment and send them again.";
            let status = axum::http::StatusCode::TOO_MANY_REQUESTS;
            return self.refuse(&about, &Problem::new(status, "too_many_messages", detail)).await;
        }
        let message = match understood {
            Ok(message) => message,
            // An id that names nothing is no abuse: what it named may be gone.
            Err(problem) if problem.code == "not_found" => return self.tell_problem(&about, &problem).await,
            Err(problem) => return self.refuse(&about, &problem).await,
        };
        match self.perform(message).await {
            Ok(told) => self.tell(&told).await,
            Err(problem) => self.tell_problem(&about, &problem).await,
        }
    }

    /// Says what is wrong with a message that made no sense; a client that sends many of them is sent away.
    async fn refuse(&mut self, about: &About, problem: &Problem) -> Flow {
        self.tell_problem(about, problem).await?;
        if self.nonsense.take(Instant::now()) {
            return Ok(());
        }
        Err(End::Close(close_code::POLICY, "Too many messages that cannot be read."))
    }

    async fn tell_problem(&mut self, about: &About, problem: &Problem) -> Flow {
        self.tell(&ServerMessage::problem(about, problem)).await
    }

    /// What one session has, or as much of it as is its turn.
    async fn pass_on(&mut self, mut stirred: Stirred) -> Flow {
        let outcome = match &stirred.outcome {
            Ok(()) => stirred.reader.pull().await,
            Err(error) => Err(error.clone()),
        };
        match outcome {
            Ok(true) => {}
            // It was said to have something and has nothing: the session is gone.
            Ok(false) => return self.lose(stirred, Problem::not_found("session")).await,
            Err(error) => return self.lose(stirred, error.into()).await,
        }
        let mut written = 0;
        while written < CHUNK_BYTES
            && let Some(frame) = stirred.reader.take_ready()
        {
            let text = frame.json().map_err(|error| unwritable(&error))?;
            written += text.len();
            self.feed(text).await?;
        }
        self.subscriptions.give_back(stirred);
        self.flush().await
    }

    async fn lose(&mut self, stirred: Stirred, problem: Problem) -> Flow {
        self.subscriptions.remove(stirred.session_id);
        let (of, session_id) = (Some("subscribe".to_owned()), Some(stirred.session_id.to_string()));
        self.tell_problem(&About { of, session_id, idempotency_key: None }, &problem).await
    }

    async fn hint(&mut self, hint: engine::Result<Hint>) -> Flow {
        let hint = hint
            .map_err(|_| End::Close(close_code::AGAIN, "This connection fell too far behind. Reconnect."))?;
        let session_id = hint.glance.session_id;
        if hint.what == What::Deleted {
            self.subscriptions.remove(session_id);
        }
        if self.subscriptions.contains(session_id) {
            return Ok(());
        }
        self.tell(&ServerMessage::notice(hint)).await
    }

    async fn ping(&mut self) -> Flow {
        // The answer may have come while something else had its turn.
        if !self.alive
            && let Some(frame) = self.socket.recv().now_or_never()
        {
            self.hear(frame).await?;
        }
        if !std::mem::take(&mut self.alive) {
            return Err(End::Gone);
        }
        self.socket.send(Message::Ping(axum::body::Bytes::new())).await.map_err(broken)
    }

    async fn tell(&mut self, told: &ServerMessage<'_>) -> Flow {
        let text = json(told)?;
        self.feed(text).await?;
        self.flush().await
    }

    async fn feed(&mut self, text: String) -> Flow {
        self.socket.feed(Message::Text(Utf8Bytes::from(text))).await.map_err(broken)
    }

    async fn flush(&mut self) -> Flow {
        self.socket.flush().await.map_err(broken)
    }

    /// Says goodbye and waits a moment for the answer, so that the goodbye is not lost with what is still unread.
    async fn close(mut self, code: u16, reason: &'static str) {
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
        let parting = async {
            if self.socket.send(Message::Close(Some(frame))).await.is_ok() {
                while let Some(Ok(_)) = self.socket.recv().await {}
            }
        };
        // A client that does not answer is dropped all the same.
        drop(timeout(GOODBYE, parting).await);
    }
}

fn json<T: Serialize>(value: &T) -> Result<String, End> {
    serde_json::to_string(value).map_err(|error| unwritable(&error))
}

fn unwritable(error: &dyn std::fmt::Display) -> End {
    tracing::error!(%error, "a message cannot be written");
    End::Close(close_code::ERROR, "Something unexpected happened. Reconnect.")
}

fn broken(error: axum::Error) -> End {
    let inner = error.into_inner();
    match inner.downcast_ref::<WireError>() {
        Some(WireError::Capacity(_)) => End::Close(close_code::SIZE, "A message may have at most 8 MB."),
        Some(WireError::Utf8(_)) => End::Close(close_code::INVALID, "Text frames must be UTF-8."),
        Some(WireError::Protocol(_)) => {
            End::Close(close_code::PROTOCOL, "This is not valid WebSocket traffic.")
        }
        _ => End::Gone,
    }
}
