//! Following a session: durable events from the log, live pieces from the feed, one cursor over both.
//!
//! A reader never misses and never repeats: it remembers the highest durable `seq` and the live bytes it has
//! delivered, and asks for what comes after. That works the same for a fresh reader, for one that was cut off in the
//! middle of a word, and across a restart of the program.

use crate::{
    error::{Error, Result},
    follow::{
        feed::Feed,
        open_message::{Live, OpenMessage},
        tool_output::{Had, OutputPiece},
    },
    reply::{approval_workplace, elements},
};
use capability::Registry;
use domain::{
    Cursor, Envelope, EnvelopeBody, Event, EventBody, LiveBody, MessageId, SessionId, Timestamp, TurnId,
    TurnOutcome,
};
use std::{collections::VecDeque, sync::Arc};
use store::{DataKey, Store, log::EventFilter};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Durable events read from the store at once.
const BATCH: u32 = 256;
/// The event that begins a turn, by its name in the log.
const TURN_STARTED: &str = "turn_started";

/// Where a reader begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With the next event, preceded by the open message so far.
    Now,
    /// After what the cursor has seen.
    After(Cursor),
}

/// One connection's view of a session.
pub struct Reader {
    pub(crate) store: Store,
    /// Of the tools that come with the program.
    pub(crate) registry: Registry,
    pub(crate) key: DataKey,
    pub(crate) session_id: SessionId,
    pub(crate) feed: Arc<Feed>,
    pub(crate) changed: watch::Receiver<u64>,
    pub(crate) clock: Arc<dyn capability::Clock>,
    pub(crate) cursor: Cursor,
    /// The newest `seq` in the log when the reader began: the feed may not have heard of it.
    pub(crate) known: u64,
    /// The newest end of a message that the cursor is past. The feed may hear of that end later than the reader.
    pub(crate) completed: u64,
    /// Only this turn's events, up to its end.
    pub(crate) turn: Option<TurnFilter>,
    pub(crate) ready: VecDeque<Envelope>,
    /// What it has of calls that run.
    pub(crate) had: Had,
    pub(crate) finished: bool,
    /// The program goes down.
    pub(crate) halt: CancellationToken,
}

pub(crate) struct TurnFilter {
    pub(crate) turn_id: TurnId,
    /// The attempt that `turn_started` last named: an older attempt's end is not the end.
    pub(crate) attempt: u32,
}

enum NextEvents {
    Durable(Vec<Arc<Event>>),
    Live { message_id: MessageId, turn_id: Option<TurnId>, runs: Vec<Live> },
    ToolOutput(Vec<OutputPiece>),
    AskStore,
    Nothing,
}

impl Reader {
    /// The next event; waits until there is one. `None` after the end of the turn that was asked for.
    pub async fn next(&mut self) -> Result<Option<Envelope>> {
        loop {
            if let Some(envelope) = self.ready.pop_front() {
                return Ok(Some(envelope));
            }
            if self.finished {
                return Ok(None);
            }
            if self.fill().await? {
                continue;
            }
            tokio::select! {
                changed = self.changed.changed() => if changed.is_err() { return Ok(None) },
                // The shutdown would wait for a reader whose turn goes on only at the next start.
                () = self.halt.cancelled() => return Err(Error::ShuttingDown),
            }
        }
    }

    /// Waits until there is something new, and takes nothing of it: a client that follows many sessions waits for all of
    /// them and then pulls from one after the other, so that no more than one piece is in memory at a time.
    pub async fn stirred(&mut self) -> Result<()> {
        loop {
            self.changed.borrow_and_update();
            if !self.ready.is_empty() || self.finished || !matches!(self.look()?, NextEvents::Nothing) {
                return Ok(());
            }
            if self.changed.changed().await.is_err() {
                return Err(Error::ShuttingDown);
            }
        }
    }

    /// Makes what is new ready to be taken. False when nothing is.
    pub async fn pull(&mut self) -> Result<bool> {
        if self.ready.is_empty() { self.fill().await } else { Ok(true) }
    }

