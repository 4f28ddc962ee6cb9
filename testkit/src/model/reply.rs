//! What the server answers, and how it misbehaves while it does.

use super::script::{Counts, Script};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;

/// One scripted answer. Built with [`Reply::text`] and its like, then bent with the other methods.
#[derive(Clone)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) content_type: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Body,
    /// Bytes per TCP write; absent = one write per event.
    pub(super) write_size: Option<usize>,
    pub(super) interruptions: Vec<(At, Interruption)>,
    pub(super) before: Vec<Before>,
    /// The end of the body is the end of the connection, instead of chunked encoding.
    pub(super) close: bool,
    /// The time between two events, as a real model takes it.
    pub(super) pace: Option<Duration>,
}

#[derive(Clone)]
pub(super) enum Body {
    Stream(Box<Script>),
    Raw(Vec<u8>),
    /// The whole answer, head included.
    Verbatim(Vec<u8>),
    /// No answer at all: the connection is closed.
    HangUp,
}

/// A place in the body.
#[derive(Clone, Copy)]
pub(super) enum At {
    Byte(usize),
    /// After this many text pieces.
    Piece(usize),
}

#[derive(Clone)]
pub(super) enum Interruption {
    /// Waits until the test releases it.
    Gate(Arc<Notify>),
    /// Never goes on.
    Stall,
    /// Closes the connection.
    Cut,
}

#[derive(Clone)]
pub(super) enum Before {
    Delay(Duration),
    Gate(Arc<Notify>),
}

impl Reply {
    fn new(body: Body) -> Self {
        Self {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            headers: Vec::new(),
            body,
            write_size: None,
            interruptions: Vec::new(),
            before: Vec::new(),
            close: false,
            pace: None,
        }
    }