    /// What is there now, without waiting.
    pub fn take_ready(&mut self) -> Option<Envelope> {
        self.ready.pop_front()
    }

    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// Collects what is new. False when nothing is.
    async fn fill(&mut self) -> Result<bool> {
        self.changed.borrow_and_update();
        match self.look()? {
            NextEvents::Nothing => return Ok(false),
            NextEvents::Live { message_id, turn_id, runs } => self.deliver_live(message_id, turn_id, runs),
            NextEvents::ToolOutput(heard) => self.deliver_output(heard),
            NextEvents::Durable(events) => {
                for event in events {
                    self.catch_up(&event)?;
                    self.deliver(Event::clone(&event)).await?;
                }
            }
            NextEvents::AskStore => {
                let (key, session, after) = (self.key.clone(), self.session_id, self.cursor.seq);
                let read = move |tx: &mut store::Tx| {
                    store::log::read(tx, &key, session, after, BATCH, EventFilter::default())
                };
                let events = self.store.read(read).await?.events;
                if events.is_empty() {
                    return Ok(false);
                }
                for event in elements::events(events) {
                    self.catch_up(&event)?;
                    self.deliver(event).await?;
                }
            }
        }
        Ok(true)
    }

    /// Is the cursor one that this session can have given out?
    pub(crate) fn check(&self) -> Result<()> {
        self.look().map(drop)
    }

    fn look(&self) -> Result<NextEvents> {
        let state = self.feed.lock();
        if state.newest().unwrap_or(0).max(self.known) > self.cursor.seq {
            let events = state.after(self.cursor.seq).filter(|events| !events.is_empty());
            return Ok(events.map_or(NextEvents::AskStore, NextEvents::Durable));
        }
        let said = || match state.outputs().after(&self.had) {
            heard if heard.is_empty() => NextEvents::Nothing,
            heard => NextEvents::ToolOutput(heard),
        };
        let Some(open) = state.open().filter(|open| self.sees(open)) else { return Ok(said()) };
        if open.length() == self.cursor.offset {
            return Ok(said());
        }
        let runs = open.after(self.cursor.offset).ok_or_else(Error::bad_cursor)?;
        Ok(NextEvents::Live { message_id: open.message_id, turn_id: open.turn_id, runs })
    }

    /// What was written of the open message before this event happened comes before it.
    fn catch_up(&mut self, event: &Event) -> Result<()> {
        let Some(offset) = event.body.offset().filter(|offset| *offset > self.cursor.offset) else {
            return Ok(());
        };
        let state = self.feed.lock();
        let before = |open: &&OpenMessage| self.sees(open) && event.seq > open.since;
        let Some(open) = state.open().filter(before) else { return Ok(()) };
        let runs = open.between(self.cursor.offset, offset).ok_or_else(Error::bad_cursor)?;
        let (message_id, turn_id) = (open.message_id, open.turn_id);
        drop(state);
        self.deliver_live(message_id, turn_id, runs);
        Ok(())
    }

    fn sees(&self, open: &OpenMessage) -> bool {
        self.cursor.seq >= open.since && self.completed < open.since
    }

    async fn deliver(&mut self, event: Event) -> Result<()> {
        if event.seq <= self.cursor.seq || self.finished {
            return Ok(());
        }
        let wanted = self.wants(event.turn_id);
        // The caller may give up waiting here, so nothing is changed before the last await.
        let last = match &event.body {
            EventBody::TurnEnded { outcome, .. } if wanted => self.is_final(*outcome, event.seq).await?,
            _ => false,
        };
        self.advance(&event);
        if !wanted {
            return Ok(());
        }
        if let (EventBody::TurnStarted { attempt, .. }, Some(filter)) = (&event.body, &mut self.turn) {
            filter.attempt = *attempt;
        }
        self.finished = last;
        self.ready.push_back(envelope(&self.registry, event, self.cursor));
        Ok(())
    }