    /// Says this, in one piece.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Body::Stream(Box::new(Script { texts: vec![text.into()], ..Script::default() })))
    }

    /// Says this, in these pieces.
    pub fn pieces<T: Into<String>>(pieces: impl IntoIterator<Item = T>) -> Self {
        let texts = pieces.into_iter().map(Into::into).collect();
        Self::new(Body::Stream(Box::new(Script { texts, ..Script::default() })))
    }

    /// Says nothing and makes these calls.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        Self::new(Body::Stream(Box::default())).then_calls(calls)
    }

    /// A stream of exactly these events, and the end marker.
    pub fn events(events: impl IntoIterator<Item = Value>) -> Self {
        let events = Some(events.into_iter().collect());
        Self::new(Body::Stream(Box::new(Script { events, ..Script::default() })))
    }

    /// A refusal with this status.
    pub fn status(status: u16) -> Self {
        let body = json!({"error": {"message": format!("scripted {status}")}}).to_string();
        Self { status, ..Self::new(Body::Raw(body.into_bytes())) }.content_type("application/json")
    }

    /// Exactly these bytes as the body of a 200.
    pub fn raw(body: impl Into<Vec<u8>>) -> Self {
        Self::new(Body::Raw(body.into()))
    }

    /// Exactly these bytes as the whole answer, head included; then the connection is closed.
    pub fn verbatim(answer: impl Into<Vec<u8>>) -> Self {
        Self::new(Body::Verbatim(answer.into()))
    }

    /// Events that are no JSON.
    pub fn garbage() -> Self {
        Self::raw("data: {\"choices\":[{\"delta\"\n\ndata: \u{1}\u{2}}}}\n\n")
    }

    /// Closes the connection without an answer.
    pub fn hang_up() -> Self {
        Self::new(Body::HangUp)
    }

    /// Replaces the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Body::Raw(body.into());
        self
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    #[must_use]
    pub fn content_type(mut self, content_type: &str) -> Self {
        self.content_type = content_type.to_owned();
        self
    }

    /// Cuts the text into pieces of this many characters.
    #[must_use]
    pub fn in_pieces_of(self, characters: usize) -> Self {
        self.scripted(|script| {
            let all: Vec<char> = script.texts.concat().chars().collect();
            script.texts = all.chunks(characters.max(1)).map(|piece| piece.iter().collect()).collect();
        })
    }

    /// Writes this many bytes at a time to the socket.
    #[must_use]
    pub fn chunks(mut self, bytes: usize) -> Self {
        self.write_size = Some(bytes.max(1));
        self
    }

    /// Reasons before it speaks.
    #[must_use]
    pub fn thinking(self, text: &str) -> Self {
        self.scripted(|script| script.thinking.push(text.to_owned()))
    }

    /// Ends by making these calls.
    #[must_use]
    pub fn then_calls<'a>(self, calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let calls: Vec<_> =
            calls.into_iter().map(|(name, arguments)| (name.to_owned(), arguments.to_string())).collect();
        self.scripted(|script| script.calls.extend(calls))
    }

    /// Makes a call whose arguments are this text, JSON or not.
    #[must_use]
    pub fn then_raw_call(self, name: &str, arguments: &str) -> Self {
        self.scripted(|script| script.calls.push((name.to_owned(), arguments.to_owned())))
    }

    /// Reports these token counts (100 and 10 unless said otherwise).
    #[must_use]
    pub fn usage(self, input: u64, output: u64, cached: u64) -> Self {
        let stored = 0;
        self.scripted(|script| script.usage = Some(Counts { input, output, cached, stored }))
    }

    /// Of the input, so much is put into the provider's cache. Only the Messages wire says so.
    #[must_use]
    pub fn stored(self, stored: u64) -> Self {
        self.scripted(|script| script.usage = Some(Counts { stored, ..script.usage.unwrap_or_default() }))
    }

    /// Puts this block before the text, on the Messages wire: a search, a piece of hidden reasoning.
    #[must_use]
    pub fn block(self, block: Value) -> Self {
        self.scripted(|script| script.blocks.push(block))
    }

    /// Says where the text comes from, on the Messages wire.
    #[must_use]
    pub fn citation(self, citation: Value) -> Self {
        self.scripted(|script| script.citations.push(citation))
    }

    /// Gives this reason for stopping.
    #[must_use]
    pub fn finish(self, reason: &str) -> Self {
        self.scripted(|script| script.finish = Some(reason.to_owned()))
    }

    /// Gives no reason for stopping.
    #[must_use]
    pub fn without_finish(self) -> Self {
        self.scripted(|script| script.silent_finish = true)
    }

    /// Ends without the end marker.
    #[must_use]
    pub fn without_done(self) -> Self {
        self.scripted(|script| script.silent_done = true)
    }

    /// Puts these bytes before each event.
    #[must_use]
    pub fn between_events(self, comment: &str) -> Self {
        self.scripted(|script| script.comment = Some(comment.to_owned()))
    }

    /// Ends its lines in this way.
    #[must_use]
    pub fn line_end(self, line_end: &'static str) -> Self {
        self.scripted(|script| script.line_end = Some(line_end))
    }

    /// Waits before it answers. Prefer [`Reply::gate`].
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.before.push(Before::Delay(delay));
        self
    }

    /// Writes at this pace, as a real model does: gives a kill the time to hit.
    #[must_use]
    pub fn pace(mut self, between: Duration) -> Self {
        self.pace = Some(between);
        self
    }

    /// Waits before it answers until the test calls `notify_one`.
    #[must_use]
    pub fn gate(mut self, gate: Arc<Notify>) -> Self {
        self.before.push(Before::Gate(gate));
        self
    }

    /// Waits after this many bytes of the body until the test calls `notify_one`.
    #[must_use]
    pub fn gate_after(mut self, bytes: usize, gate: Arc<Notify>) -> Self {
        self.interruptions.push((At::Byte(bytes), Interruption::Gate(gate)));
        self
    }

    /// Waits after this many pieces of text until the test calls `notify_one`.
    #[must_use]
    pub fn gate_after_pieces(mut self, pieces: usize, gate: Arc<Notify>) -> Self {
        self.interruptions.push((At::Piece(pieces), Interruption::Gate(gate)));
        self
    }

    /// Falls silent for ever after this many bytes of the body.
    #[must_use]
    pub fn stall_after(mut self, bytes: usize) -> Self {
        self.interruptions.push((At::Byte(bytes), Interruption::Stall));
        self
    }

    /// Falls silent for ever after this many pieces of text.
    #[must_use]
    pub fn stall_after_pieces(mut self, pieces: usize) -> Self {
        self.interruptions.push((At::Piece(pieces), Interruption::Stall));
        self
    }

    /// Closes the connection after this many bytes of the body.
    #[must_use]
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.interruptions.push((At::Byte(bytes), Interruption::Cut));
        self
    }

    /// Closes the connection after this many pieces of text.
    #[must_use]
    pub fn cut_after_pieces(mut self, pieces: usize) -> Self {
        self.interruptions.push((At::Piece(pieces), Interruption::Cut));
        self
    }

    /// `Connection: close` and no length: the end of the body is the end of the connection.
    #[must_use]
    pub fn close(mut self) -> Self {
        self.close = true;
        self
    }

    fn scripted(mut self, change: impl FnOnce(&mut Script)) -> Self {
        if let Body::Stream(script) = &mut self.body {
            change(script);
        }
        self
    }
}