    fn advance(&mut self, event: &Event) {
        self.cursor.seq = event.seq;
        if let EventBody::ToolResult { call_id, .. } = &event.body {
            self.had.forget(*call_id);
        }
        match event.body {
            EventBody::MessageStart { .. } | EventBody::MessageRestarted { .. } => self.cursor.offset = 0,
            EventBody::MessageComplete { .. } => {
                self.cursor.offset = 0;
                self.completed = event.seq;
            }
            _ => {}
        }
    }

    fn deliver_live(&mut self, message_id: MessageId, turn_id: Option<TurnId>, runs: Vec<Live>) {
        let wanted = self.wants(turn_id);
        let at = self.clock.now();
        for live in runs {
            self.cursor.offset += live.length();
            if wanted {
                let envelope = self.live(at, turn_id, live.into_body(message_id));
                self.ready.push_back(envelope);
            }
        }
    }

    fn deliver_output(&mut self, heard: Vec<OutputPiece>) {
        let at = self.clock.now();
        for heard in heard {
            self.had.add(&heard);
            let OutputPiece { call: call_id, turn, offset, text: delta } = heard;
            if self.wants(Some(turn)) {
                let body = LiveBody::ToolOutput { call_id, offset, delta };
                let envelope = self.live(at, Some(turn), body);
                self.ready.push_back(envelope);
            }
        }
    }

    fn live(&self, at: Timestamp, turn_id: Option<TurnId>, body: LiveBody) -> Envelope {
        Envelope {
            seq: self.cursor.seq,
            cursor: self.cursor,
            at,
            session_id: self.session_id,
            turn_id,
            body: EnvelopeBody::Live(body),
        }
    }

    fn wants(&self, turn_id: Option<TurnId>) -> bool {
        self.turn.as_ref().is_none_or(|filter| turn_id == Some(filter.turn_id))
    }

    /// A turn that was retried has several ends; only the newest attempt's closes the stream.
    async fn is_final(&self, outcome: TurnOutcome, seq: u64) -> Result<bool> {
        let Some(filter) = &self.turn else { return Ok(false) };
        if matches!(outcome, TurnOutcome::Completed | TurnOutcome::Cancelled) {
            return Ok(true);
        }
        let (turn_id, attempt) = match filter.attempt {
            // A reader that follows it from an answer on has not seen its beginning.
            0 => (filter.turn_id, self.attempt_before(filter.turn_id, seq).await?),
            attempt => (filter.turn_id, attempt),
        };
        let newest = self.store.read(move |tx| store::turns::attempt(tx, turn_id)).await?;
        Ok(newest.is_none_or(|newest| newest <= attempt))
    }

    /// The attempt of a turn that began last before this event.
    async fn attempt_before(&self, turn: TurnId, seq: u64) -> Result<u32> {
        let (key, session) = (self.key.clone(), self.session_id);
        let read = move |tx: &mut store::Tx| {
            let filter = EventFilter { types: vec![TURN_STARTED.to_owned()], turn_id: Some(turn) };
            store::log::read(tx, &key, session, 0, BATCH, filter)
        };
        let started = self.store.read(read).await?;
        let before = started.events.into_iter().filter(|event| event.seq < seq);
        let attempts = before.filter_map(|event| match event.body {
            EventBody::TurnStarted { attempt, .. } => Some(attempt),
            _ => None,
        });
        Ok(attempts.max().unwrap_or(0))
    }
}

/// A durable event in its travelling form. The registry says of the tools where they work.
pub fn envelope(registry: &Registry, event: Event, cursor: Cursor) -> Envelope {
    let body = match event.body {
        EventBody::UserMessage { message } => {
            EventBody::UserMessage { message: Box::new(elements::once(*message)) }
        }
        EventBody::ApprovalRequest { approval, offset } => {
            let approval = Box::new(approval_workplace::shown(registry, *approval));
            EventBody::ApprovalRequest { approval, offset }
        }
        other => other,
    };
    Envelope {
        seq: event.seq,
        cursor,
        at: event.at,
        session_id: event.session_id,
        turn_id: event.turn_id,
        body: EnvelopeBody::Durable(body),
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
